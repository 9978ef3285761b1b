import { plural } from './plural'

const list = new Intl.ListFormat('en')

/** Writing messages. */
export const compose = {
  message: 'Message',
  messageTo: (place: string) => `Message ${place}`,
  newTopic: 'New topic',
  newPrivate: 'New private message',
  stream: 'Stream',
  topic: 'Topic',
  to: 'To',
  people: 'People',
  addPerson: 'Add somebody',
  removePerson: (name: string) => `Remove ${name}`,
  chooseStream: 'Choose a stream',
  send: 'Send',
  enterSends: 'Enter sends',
  noPlace: 'Choose where to send this first.',
  mandatoryTopic: 'Messages need a topic here.',
  tooLong: (count: number, most: number) => `${count} of at most ${most} bytes`,
  formatting: 'Formatting',
  formats: { bold: 'Bold', italic: 'Italic', code: 'Code', link: 'Link', quote: 'Quote', list: 'List', spoiler: 'Spoiler' },
  preview: 'Preview',
  attach: 'Attach files',
  uploads: 'Files on their way',
  uploading: (name: string) => `Uploading ${name}…`,
  stopUpload: (name: string) => `Stop uploading ${name}`,
  notUploaded: (name: string, why: string) => `${name} wasn’t uploaded. ${why}`,
  tooLarge: (mebibytes: number) => `Files can have at most ${mebibytes} MiB.`,
  noUploads: 'Files can’t be uploaded here.',
  stillUploading: 'Files are still being uploaded.',
  suggestions: 'Suggestions',
  suggested: (count: number) => plural(count, { one: '{} suggestion', other: '{} suggestions' }),
  userGroup: 'group',
  wildcard: 'everybody who gets this',
  typing: (names: readonly string[]) => `${list.format(names)} ${names.length === 1 ? 'is' : 'are'} typing…`,
}

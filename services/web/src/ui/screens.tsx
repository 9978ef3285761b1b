import type { ComponentType } from 'preact'
import type { Client } from '../client'
import type { Place, TopicPlace } from '../state/conversation'
import type { Message } from '../state/model'
import type { Organizations } from '../sync/organizations'
import { show } from './overlay'
import type { Shown } from './people/shown'
import type { Choice } from './picker'
import type { Picture } from './pictures'

// The screens that are over the others. Each is loaded when it is first opened.

/** Shows a screen, which closes itself. */
function screen<Props extends object>(client: Client, load: () => Promise<ComponentType<Props & { readonly close: () => void }>>, props: Props): void {
  void show(client, async () => {
    const Screen = await load()
    return (close) => <Screen {...props} close={close} />
  })
}

/** Asks for another organization. */
export function addOrganization(client: Client, organizations: Organizations, parent: string): void {
  screen(client, async () => (await import('./addorganization')).AddOrganization, { organizations, parent })
}

/** Shows how a message was changed. */
export function showEdits(client: Client, message: Message): void {
  screen(client, async () => (await import('./edits')).Edits, { id: message.id })
}

/** Asks where to move a message, and what goes with it. */
export function moveMessage(client: Client, message: Message): void {
  screen(client, async () => (await import('./move')).MoveMessage, { message })
}

/** Asks for another name or stream of a topic. */
export function moveTopic(client: Client, place: TopicPlace): void {
  screen(client, async () => (await import('./move')).MoveTopic, { place })
}

/** Has the user pick an emoji. */
export function pickEmoji(client: Client, choose: (choice: Choice) => void): void {
  screen(client, async () => (await import('./picker')).Picker, { choose })
}

/** Shows who reacted to a message. */
export function showReactions(client: Client, message: Message): void {
  screen(client, async () => (await import('./whoreacted')).WhoReacted, { id: message.id })
}

/** Shows who somebody or a group is, or one's own status, to be changed. */
export function showPeople(client: Client, what: Shown): void {
  screen(client, async () => (await import('./people/dialogs')).PeopleDialog, { what })
}

/** Shows pictures large, and one of them first. */
export function showPictures(client: Client, pictures: readonly Picture[], first: number): void {
  screen(client, async () => (await import('./viewer')).Viewer, { pictures, first })
}

/** Shows all streams. */
export function browseStreams(client: Client): void {
  screen(client, async () => (await import('./streams/streams')).Streams, {})
}

/** Shows a stream: its members, and what one has set for it. */
export function showStream(client: Client, stream: number): void {
  screen(client, async () => (await import('./streams/one')).OneStream, { id: stream })
}

/** Shows an administrator what a stream is, to be changed. */
export function manageStream(client: Client, id: number): void {
  screen(client, async () => (await import('./administration/stream')).Stream, { id })
}

/** Shows an administrator an account, to be changed. */
export function manageAccount(client: Client, id: number): void {
  screen(client, async () => (await import('./administration/person')).Person, { id })
}

/** Asks what a new stream is to be. */
export function newStream(client: Client): void {
  screen(client, async () => (await import('./streams/new')).NewStream, {})
}

/** Asks where to go. */
export function goTo(client: Client): void {
  screen(client, async () => (await import('./switcher')).Switcher, {})
}

/** Shows what was typed and isn't sent. */
export function showDrafts(client: Client): void {
  screen(client, async () => (await import('./draftlist')).DraftList, {})
}

/** Shows what is going to be sent. */
export function showScheduled(client: Client): void {
  screen(client, async () => (await import('./schedule/list')).Scheduled, {})
}

/** Asks when a message is to be sent; done is called once it waits for that. */
export function schedule(client: Client, place: Place, content: string, done: () => void): void {
  screen(client, async () => (await import('./schedule/later')).SendLater, { place, content, done })
}

/** Asks when to be reminded of a message. */
export function remind(client: Client, message: Message): void {
  screen(client, async () => (await import('./schedule/later')).RemindMe, { message })
}

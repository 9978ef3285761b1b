import { useEffect } from 'preact/hooks'
import type { Client } from '../client'
import type { Message } from '../state/model'
import { narrowTo } from '../state/narrow'
import type { Catalogue } from '../text/en'
import { flag, openMenuOf, star } from './actions'
import { newTopic, replyTo, replyToSender, writeNew } from './compose'
import { composes } from './composing'
import { edit } from './editor'
import { isField } from './focus'
import { helpOpen } from './help'
import { back, begin, currentOf, cycle, end, mention, next, page, scroll, select } from './moves'
import { organizationMenu } from './organization'
import { findPeople } from './people/panel'
import { pictureOf, show } from './pictures'
import { forward, quote } from './quote'
import { pickFor, react, thumbsUp } from './reactions'
import { markUnreadFrom } from './read'
import { canEdit, canMove } from './rights'
import { browseStreams, goTo, moveMessage, showDrafts, showPeople } from './screens'
import { searchID } from './search'
import { muteTopic } from './topic'

/** Where a key was pressed. */
interface At {
  readonly client: Client
  readonly target: HTMLElement
  /** The selected message. */
  readonly message: Message | undefined
}

interface Shortcut {
  readonly keys: readonly string[]
  readonly does: keyof Catalogue['keys']
  readonly act: (at: At) => void
  /** Whether it works where no messages are on screen, too. */
  readonly everywhere?: true
}

/** The beginning of keys that are pressed together with Ctrl or ⌘. They work in fields, too. */
export const command = 'Ctrl+'

/** What each key does outside of fields, in the groups and the order of the list that people see. */
export const shortcutGroups: Readonly<Record<keyof Catalogue['keyGroups'], readonly Shortcut[]>> = {
  page: [
    { keys: ['?'], does: 'help', act: () => (helpOpen.value = true), everywhere: true },
    { keys: ['/'], does: 'search', act: () => document.getElementById(searchID)?.focus() },
    { keys: ['Ctrl+k'], does: 'goTo', act: ({ client }) => goTo(client), everywhere: true },
    { keys: ['g'], does: 'menu', act: () => document.getElementById(organizationMenu)?.click(), everywhere: true },
    { keys: ['Escape'], does: 'back', act: ({ client, target }) => back(client, target), everywhere: true },
  ],
  reading: [
    { keys: ['j', 'ArrowDown'], does: 'next', act: ({ client }) => select(client, 1) },
    { keys: ['k', 'ArrowUp'], does: 'previous', act: ({ client }) => select(client, -1) },
    { keys: ['J', 'PageDown', ' '], does: 'down', act: () => scroll(page) },
    { keys: ['K', 'PageUp'], does: 'up', act: () => scroll(-page) },
    { keys: ['Home'], does: 'begin', act: ({ client }) => begin(client) },
    { keys: ['G', 'End'], does: 'end', act: ({ client }) => end(client) },
  ],
  places: [
    { keys: ['n'], does: 'nextUnread', act: ({ client }) => next(client, 'topic') },
    { keys: ['p'], does: 'nextPrivate', act: ({ client }) => next(client, 'private') },
    { keys: ['s'], does: 'open', act: ofMessage((client, message) => client.go({ narrow: narrowTo(client.state.placeOf(message)), near: message.id })) },
    { keys: ['S'], does: 'openStream', act: ofMessage(openStream) },
    { keys: ['A'], does: 'previousStream', act: ({ client }) => cycle(client, -1) },
    { keys: ['D'], does: 'nextStream', act: ({ client }) => cycle(client, 1) },
    { keys: ['a'], does: 'all', act: ({ client }) => client.go({ narrow: [] }) },
    { keys: ['t'], does: 'recent', act: ({ client }) => client.go({ narrow: [], recent: true }) },
    { keys: ['P'], does: 'allPrivate', act: ({ client }) => client.go({ narrow: [{ operator: 'is', operand: 'private' }] }) },
    { keys: ['w'], does: 'people', act: findPeople, everywhere: true },
    { keys: ['q'], does: 'streams', act: ({ client }) => browseStreams(client) },
  ],
  writing: [
    { keys: ['r', 'Enter'], does: 'reply', act: reply },
    { keys: ['R'], does: 'replyPrivately', act: ofMessage(replyToSender) },
    { keys: ['@'], does: 'mention', act: ofMessage(mention) },
    { keys: ['>'], does: 'quote', act: ofMessage(quote) },
    { keys: ['f'], does: 'forward', act: ofMessage(forward) },
    { keys: ['c'], does: 'newTopic', act: ({ client, message }) => newTopic(client, message) },
    { keys: ['x'], does: 'newPrivate', act: () => writeNew('private') },
    { keys: ['d'], does: 'drafts', act: ({ client }) => showDrafts(client) },
  ],
  message: [
    { keys: [':'], does: 'react', act: ofMessage(pickFor) },
    { keys: ['+'], does: 'thumbsUp', act: ofMessage(thumbsUp) },
    { keys: ['='], does: 'join', act: ofMessage((client, message) => (message.reactions[0] === undefined ? undefined : react(client, message, message.reactions[0]))) },
    { keys: ['*'], does: 'star', act: ofMessage(star) },
    { keys: ['-'], does: 'collapse', act: ofMessage((client, message) => flag(client, message, 'collapsed')) },
    { keys: ['e'], does: 'edit', act: ofMessage((client, message) => (canEdit(client, message) ? edit(message.id) : undefined)) },
    { keys: ['m'], does: 'move', act: ofMessage((client, message) => (message.stream_id !== undefined && canMove(client, message) ? moveMessage(client, message) : undefined)) },
    { keys: ['M'], does: 'mute', act: ofMessage(mute) },
    { keys: ['U'], does: 'unread', act: ofMessage(markUnreadFrom) },
    { keys: ['v'], does: 'pictures', act: ofMessage(showPictures) },
    { keys: ['u'], does: 'profile', act: ofMessage((client, message) => showPeople(client, { person: message.sender_id })) },
    { keys: ['i'], does: 'messageMenu', act: ofMessage(openMenuOf) },
  ],
}

const shortcuts = Object.values(shortcutGroups).flat()

/** Does something with the selected message, if there is one. */
function ofMessage(act: (client: Client, message: Message) => unknown): (at: At) => void {
  return ({ client, message }) => {
    if (message !== undefined) {
      act(client, message)
    }
  }
}

function reply({ client, message }: At): void {
  if (message !== undefined) {
    replyTo(client, message)
  } else {
    document.getElementById('compose')?.focus()
  }
}

function showPictures(client: Client, message: Message): void {
  const picture = pictureOf(message.id)
  if (picture !== undefined) {
    show(client, picture)
  }
}

function openStream(client: Client, message: Message): void {
  if (message.stream_id !== undefined) {
    client.go({ narrow: [{ operator: 'stream', operand: message.stream_id }], near: message.id })
  }
}

function mute(client: Client, message: Message): void {
  const place = client.state.placeOf(message)
  if (place.kind === 'topic') {
    void muteTopic(client, place)
  }
}

/** Where the browser keeps whether keys of a single letter or sign work. */
const kept = 'letters'

/** Whether keys of a single letter or sign work: those who dictate, or whose fingers slip, do without them. */
export function lettersWork({ store }: Client): boolean {
  return store.read<boolean>(kept) ?? true
}

/** Has keys of a single letter or sign work in this browser, or not. */
export function setLetters({ store }: Client, work: boolean): void {
  store.write(kept, work)
}

/** The sign among the keys that German and other keyboards of Macs have at a letter, with the key Option. */
const withOption = '@'

/** Has keys work as long as a component is there. */
export function useKeys(client: Client): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || composes(event) || (event.altKey && event.key !== withOption) || document.querySelector('dialog[open], :popover-open') !== null) {
        return
      }
      const target = event.target instanceof HTMLElement ? event.target : document.body
      const key = (event.ctrlKey || event.metaKey ? command : '') + event.key
      const shortcut = shortcuts.find(({ keys }) => keys.includes(key))
      if (shortcut === undefined || (shortcut.does !== 'back' && isTaken(target, key)) || (client.page.peek() !== undefined && !shortcut.everywhere) || (/^\S$/.test(key) && !lettersWork(client))) {
        return
      }
      event.preventDefault()
      shortcut.act({ client, target, message: client.state.message(currentOf(client) ?? 0)?.peek() })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [client])
}

/** The keys by which films and sounds are played, wound and made louder. */
const playerKeys = new Set(['Enter', ' ', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'])

/** Reports whether a key means something else where it was pressed. */
function isTaken(target: HTMLElement, key: string): boolean {
  return (isField(target) && !key.startsWith(command)) || ((key === 'Enter' || key === ' ') && target.closest('a, button, summary') !== null) || (playerKeys.has(key) && target.closest('video, audio') !== null)
}

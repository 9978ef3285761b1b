import { useEffect } from 'preact/hooks'
import type { Client } from '../client'
import { keyOf, type Place } from '../state/conversation'
import type { Message } from '../state/model'
import { narrowTo, placeOfNarrow } from '../state/narrow'
import type { Catalogue } from '../text/en'
import { star } from './actions'
import { replyTo, writeNew } from './compose'
import { editing } from './editor'
import { focusMain, menuOpen } from './frame'
import { helpOpen } from './help'
import { organizationMenu } from './organization'
import { picking } from './picker'
import { canEdit } from './rights'
import { pictureOf, show } from './pictures'
import { markUnreadFrom } from './read'
import { searchID } from './search'
import { moveInTable } from './table'

type Action = keyof Catalogue['keys']

/** What each key does outside of fields. */
export const shortcuts: readonly { readonly keys: readonly string[]; readonly does: Action }[] = [
  { keys: ['j', 'ArrowDown'], does: 'next' },
  { keys: ['k', 'ArrowUp'], does: 'previous' },
  { keys: ['G', 'End'], does: 'end' },
  { keys: ['s', 'Enter'], does: 'open' },
  { keys: ['r'], does: 'reply' },
  { keys: ['c'], does: 'newTopic' },
  { keys: ['x'], does: 'newPrivate' },
  { keys: ['n'], does: 'nextUnread' },
  { keys: ['p'], does: 'nextPrivate' },
  { keys: [':', '+'], does: 'react' },
  { keys: ['*'], does: 'star' },
  { keys: ['e'], does: 'edit' },
  { keys: ['U'], does: 'unread' },
  { keys: ['v'], does: 'pictures' },
  { keys: ['a'], does: 'all' },
  { keys: ['t'], does: 'recent' },
  { keys: ['P'], does: 'allPrivate' },
  { keys: ['/'], does: 'search' },
  { keys: ['g'], does: 'menu' },
  { keys: ['Escape'], does: 'back' },
  { keys: ['?'], does: 'help' },
]

/** What needs no messages on screen. */
const everywhere: ReadonlySet<Action> = new Set(['menu', 'back', 'help'])

/** Has keys work as long as a component is there. */
export function useKeys(client: Client): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open], :popover-open') !== null) {
        return
      }
      const target = event.target instanceof HTMLElement ? event.target : document.body
      const does = shortcuts.find(({ keys }) => keys.includes(event.key))?.does
      if (does === undefined || (does !== 'back' && isTaken(target, event.key)) || (client.page.peek() !== undefined && !everywhere.has(does))) {
        return
      }
      event.preventDefault()
      act(client, does, target)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [client])
}

/** Reports whether a key means something else where it was pressed. */
function isTaken(target: HTMLElement, key: string): boolean {
  return target.closest('input, textarea, select, [contenteditable]') !== null || (key === 'Enter' && target.closest('a, button, summary') !== null)
}

function act(client: Client, does: Action, target: HTMLElement): void {
  const view = client.view.peek()
  const selected = client.state.message(view?.selected.peek() ?? 0)?.peek()
  switch (does) {
    case 'next':
      return move(client, 1)
    case 'previous':
      return move(client, -1)
    case 'end':
      return end(client)
    case 'newTopic':
    case 'newPrivate':
      return writeNew(does === 'newTopic' ? 'topic' : 'private')
    case 'nextUnread':
      return next(client, 'topic')
    case 'nextPrivate':
      return next(client, 'private')
    case 'all':
      return client.go({ narrow: [] })
    case 'recent':
      return client.go({ narrow: [], recent: true })
    case 'allPrivate':
      return client.go({ narrow: [{ operator: 'is', operand: 'private' }] })
    case 'search':
      document.getElementById(searchID)?.focus()
      return
    case 'help':
      helpOpen.value = true
      return
    case 'menu':
      document.getElementById(organizationMenu)?.click()
      return
    case 'back':
      return back(client, target)
    case 'reply':
      return reply(client, selected)
    case 'open':
    case 'react':
    case 'star':
    case 'edit':
    case 'unread':
    case 'pictures':
      return selected === undefined ? undefined : ofMessage(client, does, selected)
  }
}

function ofMessage(client: Client, does: 'open' | 'react' | 'star' | 'edit' | 'unread' | 'pictures', message: Message): void {
  switch (does) {
    case 'open':
      return client.go({ narrow: narrowTo(client.state.placeOf(message)), near: message.id })
    case 'react':
      picking.value = message.id
      return
    case 'star':
      return star(client, message)
    case 'edit':
      if (canEdit(client, message)) {
        editing.value = message.id
      }
      return
    case 'pictures': {
      const picture = pictureOf(message.id)
      return picture && show(picture)
    }
    case 'unread':
      return markUnreadFrom(client, message)
  }
}

/** Selects the next message, or the one before; where none is selected, the first on screen. */
function move(client: Client, by: number): void {
  if (client.destination.peek().recent === true) {
    moveInTable(by)
    return
  }
  const view = client.view.peek()
  const ids = view?.ids.peek() ?? []
  const from = view?.selected.peek()
  const to = from === undefined ? (view?.position?.id ?? ids.at(-1)) : ids[ids.indexOf(from) + by]
  if (view !== undefined && to !== undefined) {
    view.selected.value = to
  }
}

function end(client: Client): void {
  const view = client.view.peek()
  if (view !== undefined) {
    void client.history.end(view).then(() => (view.selected.value = view.ids.peek()?.at(-1)))
  }
}

/** Goes to the next place with unread messages after the one on screen, or to the first. */
function next(client: Client, kind: Place['kind']): void {
  const { state } = client
  const here = placeOfNarrow(client.destination.peek().narrow, state.self.peek())
  const places = state.unread
    .places()
    .filter(({ place }) => place.kind === kind && !state.isMuted(place) && (here === undefined || keyOf(place) !== keyOf(here)))
    .sort((a, b) => a.newest - b.newest)
  const [first] = places
  if (first !== undefined) {
    client.go({ narrow: narrowTo(first.place) })
  }
}

function reply(client: Client, selected: Message | undefined): void {
  if (selected !== undefined) {
    replyTo(client, selected)
  } else {
    document.getElementById('compose')?.focus()
  }
}

/** Leaves a field, or what is selected, or the place on screen. */
function back(client: Client, target: HTMLElement): void {
  const view = client.view.peek()
  if (menuOpen.peek()) {
    menuOpen.value = false
  } else if (target.closest('input, textarea, select') !== null) {
    focusMain()
  } else if (client.page.peek() !== undefined) {
    client.leavePage()
  } else if (view?.selected.peek() !== undefined) {
    view.selected.value = undefined
  } else {
    client.go({ narrow: [] })
  }
}

import type { Client } from '../client'
import { keyOf, type Place } from '../state/conversation'
import { mentionOf } from '../markdown/names'
import type { Message } from '../state/model'
import { narrowTo, placeOfNarrow, streamOfNarrow } from '../state/narrow'
import { writeInto } from './compose'
import { leadingOffset } from './feed'
import { isField } from './focus'
import { focusMain, menuOpen } from './frame'
import { moveInTable } from './table'
import { peopleOpen } from './people/panel'

/** How much of the list a page is. */
export const page = 0.85

/** Selects the next message, or the one before; where none is selected, the first on screen. */
export function select(client: Client, by: 1 | -1): void {
  if (client.destination.peek().recent === true) {
    moveInTable(by)
    return
  }
  const view = client.view.peek()
  const ids = view?.ids.peek() ?? []
  const from = currentOf(client)
  const to = from === undefined ? (view?.position?.id ?? ids.at(-1)) : by > 0 ? ids.find((id) => id > from) : ids.findLast((id) => id < from)
  if (view !== undefined && to !== undefined) {
    view.selected.value = to
  }
}

/** The message that keys are for: the selected one, or else the one that has the focus, as after it was edited; where a text is marked, the latter first. */
export function currentOf({ view }: Client): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('#messages [data-message]')
  const focused = row ? Number(row.dataset['message']) : undefined
  const selected = view.peek()?.selected.peek()
  return getSelection()?.isCollapsed === false ? (focused ?? selected) : (selected ?? focused)
}

/** Scrolls the messages by a part of what is on screen. */
export function scroll(by: number): void {
  const list = document.getElementById('messages')
  list?.scrollBy({ top: by * list.clientHeight })
}

/** Goes to the first of the messages that are known. */
export function begin(client: Client): void {
  const view = client.view.peek()
  const [first] = view?.ids.peek() ?? []
  if (view !== undefined && first !== undefined) {
    view.lead({ id: first, offset: leadingOffset }) // it may be selected, and have been scrolled away
    view.selected.value = first
  }
}

/** Goes to the newest message. */
export function end(client: Client): void {
  const view = client.view.peek()
  if (view !== undefined) {
    void client.history.end(view).then(() => (view.selected.value = view.ids.peek()?.at(-1)))
  }
}

/** Goes to the next place with unread messages after the one on screen, or to the first. */
export function next(client: Client, kind: Place['kind']): void {
  const { state } = client
  const here = placeOfNarrow(client.destination.peek().narrow, state.self.peek())
  const places = [...state.unread.places()]
    .filter(({ place }) => place.kind === kind && !state.isMuted(place) && (here === undefined || keyOf(place) !== keyOf(here)))
    .sort((a, b) => a.newest - b.newest)
  const [first] = places
  if (first !== undefined) {
    client.go({ narrow: narrowTo(first.place) })
  }
}

/** Goes to the next stream of the sidebar, or the one before. */
export function cycle(client: Client, by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#sidebar a[data-stream]')]
  const at = links.findIndex((link) => Number(link.dataset['stream']) === streamOfNarrow(client.destination.peek().narrow))
  links.at((at < 0 && by < 0 ? -1 : at + by) % links.length)?.click()
}

/** Begins a reply to a message that mentions who sent it. */
export function mention(client: Client, message: Message): void {
  const { state } = client
  const name = state.users.peek().get(message.sender_id)?.full_name ?? message.sender_full_name
  writeInto(state.placeOf(message), mentionOf(name, message.sender_id, state.isShared(name)), ' ')
}

/** Leaves a field, or what is selected, or the place on screen. */
export function back(client: Client, target: HTMLElement): void {
  const view = client.view.peek()
  if (menuOpen.peek()) {
    menuOpen.value = false
  } else if (peopleOpen.peek()) {
    peopleOpen.value = false
    focusMain()
  } else if (isField(target)) {
    focusMain()
  } else if (client.page.peek() !== undefined) {
    client.leavePage()
  } else if (view?.selected.peek() !== undefined) {
    view.selected.value = undefined
  } else {
    client.go({ narrow: [] })
  }
}

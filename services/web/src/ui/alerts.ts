import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Client } from '../client'
import { plainOf } from '../html/plain'
import quiet from '../icon.svg'
import unread from '../icon-unread.svg'
import { attentionTo, unreadCount } from '../state/attention'
import type { Message } from '../state/model'
import { widgetOf } from '../state/widget'
import { closeNotices, notify } from '../sync/notify'
import { turn } from '../sync/turn'
import { text } from '../text/text'
import { missed } from './askalerts'
import { play } from './sound'

/** Notifications of what was read are closed when nothing changed for so long, in milliseconds. */
const settled = 300

/** How many characters of a message are said at most. */
const most = 300

/** Gets attention for what arrives while nobody looks at the page: notifications, sounds, and a mark on the icon; as long as a component is there. */
export function useAlerts(client: Client): void {
  useEffect(() => {
    const { state } = client
    const heard = (message: Message) => {
      if (isLookedAt() || !turn.isOwn || client.silence.isNow) {
        return
      }
      const { shown, sounded } = attentionTo(state, message)
      if (shown) {
        missed.value = true
        void notify({ message: message.id, title: titleOf(client, message), body: bodyOf(client, message) })
      }
      if (sounded) {
        play(String(state.settings.peek()['notification_sound']))
      }
    }
    const look = () => (isLookedAt() ? turn.take() : turn.wait())
    const follow = (event: MessageEvent) => {
      const { open } = event.data as { open?: unknown } // by the service worker
      if (typeof open === 'string') {
        location.hash = open
      }
    }
    look()
    client.push.renew().catch(() => {}) // it is renewed when the page is opened next
    client.arrived.add(heard)
    addEventListener('focus', look)
    navigator.serviceWorker?.addEventListener('message', follow)
    const ends = [
      () => client.arrived.delete(heard),
      () => removeEventListener('focus', look),
      () => navigator.serviceWorker?.removeEventListener('message', follow),
      effect(() => mark(unreadCount(state))),
      effect(() => {
        state.unread.has(0) // any change
        const timer = setTimeout(() => void closeNotices((message) => !state.unread.has(message)), settled)
        return () => clearTimeout(timer)
      }),
    ]
    return () => {
      ends.forEach((end) => end())
      mark(0)
    }
  }, [client])
}

/** Whether somebody looks at the page. */
export function isLookedAt(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

function titleOf(client: Client, message: Message): string {
  const sender = client.state.nameOf(message.sender_id)
  const place = client.state.placeOf(message)
  return place.kind === 'topic' ? `${sender} (${client.nameOf(place)})` : sender
}

function bodyOf(client: Client, message: Message): string {
  return message.type === 'private' && client.state.settings.peek()['pm_content_in_desktop_notifications'] === false ? '' : beginningOf(message)
}

/** Returns the beginning of what a message says, without what spoilers hide; of a poll or a list, what it is about. */
export function beginningOf(message: Message): string {
  const written = plainOf(message.content)
  const widget = widgetOf(message, () => written)
  const words = widget === undefined ? saidOf(message, written) : `${text.reading[widget.kind]}: ${widget.kind === 'poll' ? widget.question : widget.title}`
  return words.length > most ? words.slice(0, most - 1) + '…' : words
}

/** Returns what is said in the third person, which begins after its /me, or else all of it. */
function saidOf({ is_me_message: isMe }: Message, written: string): string {
  return isMe ? written.replace(/^\/me /, '') : written
}

/** Has the page's icon, and that of an installed page, say whether something is unread. */
function mark(count: number): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  const wanted = count > 0 ? unread : quiet
  if (icon !== null && icon.getAttribute('href') !== wanted) {
    icon.href = wanted
  }
  navigator.setAppBadge?.(count).catch(() => {})
}

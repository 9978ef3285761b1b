import type { TypingEvent } from '../../api/schema'
import { keyOf, privatePlace } from '../conversation'
import type { State } from '../state'

/** How long somebody counts as typing who doesn't say so again, in milliseconds (events.md, section 3.8). */
const typingTime = 15_000

/** Somebody types in a private conversation, or has stopped. */
export function typing(state: State, event: TypingEvent, now: number): void {
  const who = event.sender.user_id
  if (who === state.self.value) {
    return
  }
  const key = keyOf(privatePlace(event.recipients.map((r) => r.user_id), state.self.value))
  const there = new Map([...(state.typing.value.get(key) ?? [])].filter(([, until]) => until > now))
  there.delete(who)
  if (event.op === 'start') {
    there.set(who, now + typingTime)
  }
  state.typing.value = new Map(state.typing.value).set(key, there)
}

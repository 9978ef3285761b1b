import { call } from '../api/request'
import { presencesOf, type State } from '../state/state'

/** How often the server hears whether somebody is there, in milliseconds; clients forget it after 140 s. */
const interval = 50_000
/** How old what is known of others may be, in milliseconds: events say who came, but not who still is there. */
const known = 90_000
/** Whoever did nothing for so long is idle, in milliseconds. */
const idleAfter = 5 * 60_000

/** What shows that somebody is there. */
const signs = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'focus'] as const

/**
 * Says whether the user is there, as long as the page is open, and while it is looked at, asks who else is. It ends when the function that
 * it returns is called.
 */
export function reportPresence(state: State): () => void {
  let last = Date.now()
  let heard = last // since the registration, or the last list
  let reported = false // that they are there
  const report = () => {
    const now = Date.now()
    const visible = document.visibilityState === 'visible'
    const active = visible && now - last < idleAfter
    const ask = visible && now - heard >= known
    reported = active
    call('POST /users/me/presence', { status: active ? 'active' : 'idle', ping_only: !ask, new_user_input: active, slim_presence: true }).then(
      ({ presences }) => {
        if (presences !== undefined) {
          heard = now
          state.seen(presencesOf(presences))
        }
      },
      () => {}, // the next one may arrive
    )
  }
  const note = () => {
    last = Date.now()
    if (!reported) {
      report()
    }
  }
  for (const sign of signs) {
    addEventListener(sign, note, { passive: true })
  }
  const timer = setInterval(report, interval)
  report()
  return () => {
    clearInterval(timer)
    for (const sign of signs) {
      removeEventListener(sign, note)
    }
  }
}

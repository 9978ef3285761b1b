import { call } from '../api/request'

/** How often the server hears whether somebody is there, in milliseconds; it forgets after 140 s. */
const interval = 50_000
/** Whoever did nothing for so long is idle, in milliseconds. */
const idleAfter = 5 * 60_000

/** What shows that somebody is there. */
const signs = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'focus'] as const

/** Says whether the user is there, as long as the page is open, until the function that it returns is called. */
export function reportPresence(): () => void {
  let last = Date.now()
  let reported = false // that they are there
  const report = () => {
    const active = document.visibilityState === 'visible' && Date.now() - last < idleAfter
    reported = active
    call('POST /users/me/presence', { status: active ? 'active' : 'idle', ping_only: true, new_user_input: active, slim_presence: true }).catch(() => {}) // the next one may arrive
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

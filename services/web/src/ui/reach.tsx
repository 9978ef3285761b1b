import { useEffect, useState } from 'preact/hooks'
import { useClient } from '../client'
import type { Place } from '../state/conversation'
import { clockAt, isolated, text } from '../text/text'

/** The hours of the day at which people are usually at work, or awake enough for it. */
const begins = 8
const ends = 20

/** How often it is looked what time it is, in milliseconds. */
const interval = 60_000

/** What one wants to know before one writes to somebody: what they say of themselves, and that it is late or early where they are. */
export function Reach({ place }: { readonly place: Place }) {
  const { state } = useClient()
  const [now, setNow] = useState(() => new Date())
  const [person, ...others] = place.kind === 'private' ? place.people : []
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), interval)
    return () => clearInterval(timer)
  }, [])
  const user = others.length === 0 ? state.users.value.get(person ?? 0) : undefined
  if (user === undefined || user.is_bot) {
    return null
  }
  const status = state.statuses.value.get(user.user_id)?.text ?? ''
  const late = state.inactive.value.has(user.user_id) ? undefined : lateAt(now, user.timezone)
  return (
    <>
      {status === '' ? null : (
        <span>
          <bdi>{user.full_name}</bdi>: <bdi>{status}</bdi>
        </span>
      )}
      {late === undefined ? null : <span>{text.profiles.theirTime(isolated(user.full_name), late)}</span>}
    </>
  )
}

/** Returns what time it is in a zone, if that isn't the own time, and late or early; undefined: it is neither, or nobody knows. */
function lateAt(now: Date, timeZone: string): string | undefined {
  const time = timeZone === '' ? undefined : clockAt(now, timeZone)
  if (time === undefined || time === clockAt(now, Intl.DateTimeFormat().resolvedOptions().timeZone)) {
    return undefined
  }
  const hour = Number(new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone }).format(now))
  return hour >= begins && hour < ends ? undefined : time
}

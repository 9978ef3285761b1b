import { call, quoted } from '../api/request'

/** Has the server know the browser's time zone, for an account without one: others see the local time by it. */
export function reportZone(): void {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  call('PATCH /settings/display', { timezone: quoted(zone) }).catch(() => {}) // the server may not know the zone
}

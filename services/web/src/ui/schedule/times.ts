/** When something may be sent later: in so many minutes, or at a time. */
export type Offer = { readonly minutes: number } | { readonly at: Date }

/** What the working day begins and ends with, in hours. */
const morning = 9
const evening = 18
const monday = 1

/** Returns sensible times to send something later. */
export function offers(now: Date): readonly Offer[] {
  const at = (days: number, hour: number) => ({ at: new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour) })
  const toMonday = (monday + 7 - now.getDay()) % 7 || 7
  return [
    { minutes: 20 },
    { minutes: 60 },
    ...(now.getHours() < evening - 1 ? [at(0, evening)] : []),
    at(1, morning),
    ...(toMonday > 1 ? [at(toMonday, morning)] : []),
  ]
}

/** Returns the time of an offer. */
export function timeOf(offer: Offer, now: Date): Date {
  return 'at' in offer ? offer.at : new Date(now.getTime() + offer.minutes * 60_000)
}

/** Returns a time as fields for times have it, in the zone of the browser. */
export function localOf(time: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`
}

import type { ProfileField } from '../../state/organization'

/** The types of profile fields (rest-api.md, section 4.7). */
export const fieldTypes = { short: 1, long: 2, choice: 3, date: 4, link: 5, people: 6, account: 7 } as const

/** A choice of a field: the value that is stored, and what people read. */
export interface Choice {
  readonly value: string
  readonly name: string
}

/** Returns the choices of a field, in their order. */
export function choicesOf(field: ProfileField): readonly Choice[] {
  const data = (field.field_data === '' ? {} : JSON.parse(field.field_data)) as Readonly<Record<string, { readonly text: string; readonly order: string }>>
  return Object.entries(data)
    .sort(([, a], [, b]) => Number(a.order) - Number(b.order))
    .map(([value, { text }]) => ({ value, name: text }))
}

/**
 * Returns the data of a field with choices, in their order. Those without a value are new, and get one that none had, not even one that
 * was removed: answers keep the value of what they chose.
 */
export function dataOf(choices: readonly Choice[]): Readonly<Record<string, { readonly text: string; readonly order: string }>> {
  const named = choices.filter(({ name }) => name.trim() !== '')
  return Object.fromEntries(named.map(({ value, name }, i) => [value === '' ? newValue() : value, { text: name.trim(), order: String(i + 1) }]))
}

/** Returns choices that somebody changes, as they are once others have changed them, too, from before to now: what is changed here stays, and what is new there comes last. */
export function merged(own: readonly Choice[], before: readonly Choice[], now: readonly Choice[]): readonly Choice[] {
  const were = new Map(before.map(({ value, name }) => [value, name]))
  const are = new Map(now.map((choice) => [choice.value, choice]))
  const kept = own.flatMap((choice) => (were.get(choice.value) === choice.name ? (are.get(choice.value) ?? []) : choice))
  return [...kept, ...now.filter(({ value }) => !were.has(value))]
}

/** Returns a random value, which doesn't have to know those that there were. */
function newValue(): string {
  return crypto.getRandomValues(new BigUint64Array(1)).join()
}

/** The kind of account elsewhere that the organization describes itself. */
export const customAccount = 'custom'

/** What a field about accounts elsewhere has in its data. */
export interface AccountData {
  readonly subtype: string
  readonly url_pattern?: string
}

/** Returns the kind of account elsewhere that a field is about. */
export function accountOf(field: ProfileField): AccountData {
  return field.field_data === '' ? { subtype: customAccount } : (JSON.parse(field.field_data) as AccountData)
}

/** Says whether the server knows all of a field: nothing of it can be changed. */
export function isGiven(field: ProfileField): boolean {
  return field.type === fieldTypes.account && accountOf(field).subtype !== customAccount
}

/** Returns the people in an answer. */
export function answersOf(value: string): readonly number[] {
  return value === '' ? [] : (JSON.parse(value) as readonly number[])
}

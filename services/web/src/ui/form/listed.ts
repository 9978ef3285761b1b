/** Returns the one that was chosen from a field's list, or whose whole name was typed; undefined: there is none, or it may yet become a longer name. */
export function named<T>(all: readonly T[], nameOf: (one: T) => string, typed: string, listed: boolean): T | undefined {
  const found = called(all, nameOf, typed)
  return !listed && all.some((one) => nameOf(one) !== typed && nameOf(one).startsWith(typed)) ? undefined : found
}

/** Reports whether a field was filled from its list. */
export function isListed(event: Event): boolean {
  return !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
}

/** Returns the one with a name. */
export function called<T>(all: readonly T[], nameOf: (one: T) => string, name: string): T | undefined {
  return all.find((one) => nameOf(one) === name)
}

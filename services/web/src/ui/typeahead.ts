/** How soon a letter has to follow the one before to belong to the same name, in milliseconds. */
const pause = 700

/** Finds entries of a list by the beginnings of their names, as they are typed. */
export class Typeahead {
  private typed = ''
  private until = 0

  /** Reports whether a name is being typed at a time, to which a blank would belong. */
  goesOn(time: number): boolean {
    return time < this.until
  }

  /**
   * Returns the index of the entry to go to from one once another letter is typed: the next one that begins with it, or the first from there
   * on that begins with all that was typed. The same letter again leads to the next one that begins with it. -1: none does.
   */
  find(letter: string, time: number, names: readonly string[], from: number): number {
    this.typed = (this.goesOn(time) ? this.typed : '') + letter.toLowerCase()
    this.until = time + pause
    const isOne = [...this.typed].every((one) => one === this.typed[0])
    const wanted = isOne ? letter.toLowerCase() : this.typed
    const start = Math.max(0, isOne ? from + 1 : from)
    const found = [...names.slice(start), ...names.slice(0, start)].findIndex((name) => name.trim().toLowerCase().startsWith(wanted))
    return found === -1 ? -1 : (found + start) % names.length
  }
}

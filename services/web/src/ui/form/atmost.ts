/**
 * Returns the maxlength of a field that may have so many characters: browsers count emoji, and whatever else is beyond the first 65,536, as two,
 * and the server as one.
 */
export function atMost(most: number, value: string): number {
  return most + value.length - [...value].length
}

/**
 * Returns the maxlength of a field that may have so many characters: browsers count emoji, and whatever else is beyond the first 65,536, as two,
 * and the server as one. There is room for one more of these as long as there is for a letter.
 */
export function atMost(most: number, value: string): number {
  const count = [...value].length
  return most + value.length - count + (count < most ? 1 : 0)
}

/** Returns what finds words of which somebody wants to hear, wherever they are no part of a longer one; undefined: there are none. */
export function alertsOf(words: readonly string[]): RegExp | undefined {
  const escaped = words.filter((word) => word.trim() !== '').map((word) => word.trim().replace(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`))
  return escaped.length === 0 ? undefined : new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${escaped.join('|')})(?![\p{L}\p{N}_])`, 'giu')
}

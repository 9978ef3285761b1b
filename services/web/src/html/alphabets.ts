/** The alphabets of mathematics that are characters of their own: where A and a are, and letters that are elsewhere. */
const alphabets: Readonly<Record<string, readonly [number, number, string]>> = {
  bold: [0x1d400, 0x1d41a, ''],
  'bold-italic': [0x1d468, 0x1d482, ''],
  script: [0x1d49c, 0x1d4b6, 'BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ'],
  'bold-script': [0x1d4d0, 0x1d4ea, ''],
  fraktur: [0x1d504, 0x1d51e, 'CℭHℌIℑRℜZℨ'],
  'bold-fraktur': [0x1d56c, 0x1d586, ''],
  'double-struck': [0x1d538, 0x1d552, 'CℂHℍNℕPℙQℚRℝZℤ'],
  'sans-serif': [0x1d5a0, 0x1d5ba, ''],
  'bold-sans-serif': [0x1d5d4, 0x1d5ee, ''],
  'sans-serif-italic': [0x1d608, 0x1d622, ''],
  monospace: [0x1d670, 0x1d68a, ''],
}

/** Returns a text in an alphabet of mathematics, which browsers don't know as the attribute mathvariant. */
export function variantOf(text: string, variant: string | null): string {
  const [upper, lower, others] = alphabets[variant ?? ''] ?? [0, 0, '']
  return upper === 0
    ? text
    : text.replace(/[A-Za-z]/g, (letter) => {
        const at = others.indexOf(letter)
        return at >= 0 ? (others[at + 1] ?? letter) : String.fromCodePoint(letter <= 'Z' ? upper + letter.charCodeAt(0) - 65 : lower + letter.charCodeAt(0) - 97)
      })
}

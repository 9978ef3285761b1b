import table from '../../../pkg/emoji/emoji.tsv?raw'

/** An emoji of the interface: its name, all its names in one text, and its code points. */
export interface Emoji {
  readonly name: string
  readonly names: string
  readonly code: string
}

/** All emoji, as the server has them. */
export const all: readonly Emoji[] = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [code = '', name = '', others = ''] = line.split('\t')
    return { name, names: `${name} ${others}`, code }
  })

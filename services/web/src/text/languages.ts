import type { Catalogue } from './en'

interface Language {
  /** The language's name in itself. */
  readonly name: string
  load(): Promise<{ readonly catalogue: Catalogue }>
}

/** The languages of the client by their codes. The first is taken where somebody knows none of them. */
export const languages: Readonly<Record<string, Language>> = {
  en: { name: 'English', load: () => import('./en') },
  de: { name: 'Deutsch', load: () => import('./de') },
}

/** Returns the code of the language that somebody likes best; wanted are codes such as pt or de-AT, the best first. */
export function bestOf(wanted: readonly string[]): string {
  const known = Object.keys(languages)
  for (const one of wanted) {
    const code = one.toLowerCase().replace('_', '-')
    const found = known.find((k) => k.toLowerCase() === code) ?? known.find((k) => k === code.split('-')[0])
    if (found !== undefined) {
      return found
    }
  }
  return known[0] ?? ''
}

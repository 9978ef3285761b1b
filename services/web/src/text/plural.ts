/** Says how many, in the language of a locale: it chooses the form for a count, and writes the count where the form has {}. */
export function pluralIn(locale: string) {
  // Making these takes the browser long, and the first screen may have no number.
  let rules: Intl.PluralRules | undefined
  let numbers: Intl.NumberFormat | undefined
  return (count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }): string =>
    (forms[(rules ??= new Intl.PluralRules(locale)).select(count)] ?? forms.other).replace('{}', () => (numbers ??= new Intl.NumberFormat(locale)).format(count))
}

/** Says how many, in the language of a locale: it chooses the form for a count, and writes the count where the form has {}. */
export function pluralIn(locale: string) {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }): string =>
    (forms[rules.select(count)] ?? forms.other).replace('{}', () => numbers.format(count))
}

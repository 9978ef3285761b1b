import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalogue } from './en'
import { bestOf, languages } from './languages'
import { moment, speak, text, textNow } from './text'

const { catalogue: english } = await languages['en']!.load()

/** Returns what a language says by the name of each text, with the objects of parts in it: settings.title. */
function texts(of: object, before = ''): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(of).flatMap(([name, one]) => (typeof one === 'object' && one !== null ? [...texts(one, `${before}${name}.`)] : [[before + name, one] as const])))
}

/** Returns which of its arguments a text has in it. */
function placeholders(one: unknown): readonly number[] {
  if (typeof one !== 'function') {
    return []
  }
  const args = Array.from({ length: one.length }, (_, i) => 7001 + i)
  const say = (wrap: (arg: number) => unknown) => String(one(...args.map(wrap))).replaceAll(/[.,  ’]/g, '')
  let said: string
  try {
    said = say((arg) => arg)
  } catch {
    said = say((arg) => [String(arg)]) // it wants a list
  }
  return args.filter((arg) => said.includes(String(arg)))
}

for (const [code, { load, name }] of Object.entries(languages)) {
  test(`${name} says everything`, async () => {
    const { catalogue } = await load()
    assert.equal(catalogue.locale, code)
    assert.deepEqual(Intl.getCanonicalLocales(code), [code])
    const [own, wanted] = [texts(catalogue), texts(english)]
    assert.deepEqual([...own.keys()].sort(), [...wanted.keys()].sort())
    for (const [at, one] of own) {
      assert.equal(typeof one, typeof wanted.get(at), at)
      assert.deepEqual(placeholders(one), placeholders(wanted.get(at)), `what ${at} has in it`)
      assert.ok(typeof one !== 'string' || (one !== '' && one === one.trim()), at)
    }
  })
}

test('counts have their plurals', async () => {
  const { catalogue: german } = await languages['de']!.load()
  assert.deepEqual([1, 2].map(english.suggested), ['1 suggestion', '2 suggestions'])
  assert.deepEqual([0, 1, 1234].map(german.suggested), ['0 Vorschläge', '1 Vorschlag', '1.234 Vorschläge'])
  assert.equal(german.typing(['Ada', 'Bea', 'Cleo']), 'Ada, Bea und Cleo schreiben …')
})

test('the best language that is known is spoken', () => {
  assert.equal(bestOf(['de-AT', 'en']), 'de')
  assert.equal(bestOf(['fr', 'de_CH']), 'de')
  assert.equal(bestOf(['', 'tlh']), 'en')
  assert.equal(bestOf([]), 'en')
})

test('another language is a catalogue and a line', async () => {
  /** Says everything backwards. */
  const toy = (of: object): object =>
    Object.fromEntries(Object.entries(of).map(([name, one]) => [name, typeof one === 'string' ? [...one].reverse().join('') : typeof one === 'object' && one !== null ? toy(one as object) : one]))
  const catalogue = { ...(toy(english) as Catalogue), locale: 'he', direction: 'rtl' } as Catalogue
  const known = languages as Record<string, (typeof languages)[string]>
  known['he'] = { name: 'toy', load: () => Promise.resolve({ catalogue }) }
  try {
    assert.equal(bestOf(['he-IL', 'de']), 'he')
    await speak('he')
    assert.deepEqual([text.signIn, text.settings.title, text.direction], [...[english.signIn, english.settings.title].map((one) => [...one].reverse().join('')), 'rtl'])
    assert.match(moment(new Date(0)), /1970/)
    assert.equal(textNow()?.locale, 'he')
    await speak('tlh') // which nobody has made
    assert.equal(text.locale, 'he')
  } finally {
    delete known['he']
  }
})

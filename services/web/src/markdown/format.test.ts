import assert from 'node:assert/strict'
import { test } from 'node:test'
import { continued, formatted, indented, linked, type Format } from './format'

/** Formats what is between the bars of a text, and puts bars around what is selected then. */
function format(how: Format, marked: string): string {
  const start = marked.indexOf('|')
  const end = marked.lastIndexOf('|') - 1
  const text = marked.replaceAll('|', '')
  const change = formatted(how, text, start, Math.max(start, end), new Date(2026, 10, 28, 17, 5))
  const now = text.slice(0, change.start) + change.text + text.slice(change.end)
  return now.slice(0, change.selectStart) + '|' + now.slice(change.selectStart, change.selectEnd) + '|' + now.slice(change.selectEnd)
}

test('marks are put around what is selected, and taken away again', () => {
  const all: readonly (readonly [Format, string, string])[] = [
    ['bold', 'a |b c| d', 'a **|b c|** d'],
    ['bold', 'a| b |c', 'a **|b|** c'],
    ['bold', 'a **|b|**', 'a |b|'],
    ['italic', 'a **|b|**', 'a ***|b|***'],
    ['bold', '***|b|***', '*|b|*'],
    ['italic', '||', '*||*'],
    ['code', 'x |y|', 'x `|y|`'],
    ['link', 'see |here|', 'see [here](|https://|)'],
    ['link', 'see ||', 'see [||](https://)'],
  ]
  for (const [how, from, to] of all) {
    assert.equal(format(how, from), to)
  }
})

test('lines are marked as a whole', () => {
  assert.equal(format('quote', 'x\na |b\nc| d\ny'), 'x\n|> a b\n> c d|\ny')
  assert.equal(format('quote', 'x\n|> a\n> b|'), 'x\n|a\nb|')
  assert.equal(format('list', '||'), '* ||')
})

test('fences are on their own lines, and longer than those within', () => {
  assert.equal(format('code', 'a |b\nc| d'), 'a \n```\n|b\nc|\n```\n d')
  assert.equal(format('spoiler', '|x|'), '```spoiler \n|x|\n```')
  assert.equal(format('spoiler', '|```\nx\n```|'), '````spoiler \n|```\nx\n```|\n````')
})

test('an address that is pasted over words makes a link of them', () => {
  assert.equal(linked('the plan', ' https://harbour.example/a_(b) '), '[the plan](https://harbour.example/a_%28b%29)')
  for (const [part, pasted] of [['', 'https://a.example'], ['two\nlines', 'https://a.example'], ['[x](y)', 'https://a.example'], ['https://b.example', 'https://a.example'], ['words', 'more words'], ['words', 'javascript:alert(1)']] as const) {
    assert.equal(linked(part, pasted), undefined, part)
  }
})

test('formulas, times, polls and lists of tasks are begun by a format', () => {
  assert.equal(format('math', 'so |x^2| is'), 'so $$|x^2|$$ is')
  assert.equal(format('math', 'so $$|x^2|$$ is'), 'so |x^2| is')
  assert.match(format('time', 'at |'), /^at <time:\|2026-11-28T17:05[+-]\d\d:\d\d\|>$/)
  assert.equal(format('time', 'at |noon|'), 'at <time:|noon|>')
  assert.equal(format('poll', '|'), '/poll ||')
  assert.equal(format('poll', 'Where to|?'), '/poll Where to||?')
  assert.equal(format('todo', '/poll Where to|?'), '/todo Where to||?')
})

test('a new line in a list or a quote begins another entry, and after an empty one none', () => {
  const all: readonly (readonly [string, string | undefined])[] = [
    ['* a|', '* a\n* '],
    ['x\n  - a| b', 'x\n  - a\n  -  b'],
    ['9. a|', '9. a\n10. '],
    ['> a|', '> a\n> '],
    ['* a\n* |', '* a\n'],
    ['1. |b', '1. \n2. b'],
    ['*a|', undefined],
    ['|* a', undefined],
    ['* a\nb|', undefined],
    ['-- |', undefined],
  ]
  for (const [marked, to] of all) {
    const caret = marked.indexOf('|')
    const text = marked.replace('|', '')
    const change = continued(text, caret)
    assert.equal(change && text.slice(0, change.start) + change.text + text.slice(change.end), to, marked)
  }
})

test('an entry that begins at the caret goes below the one above, and comes back', () => {
  const all: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['* a\n* |', '* a\n  * ', undefined],
    ['* a\n* |b', '* a\n  * b', undefined],
    ['* a\n  * |', undefined, '* a\n* '],
    ['* a\n    * |', undefined, '* a\n  * '],
    ['1. a\n2. |', '1. a\n  1. ', undefined],
    ['* |', undefined, undefined],
    ['a\n* |', undefined, undefined],
    ['* a\n* b|', undefined, undefined],
    ['* a\n|', undefined, undefined],
  ]
  for (const [marked, inwards, back] of all) {
    const caret = marked.indexOf('|')
    const text = marked.replace('|', '')
    for (const [isBack, to] of [[false, inwards], [true, back]] as const) {
      const change = indented(text, caret, isBack)
      assert.equal(change && text.slice(0, change.start) + change.text + text.slice(change.end), to, `${marked}, ${isBack}`)
    }
  }
})

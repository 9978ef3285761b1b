import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieOf, organizationsOf, subdomainOf, typedSubdomain, withOne } from './organizations'

test('organizations are kept with whatever names they have', () => {
  const all = [{ subdomain: '', name: 'Harbour; Works=1' }, { subdomain: 'mill', name: 'Mühle & Söhne' }]
  const value = cookieOf(all)
  assert.match(value, /^[\x21-\x7e]+$/)
  assert.doesNotMatch(value, /[;,"\\]/)
  assert.deepEqual(organizationsOf(`session=x; ${value}; other=y`), all)
  assert.deepEqual(withOne(all, { subdomain: '', name: 'Harbour' }).map(({ name }) => name), ['Harbour', 'Mühle & Söhne'])
  const many = Array.from({ length: 12 }, (_, i) => ({ subdomain: `o${i}`, name: 'x'.repeat(100) }))
  assert.equal(organizationsOf(cookieOf(many)).length, 9)
})

test('what another page wrote leads to no other host', () => {
  for (const evil of ['evil.test/=x', 'a@evil.test=x', '..=x', 'a.b=x', '-a=x', 'A=x', '%0a=x', 'a%2F=x', 'a=']) {
    assert.deepEqual(organizationsOf('organizations=' + evil), [], evil)
  }
  assert.deepEqual(organizationsOf(''), [])
})

test('addresses are read as people type them', () => {
  for (const typed of ['mill', ' Mill ', 'mill.chat.example', 'https://mill.chat.example:8443/#narrow/is/starred']) {
    assert.equal(typedSubdomain(typed, 'chat.example'), 'mill', typed)
  }
  assert.equal(typedSubdomain('https://chat.example/', 'chat.example'), '')
  for (const typed of ['', 'evil.test', 'mill.chat.example.evil.test', 'a.mill.chat.example', 'javascript:alert(1)', 'mill@evil.test']) {
    assert.equal(typedSubdomain(typed, 'chat.example'), undefined, typed)
  }
  assert.equal(subdomainOf('notchat.example', 'chat.example'), undefined)
})

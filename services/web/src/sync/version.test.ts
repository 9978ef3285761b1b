import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionOf, Versions } from './version'

const page = (hash: string) => `<script type="module" crossorigin src="/assets/index-${hash}.js"></script>`

/** A page of version a1, in a window that knows what it tried. */
function opened() {
  const browser = { there: page('a1'), tried: [] as readonly string[], reloads: 0, fails: false }
  const versions = new Versions({
    own: versionOf(page('a1')),
    fetch: () => (browser.fails ? Promise.reject(new TypeError('')) : Promise.resolve(browser.there)),
    tried: () => browser.tried,
    reload: (tried) => {
      browser.tried = tried
      browser.reloads++
    },
  })
  return { browser, versions }
}

test('another version is loaded once', async () => {
  const { browser, versions } = opened()
  await versions.check()
  versions.renew()
  assert.equal(browser.reloads, 0)
  browser.there = page('B_2-')
  await versions.check()
  assert.equal(versions.other.value, '/assets/index-B_2-.js')
  versions.renew()
  await versions.check() // the page came from a cache: it is still the old one
  versions.renew()
  assert.equal(browser.reloads, 1)
  browser.there = page('c3')
  await versions.lack()
  assert.equal(versions.lacking.value, true)
  versions.renew()
  assert.deepEqual([browser.reloads, browser.tried.length], [2, 2])
})

test('whatever else the server says is no version', async () => {
  const { browser, versions } = opened()
  for (const there of ['', '<h1>502</h1>', '<script src="https://evil.test/assets/index.js"></script>']) {
    browser.there = there
    await versions.lack()
    assert.deepEqual([versions.other.value, versions.lacking.value], ['', false])
  }
  browser.fails = true
  await versions.lack()
  versions.renew()
  assert.equal(browser.reloads, 0)
})

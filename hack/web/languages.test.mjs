// What people see whose language isn't English.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, enter, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

let server, browser

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
})

after(async () => {
  await browser.close()
  await server.stop()
})

test('whoever signs in is greeted in the language of the browser', async () => {
  const page = await visitor(browser, { locale: 'de-AT' })
  await page.goto(server.site)
  await page.getByRole('heading', { name: 'Anmelden bei Harbour Works' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  await accessible(page, 'german-sign-in')
  await page.getByLabel('E-Mail-Adresse').fill('nobody@harbour.example')
  await page.getByLabel('Passwort').fill('wrong')
  await enter(page, page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.'))
  await page.goto(server.site + '/reset/')
  await page.getByRole('heading', { name: 'Passwort zurücksetzen' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  await accessible(page, 'german-reset')
  wellBehaved(page)
  await page.context().close()
})

test('the language of the account changes the page, and leaves what was typed', async () => {
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: 'Said today' }) // the demo's may be of yesterday
  const page = await visitor(browser)
  await page.goto(server.link('Cleo Marin'))
  await page.getByRole('navigation').getByRole('link', { name: /^engineering/ }).click()
  await page.getByRole('navigation').getByRole('link', { name: /^crane 4/ }).click()
  await page.getByRole('textbox', { name: /^Message/ }).fill('half a sentence')
  await server.call('cleo', 'PATCH', '/settings/display', { default_language: 'de' })
  const field = page.getByRole('textbox', { name: /^Nachricht an/ })
  await field.waitFor()
  assert.equal(await field.inputValue(), 'half a sentence')
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  await page.getByRole('link', { name: 'Erwähnungen' }).waitFor()
  await page.getByText('Heute', { exact: true }).first().waitFor()
  await accessible(page, 'german')
  await page.getByRole('navigation').locator('kbd', { hasText: 'Strg K' }).waitFor()
  await page.locator('#messages').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Tastenkürzel' }).locator('kbd', { hasText: 'Pos1' }).waitFor() // as it is written on the keyboard
  await page.keyboard.press('Escape')
  const ada = await visitor(browser)
  await ada.goto(server.link('Ada Berg'))
  await ada.getByRole('article').first().waitFor()
  await ada.evaluate(() => (location.hash = '#settings/display'))
  assert.equal(await ada.getByRole('radio', { name: '5:00 PM' }).isChecked(), true)
  await ada.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await ada.getByRole('combobox', { name: 'Sprache' }).waitFor()
  await until(() => ada.getByRole('radio', { name: '17:00' }).isChecked(), 'times are as usual in German')
  await ada.evaluate(() => (location.hash = '#organization/rules'))
  const calls = ada.getByLabel('Videoanrufe')
  await calls.waitFor()
  assert.ok((await calls.locator('option').allTextContents()).includes('Keine'))
  await ada.context().close()
  const asked = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  await page.getByRole('textbox', { name: /^Nachricht an/ }).waitFor()
  assert.equal(asked.filter((url) => /assets\/en-/.test(url)).length, 0, 'English was loaded')
  wellBehaved(page)
  await page.context().close()
})

/** Returns what is beyond the sides of the screen. */
function beyond(page) {
  return page.evaluate(() => [
    ...(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []),
    ...[...document.querySelectorAll('#app *')].filter((e) => {
      const { left, right, width, height } = e.getBoundingClientRect()
      // What scrolls or is cut off in a box of its own may be wider, and what only screen readers read is nowhere.
      const cut = e.parentElement.closest('.hidden, .skip, pre, .toolbar, [class*=name], h1, h2, .place') !== null || e.matches('.hidden, .skip')
      return width > 0 && height > 0 && !cut && (left < -1 || right > innerWidth + 1)
    }).map((e) => e.outerHTML.slice(0, 100)),
  ])
}

test('where lines begin at the right, the page does as well', async () => {
  const topic = 'תורן ה־crane'
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic, content: 'שלום crane 4!\n\n* אחת\n\n```\nlet a = 1\n```\n> כן' })
  const page = await visitor(browser)
  await page.goto(server.link('Dario Fuchs'))
  const mirror = (dir) => page.evaluate((to) => (document.documentElement.dir = to), dir)
  const box = (locator) => until(() => locator.first().boundingBox(), 'a place') // pictures of senders come later, in place of others
  await page.getByRole('navigation').getByRole('link', { name: /^engineering/ }).click()
  await page.getByRole('navigation').getByRole('link', { name: topic }).click()
  const message = page.getByRole('article').filter({ hasText: 'שלום' })
  await message.waitFor()
  const places = async () => ({ side: await box(page.locator('#sidebar')), picture: await box(message.locator('.avatar')), send: await box(page.getByRole('button', { name: 'Send', exact: true })) })
  const before = await places()
  await mirror('rtl')
  const after = await places()
  for (const [name, { x, width }] of Object.entries(after)) {
    assert.ok(Math.abs(1200 - x - width - before[name].x) < 2, `${name} is at ${x} after ${before[name].x}`)
  }
  const directions = await message.evaluate((row) => ['p', 'pre', 'blockquote'].map((name) => getComputedStyle(row.querySelector(`.content ${name}`)).direction))
  assert.deepEqual(directions, ['rtl', 'ltr', 'rtl'])
  assert.equal(await page.locator('.topics [aria-current] bdi').evaluate((one) => getComputedStyle(one).direction), 'rtl')
  await accessible(page, 'right-to-left')
  await mirror('ltr')
  assert.equal(await message.locator('.content p').first().evaluate((one) => getComputedStyle(one).direction), 'rtl', 'a Hebrew message on an English page')
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic, content: 'Deploy:\n\nשלום.\n\n* אחת\n\n> כן' })
  const mixed = page.getByRole('article').filter({ hasText: 'Deploy' })
  await mixed.waitFor()
  const each = await mixed.evaluate((row) => [...row.querySelectorAll('.content > *')].map((one) => getComputedStyle(one).direction))
  assert.deepEqual(each, ['ltr', 'rtl', 'rtl', 'rtl'])
  await mirror('rtl')
  await page.setViewportSize({ width: 390, height: 800 })
  assert.deepEqual(await beyond(page), [])
  await accessible(page, 'right-to-left-phone')
  await page.locator('#messages').focus()
  await page.keyboard.press('c')
  const arrow = await page.getByRole('combobox', { name: 'Stream' }).evaluate((select) => getComputedStyle(select).backgroundPositionX.split(', ').map(parseFloat))
  assert.ok(arrow.every((x) => x < 32), `the arrow of a list is at ${arrow}`) // in the room that its end has
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Mentions' }).waitFor()
  assert.deepEqual(await beyond(page), [])
  await accessible(page, 'right-to-left-phone-menu')
  await page.getByRole('button', { name: 'Close' }).click()
  wellBehaved(page)
  await page.context().close()
})

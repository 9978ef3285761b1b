// What people see whose language isn't English.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server } from './server.mjs'

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
  wellBehaved(page)
  await page.context().close()
})

test('the language of the account changes the page, and leaves what was typed', async () => {
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
  await page.getByRole('button', { name: 'Abmelden' }).waitFor()
  await page.getByText('Heute', { exact: true }).first().waitFor()
  await accessible(page, 'german')
  const asked = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  await page.getByRole('textbox', { name: /^Nachricht an/ }).waitFor()
  assert.equal(asked.filter((url) => /assets\/en-/.test(url)).length, 0, 'English was loaded')
  wellBehaved(page)
  await page.context().close()
})

// What people do with messages, topics and streams.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

let server, browser, cleo, dario

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  cleo = await visitor(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await cleo.goto(server.link('Cleo Marin'))
  dario = await visitor(browser)
  await dario.goto(server.link('Dario Fuchs'))
  for (const page of [cleo, dario]) await page.getByRole('article').first().waitFor()
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** The messages on screen that have a text. */
function messages(page, text) {
  return page.getByRole('article').filter({ hasText: text })
}

/** Opens a topic by its address. */
async function open(page, stream, topic) {
  const { stream_id: id } = await server.call('cleo', 'GET', '/get_stream_id', { stream })
  await page.evaluate((to) => (location.hash = to), `#narrow/stream/${id}/topic/${encodeURIComponent(topic).replaceAll('.', '%2E').replaceAll('%', '.')}`)
  await page.getByRole('heading', { name: `#${stream} › ${topic}`, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
}

/** Sends a message as somebody, by the interface, and returns its ID. */
async function say(name, stream, topic, content) {
  return (await server.call(name, 'POST', '/messages', { type: 'stream', to: stream, topic, content })).id
}

/** Opens the menu of a message and chooses from it. */
async function choose(page, message, entry) {
  await message.hover()
  await message.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('a message is quoted and linked to by its menu', async () => {
  await say('dario', 'general', 'menus', 'The ``` tide is high')
  await open(cleo, 'general', 'menus')
  await open(dario, 'general', 'menus')
  const row = messages(cleo, 'The ``` tide')
  await row.hover()
  const more = row.getByRole('button', { name: 'More' })
  await more.focus()
  await cleo.keyboard.press('ArrowDown')
  const menu = cleo.getByRole('menu', { name: 'More' })
  await menu.waitFor()
  await accessible(cleo, 'message-menu')
  const focused = () => cleo.evaluate(() => document.activeElement.textContent)
  const first = await focused()
  await cleo.keyboard.press('ArrowDown')
  assert.notEqual(await focused(), first)
  await cleo.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  assert.equal(await more.evaluate((button) => button === document.activeElement), true)
  await more.click()
  await menu.waitFor()
  await more.click()
  await menu.waitFor({ state: 'detached' })
  await choose(cleo, row, 'Quote')
  await cleo.getByRole('textbox', { name: /^Message/ }).press('Control+Enter')
  await messages(dario, 'Dario Fuchs said').locator('blockquote', { hasText: 'The ``` tide is high' }).waitFor()
  await choose(cleo, row.first(), 'Copy the link')
  await cleo.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
  const link = await cleo.evaluate(() => navigator.clipboard.readText())
  await dario.goto(link)
  await dario.locator('.selected', { hasText: 'The ``` tide is high' }).waitFor()
  wellBehaved(cleo)
  wellBehaved(dario)
})

// What people set: the shell of settings, their own account, and what they see of others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const everything = 'All messages'
let server, browser, cleo

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  cleo = await visitor(browser)
  await cleo.goto(server.link('Cleo Marin'))
  await cleo.getByRole('heading', { name: everything, level: 1 }).waitFor()
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** Opens a page of one's own settings. */
async function openPage(page, title) {
  await page.evaluate(() => (location.hash = '#settings'))
  await page.getByRole('navigation', { name: 'Pages of settings' }).getByRole('link', { name: title }).click()
  await page.getByRole('heading', { name: title, level: 2 }).waitFor()
}

/** The field with a label, and what is said below it. */
function said(page, field) {
  return page.locator('.field', { has: page.getByLabel(field, { exact: true }) }).locator('.field-said')
}

test('settings are opened from the menu and by keys, and left for where one was', async () => {
  await cleo.getByRole('navigation').getByRole('link', { name: /^kitchen/ }).click()
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.getByRole('textbox', { name: /^Message/ }).or(cleo.getByRole('article').first()).first().waitFor()
  await cleo.locator('body').press('g')
  const menu = cleo.getByRole('menu', { name: /^Harbour Works/ })
  await menu.waitFor()
  await accessible(cleo, 'menu')
  await cleo.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.getByRole('button', { name: /^Harbour Works/ }).click()
  await cleo.keyboard.press('ArrowDown')
  await cleo.keyboard.press('Home')
  await until(() => cleo.evaluate(() => document.activeElement.textContent === 'Settings'), 'the first item has the focus')
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await until(() => cleo.evaluate(() => document.activeElement.id === 'settings'), 'the page has the focus')
  await cleo.keyboard.press('Escape')
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.goto(server.site + '/#settings/nowhere')
  await cleo.getByText('There is no such page').waitFor()
  await cleo.getByRole('button', { name: 'Back to messages' }).click()
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  wellBehaved(cleo)
})

test('a choice is saved at once, here and in other windows', async () => {
  await openPage(cleo, 'Display')
  const other = await cleo.context().newPage()
  await other.goto(server.site + '/#settings/display')
  await cleo.getByRole('radio', { name: 'Dark' }).check()
  await cleo.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await until(() => other.getByRole('radio', { name: 'Dark' }).isChecked(), 'the other window shows it')
  for (const page of [cleo, other]) {
    await until(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'dark'), 'the page is dark')
  }
  await accessible(cleo, 'settings-display-dark')
  await cleo.getByRole('radio', { name: 'Light' }).check()
  await until(() => other.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'light'), 'the page is light')
  await accessible(cleo, 'settings-display')
  await other.close()
  wellBehaved(cleo)
})

test('what the server refuses is said beside its field, and the choice is as before', async () => {
  await openPage(cleo, 'Display')
  await cleo.route('**/settings/display', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not today.', code: 'BAD_REQUEST' } }))
  const wide = cleo.getByRole('switch', { name: 'Messages as wide as the window' })
  await wide.click()
  await said(cleo, 'Messages as wide as the window').getByRole('alert').filter({ hasText: 'Not today.' }).waitFor()
  assert.equal(await wide.isChecked(), false)
  await cleo.unroute('**/settings/display')
  await wide.click()
  await said(cleo, 'Messages as wide as the window').getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  assert.equal(await said(cleo, 'Messages as wide as the window').locator('.problem').textContent(), '')
  wellBehaved(cleo)
})

test('a phone shows the list of pages, then a page', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, storageState: await cleo.context().storageState(), hasTouch: true })
  await phone.goto(server.site + '/#settings')
  const list = phone.getByRole('navigation', { name: 'Pages of settings' })
  await list.waitFor()
  await accessible(phone, 'settings-phone-list')
  await list.getByRole('link', { name: 'Display' }).click()
  await phone.getByRole('heading', { name: 'Display', level: 2 }).waitFor()
  await list.waitFor({ state: 'hidden' })
  await accessible(phone, 'settings-phone')
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  await phone.getByRole('link', { name: '‹ Settings' }).click()
  await list.waitFor()
  wellBehaved(phone)
  await phone.close()
})

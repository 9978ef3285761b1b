// What administrators do with the organization, and what members see of that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const password = 'seven cranes over the harbour'
/** A picture of a single point. */
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const hostile = '<img src=x onerror=violated(1)>'
let server, browser, ada, cleo

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  await server.call('ada', 'DELETE', '/users/me/subscriptions', { subscriptions: ['board'] })
  ada = await signedIn('Ada Berg')
  cleo = await signedIn('Cleo Marin')
})

after(async () => {
  await browser.close()
  await server.stop()
})

async function signedIn(name) {
  const page = await visitor(browser)
  await page.goto(server.link(name))
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  return page
}

/** Opens a page of the organization. */
async function open(page, path, title) {
  await page.evaluate((to) => (location.hash = '#organization/' + to), path)
  await page.getByRole('heading', { name: title, level: 2, exact: true }).waitFor()
}

/** The pages of the organization that somebody is offered. */
async function offered(page) {
  await page.evaluate(() => (location.hash = '#organization'))
  const list = page.getByRole('navigation', { name: 'Pages of settings' })
  await list.waitFor()
  return list.getByRole('link').allTextContents()
}

/** Answers a question. */
function answer(page, what) {
  return page.getByRole('alertdialog').getByRole('button', { name: what, exact: true }).click()
}

/** What is said to be wrong with a field. */
function wrong(page, label) {
  return page.locator('.field', { has: page.getByLabel(label, { exact: true }) }).locator('.problem')
}

/** Closes the dialog on top. */
async function close(page) {
  const dialogs = page.locator('dialog[open]')
  const before = await dialogs.count()
  await page.keyboard.press('Escape')
  await until(async () => (await dialogs.count()) < before, 'a dialog is closed')
}

test('every page of the organization can be used by everybody', async () => {
  const pages = {
    general: 'Name and pictures',
    rules: 'Rules',
    exports: 'Archives',
    people: 'Accounts',
    invitations: 'Invitations',
    groups: 'Groups',
    fields: 'Profile questions',
    streams: 'Streams',
    defaults: 'Streams of newcomers',
    emoji: 'Emoji',
    linkifiers: 'Automatic links',
    bots: 'Bots',
    integrations: 'Integrations',
  }
  assert.deepEqual(await offered(ada), Object.values(pages))
  for (const [path, title] of Object.entries(pages)) {
    await open(ada, path, title)
    await ada.locator('.settings-page').getByRole('button').or(ada.locator('.settings-page select')).first().waitFor()
    await accessible(ada, `organization-${path}`)
  }
  wellBehaved(ada)
})

test('members see what they may do, and nothing else', async () => {
  const own = ['Invitations', 'Groups', 'Emoji', 'Bots', 'Integrations']
  assert.deepEqual(await offered(cleo), own)
  await cleo.evaluate(() => (location.hash = '#organization/rules'))
  await cleo.getByText('There is no such page').waitFor()
  await open(cleo, 'invitations', 'Invitations')
  const roles = await cleo.getByLabel('They join as').getByRole('option').allTextContents()
  assert.deepEqual(roles, ['Member', 'Guest'])
  assert.equal(await cleo.getByRole('button', { name: 'Make a link' }).count(), 0)
  await open(cleo, 'bots', 'Bots')
  await cleo.getByRole('table', { name: 'Bots' }).getByRole('button', { name: 'Harbour Helper' }).waitFor()
  assert.equal(await cleo.getByRole('button', { name: 'Pier Watch' }).count(), 0) // Dario's
  await open(ada, 'rules', 'Rules')
  await ada.getByLabel('Who invites').selectOption('Administrators')
  await ada.getByLabel('Who makes bots').selectOption('Administrators')
  await ada.getByLabel('Who adds emoji').selectOption('Administrators')
  await until(async () => (await offered(cleo)).join() === 'Groups,Bots', 'the pages are gone')
  await open(cleo, 'bots', 'Bots')
  assert.equal(await cleo.getByRole('button', { name: 'Add a bot' }).count(), 0)
  await ada.getByLabel('Who invites').selectOption('All members')
  await ada.getByLabel('Who makes bots').selectOption('All members')
  await ada.getByLabel('Who adds emoji').selectOption('All members')
  await until(async () => (await offered(cleo)).length === own.length, 'the pages are back')
  wellBehaved(cleo)
})

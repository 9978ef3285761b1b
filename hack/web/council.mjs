// Ada, who owns the demo organization, and Cleo, each at a browser of their own, and what is done in the settings of the organization.
import { after, before } from 'node:test'
import { launch, signedIn } from './browser.mjs'
import { Server, until } from './server.mjs'

/** The server, the browser, and the pages of Ada and Cleo. */
export let server, browser, ada, cleo

/** Has the server and both pages be there for the tests of a file. */
export function council() {
  before(async () => {
    server = await new Server().prepare()
    await server.start()
    browser = await launch()
    ada = await signedIn(browser, server, 'Ada Berg')
    cleo = await signedIn(browser, server, 'Cleo Marin')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })
}

/** A picture of a single point. */
export const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

/** Opens a page of the organization. */
export async function open(page, path, title) {
  await page.evaluate((to) => (location.hash = '#organization/' + to), path)
  await page.getByRole('heading', { name: title, level: 2, exact: true }).waitFor()
}

/** Answers a question. */
export function answer(page, what) {
  return page.getByRole('alertdialog').getByRole('button', { name: what, exact: true }).click()
}

/** What is said to be wrong with a field. */
export function wrong(page, label) {
  const whole = page.page?.() ?? page // page may be a part of it
  return page.locator('.field', { has: whole.locator('input, textarea, select').and(whole.getByLabel(label, { exact: true })) }).locator('.problem')
}

/** Closes the dialog on top. */
export async function close(page) {
  const dialogs = page.locator('dialog[open]')
  const before = await dialogs.count()
  await page.keyboard.press('Escape')
  await until(async () => (await dialogs.count()) < before, 'a dialog is closed')
}

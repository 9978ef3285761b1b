// The browser that tests look at pages with, and what no page may do meanwhile.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach } from 'node:test'
import { until } from './server.mjs'

const require = createRequire(new URL('../../.local/web/', import.meta.url))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** The pages that are open, which a test that fails describes. */
const pages = new Set()

afterEach(async (t) => {
  if (t.passed) return
  for (const page of pages) {
    const says = await page.getByRole('main').first().innerText({ timeout: 1000 }).catch(String)
    const calls = [...page.calls.values()].map((call) => `\n  ${call}`).join('')
    console.log(`${t.name}: ${page.url()} had${calls}\n  ${page.wrong.join('\n  ')}\nand says\n${says.slice(0, 1000)}`)
  }
})

/** Starts the browser, with further arguments. Whoever runs as root can have no sandbox. */
export function launch(...args) {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), ...args] })
}

/**
 * A page of its own, as of another person's computer, without the service worker unless options say so. What the page's policy stops,
 * and what fails in it, is counted.
 */
export async function visitor(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, serviceWorkers: 'block', ...options })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.wrong = []
  page.calls = new Map() // those under way, and those that went wrong
  page.on('request', (request) => page.calls.set(request, `${request.method()} ${request.url()}`))
  page.on('requestfailed', (request) => page.calls.set(request, `${request.method()} ${request.url()}: ${request.failure()?.errorText}`))
  page.on('requestfinished', async (request) => {
    const status = (await request.response().catch(() => null))?.status() ?? 0 // the page may be closed by now
    if (status < 400) page.calls.delete(request)
    else page.calls.set(request, `${request.method()} ${request.url()}: ${status}`)
  })
  pages.add(page)
  page.on('close', () => pages.delete(page))
  page.on('pageerror', (error) => page.wrong.push(String(error.stack)))
  page.on('dialog', (dialog) => {
    page.wrong.push(`${dialog.type()} ${dialog.message()}`) // the client asks by itself
    void dialog.dismiss()
  })
  await context.exposeFunction('violated', (what) => page.wrong.push(`the policy stopped ${what}`))
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (e) => globalThis.violated(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`))
  })
  return page
}

/** A page of somebody who is signed in, by the link that the server printed, and sees all messages. */
export async function signedIn(browser, server, name, options) {
  const page = await visitor(browser, options)
  await page.goto(server.link(name))
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  return page
}

/** Sends a form with a password by Enter until something is on the page: on a busy machine the server may ask to try again after 20 s. */
export async function enter(page, wanted) {
  await until(async () => {
    await page.keyboard.press('Enter')
    return wanted.waitFor({ timeout: 25_000 }).then(() => true, () => false)
  }, 'the form is answered', 120)
}

/** Fails if something went wrong on a page since it was opened. */
export function wellBehaved(page) {
  assert.deepEqual(page.wrong, [])
}

/** Fails if axe finds something on a page as it is now. It is run by the browser, which no policy stops. */
export async function accessible(page, screen) {
  const session = await page.context().newCDPSession(page)
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails))
    return result.value
  }
  await evaluate(axe)
  const found = await evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.help, v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary)])))`)
  // What is half under a heading while the list is scrolled is large enough.
  const wrong = JSON.parse(found).filter(([id, , nodes]) => id !== 'target-size' || nodes.some((node) => !node.includes('partially obscured')))
  assert.deepEqual(wrong, [], screen)
  await session.detach()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${screen}.png` })
}

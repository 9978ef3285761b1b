// What happens to a page when the server has another version of it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const dist = new URL('../../services/web/dist/', import.meta.url).pathname
const [, first] = /assets\/index-([\w-]+)\.js/.exec(readFileSync(dist + 'index.html', 'utf8'))
let server, browser

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Has a page get another build than the server's: the same with another first script. Each file has the name of its build only. */
async function build(page, name) {
  const of = (path) => readFileSync(dist + path, 'utf8').replaceAll(`index-${first}.js`, `index-${name}.js`)
  await page.unroute('**/*')
  await page.route(server.site + '/', (route) => route.fulfill({ contentType: 'text/html', body: of('index.html') }))
  await page.route(`**/assets/index-${first}.js`, (route) => route.fulfill({ status: 404 }))
  for (const file of readdirSync(dist + 'assets').filter((file) => file.endsWith('.js'))) {
    const own = file === `index-${first}.js` ? `index-${name}.js` : file
    await page.route('**/assets/' + own, (route) => route.fulfill({ contentType: 'text/javascript', body: of('assets/' + file) }))
  }
}

/** Which build a page runs. */
function running(page) {
  return page.evaluate(() => /index-([\w-]+)\.js/.exec(document.head.innerHTML)[1])
}

/** Opens a page of its own without a worker, which would ask by itself, and counts how often it is loaded. */
async function open(name) {
  const page = await visitor(browser, { serviceWorkers: 'block' })
  page.loads = 0
  page.on('domcontentloaded', () => page.loads++)
  await page.goto(server.link(name))
  await page.getByRole('article').first().waitFor()
  page.loads = 0
  return page
}

async function restart() {
  await server.stop()
  await server.start()
}

const bar = (page) => page.getByRole('status').filter({ hasText: 'another version' })

test('another version is loaded when nobody looks, once nothing is on its way, and what was typed stays', async () => {
  const page = await open('Cleo Marin')
  await page.getByRole('navigation').getByRole('link', { name: /^engineering/ }).click()
  await page.getByRole('navigation').getByRole('link', { name: /^crane 4/ }).click()
  const field = page.getByRole('textbox', { name: /^Message/ })
  await field.fill('Half a sentence ')
  let release
  await build(page, 'second')
  await page.route('**/user_uploads', async (route) => {
    await new Promise((resolve) => (release = resolve))
    await route.continue()
  })
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chosen).setFiles([{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('plan') }])
  await until(() => release !== undefined, 'a file is on its way')
  await restart()
  await bar(page).waitFor()
  await accessible(page, 'another-version')
  const [said, header] = await Promise.all([bar(page), page.getByRole('main').locator('header')].map((one) => one.boundingBox()))
  assert.ok(said.y + said.height <= header.y, 'it covers what is in the header')
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true }))
  await page.waitForTimeout(2_500) // it is looked every second
  assert.equal(page.loads, 0, 'the page was loaded again while a file was on its way')
  release()
  await until(async () => page.loads === 1 && (await running(page)) === 'second', 'the other version is there')
  await field.waitFor()
  await until(async () => /^Half a sentence .*plan\.txt/.test(await field.inputValue()), 'what was typed is there, with the file')
  wellBehaved(page)
  await page.context().close()
})

test('another version waits while a field of settings is half filled in, and not for what is saved there', async () => {
  const page = await open('Ada Berg')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await page.evaluate(() => (location.hash = '#organization/general'))
  await name.waitFor() // its script is there by now
  await page.evaluate(() => (location.hash = '#organization/linkifiers'))
  const pattern = page.getByLabel('Pattern', { exact: true })
  await pattern.fill('CRANE-')
  await build(page, 'waited')
  await restart()
  await bar(page).waitFor()
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => !globalThis.isBack }))
  await page.waitForTimeout(2_500) // it is looked every second
  assert.equal(page.loads, 0, 'the page was loaded again while a form was half filled in')
  await page.evaluate(() => {
    globalThis.isBack = true
    location.hash = '#organization/general'
  })
  await name.fill('Harbour')
  await page.evaluate(() => (globalThis.isBack = false))
  await page.waitForTimeout(2_500)
  assert.equal(page.loads, 0, 'the page was loaded again while a name was half typed')
  await name.fill('Harbour Works') // as it is
  await until(async () => page.loads === 1 && (await running(page)) === 'waited', 'the other version is there')
  wellBehaved(page)
  await page.context().close()
})

test('a version that doesn’t come is asked for once', async () => {
  const page = await open('Dario Fuchs')
  const stale = await page.evaluate(() => fetch('/').then((r) => r.text()))
  await page.route(server.site + '/', (route) =>
    route.fulfill({ contentType: 'text/html', body: route.request().isNavigationRequest() ? stale : stale.replace(first, 'third') }),
  )
  await restart()
  await bar(page).getByRole('button', { name: 'Load it' }).click()
  await until(() => page.loads === 1, 'the page is loaded again')
  await page.getByRole('article').first().waitFor()
  const asked = page.waitForResponse((r) => r.url() === server.site + '/' && !r.request().isNavigationRequest())
  await restart()
  await asked
  await page.getByText('No connection').waitFor({ state: 'hidden' })
  assert.equal(await bar(page).count(), 0)
  assert.equal(page.loads, 1)
  wellBehaved(page)
  await page.context().close()
})

test('a part that is gone after an update leads to the version that is there', async () => {
  const page = await open('Ada Berg')
  await build(page, 'fourth')
  await page.route(/assets\/screen-[\w-]+\.js/, (route) => (page.loads === 0 ? route.fulfill({ status: 404 }) : route.fallback()))
  await page.evaluate(() => (location.hash = '#settings'))
  await until(async () => page.loads === 1 && (await running(page)) === 'fourth', 'the other version is there')
  await page.getByRole('heading', { name: 'Settings' }).first().waitFor()
  await page.context().close()
})

test('what typesets formulas is loaded once the server is back, where it couldn’t be before', async () => {
  const content = 'Mind $$x^2$$ here'
  await server.call('ada', 'POST', '/messages', { type: 'stream', to: 'announcements', topic: 'formulas', content })
  const page = await visitor(browser)
  await page.route('**/assets/math-*', (route) => route.abort())
  await page.goto(server.link('Cleo Marin'))
  const message = page.getByRole('article').filter({ hasText: 'Mind' })
  await message.locator('code.math').waitFor()
  await until(() => [...page.calls.values()].some((call) => /assets.math.*ERR_FAILED/.test(call)), 'it couldn’t be loaded')
  await page.unroute('**/assets/math-*')
  await restart()
  await message.locator('math msup').waitFor()
  wellBehaved(page)
  await page.context().close()
})

// The page without a network, and what comes while nobody looks at it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

let server, browser, page

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  page = await visitor(browser, { serviceWorkers: 'allow', permissions: ['notifications'] })
  await page.goto(server.link('Cleo Marin'))
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
})

after(async () => {
  await browser.close()
  await server.stop()
})

test('the page can be installed', async () => {
  const session = await page.context().newCDPSession(page)
  const { manifest, errors } = await session.send('Page.getAppManifest')
  assert.deepEqual(errors, [])
  assert.equal(manifest.startUrl, server.site + '/')
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'), [])
  await session.detach()
})

test('without a server the page opens, says so, and comes back', async () => {
  await page.evaluate(() => navigator.serviceWorker.ready)
  await until(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker works for the page')
  await server.stop()
  await page.reload()
  await page.getByRole('status').filter({ hasText: 'The server can’t be reached' }).waitFor()
  await server.start()
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor({ timeout: 60_000 })
  wellBehaved(page)
})

// Between the browser and the server: signing in, opening the page, and what is done without a connection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, enter, visitor, wellBehaved } from './browser.mjs'
import { another, browser, cleo, dario, entry, everything, fieldOf, harbour, messages, open, say, send, server, there } from './harbour.mjs'
import { until } from './server.mjs'

const password = 'seven cranes over the harbour'

harbour(() => server.call('ada', 'POST', '/users', { email: 'nell@harbour.example', full_name: 'Nell Quay', password }))

test('sign in with a password, and out again', async () => {
  const page = await visitor(browser)
  await page.goto(server.site)
  await page.getByRole('heading', { name: 'Sign in to Harbour Works' }).waitFor()
  await accessible(page, 'sign-in')
  await page.getByLabel('Email address').fill('nell@harbour.example')
  await page.getByLabel('Password').fill('wrong')
  await enter(page, page.getByRole('alert').filter({ hasText: /incorrect/i }))
  assert.equal(await page.getByLabel('Email address').inputValue(), 'nell@harbour.example')
  await page.getByLabel('Password').fill(password)
  await enter(page, page.getByRole('heading', { name: everything, level: 1 }))
  await page.reload()
  await page.getByRole('heading', { name: everything, level: 1 }).waitFor()
  await page.getByRole('button', { name: /^Harbour Works/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Harbour Works' }).waitFor()
  wellBehaved(page)
  await page.context().close()
})

test('whoever is to sign in on a bad line can do so once the server is reached', async () => {
  const page = await visitor(browser)
  await page.route('**/api/v1/server_settings*', (route) => route.abort())
  await page.goto(server.site)
  await page.getByRole('heading', { name: 'The server can’t be reached.' }).waitFor()
  await page.unroute('**/api/v1/server_settings*')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  wellBehaved(page)
  await page.context().close()
})

test('whoever signs in at a busy server is asked to wait, and then signed in', async () => {
  const page = await visitor(browser)
  let tries = 0
  await page.route('**/api/v1/sessions', (route) => (++tries > 2 ? route.continue() : route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { result: 'error', msg: 'Too many people are signing in.', code: 'SERVICE_UNAVAILABLE' } })))
  await page.goto(server.site)
  await page.getByLabel('Email address').fill('nell@harbour.example')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: 'The server is busy. Trying again…' }).waitFor()
  await accessible(page, 'sign-in-busy')
  await enter(page, page.getByRole('heading', { name: everything, level: 1 }))
  assert.ok(tries > 2)
  wellBehaved(page)
  await page.context().close()
})

test('windows of a browser are all those of the account that was signed in to last', async () => {
  const page = await visitor(browser)
  await server.call('ada', 'POST', '/users', { email: 'wren@harbour.example', full_name: 'Wren Quay', password })
  // A busy server may ask to try again.
  const signIn = (from, username) => until(() => from.evaluate((typed) => fetch('/api/v1/sessions', { method: 'POST', body: new URLSearchParams(typed) }).then((r) => r.ok), { username, password }), 'the password is taken')
  await page.goto(server.site)
  await signIn(page, 'wren@harbour.example')
  await page.reload()
  const field = fieldOf(page)
  await page.getByRole('button', { name: 'New private message' }).click()
  await field.fill('Wren began this')
  const other = await page.context().newPage()
  await other.goto(server.site)
  await entry(other, everything).waitFor()
  await signIn(other, 'nell@harbour.example')
  await other.reload()
  const menu = page.getByRole('button', { name: /^Harbour Works/ })
  await menu.filter({ hasText: 'Nell Quay' }).waitFor()
  await page.getByRole('button', { name: 'New private message' }).click()
  assert.equal(await field.inputValue(), '')
  await signIn(other, 'wren@harbour.example') // which no window says to the others before it has done something
  await page.keyboard.press('Escape')
  await page.locator('#messages').focus()
  await page.keyboard.press('k')
  await page.keyboard.press('r')
  await send(page, 'Nell sent this')
  await menu.filter({ hasText: 'Wren Quay' }).waitFor()
  await messages(page, 'Welcome').first().waitFor()
  assert.equal(await messages(page, 'Nell sent this').count(), 0)
  await other.close() // which shows Nell's message if it is hers before the other window is
  await signIn(page, 'nell@harbour.example')
  await page.reload()
  await messages(page, 'Nell sent this').getByRole('button', { name: 'Try again' }).waitFor() // nothing is lost
  wellBehaved(page)
  await page.context().close()
})

test('a link that was printed signs in once', async () => {
  const again = await visitor(browser)
  const answer = await again.goto(server.link('Cleo Marin'))
  assert.equal(answer.status(), 404)
  await again.context().close()
  await messages(dario, 'Today:').waitFor()
  await accessible(cleo, 'everything')
})

test('what the first screen needs is small', async () => {
  const page = await another()
  const loaded = []
  page.on('requestfinished', (request) => ['script', 'stylesheet'].includes(request.resourceType()) && loaded.push(request))
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  const sizes = await Promise.all(loaded.map(async (request) => (await request.sizes()).responseBodySize))
  const sum = sizes.reduce((a, b) => a + b, 0)
  assert.ok(loaded.length > 1 && sum > 10_000 && sum <= 180 * 1024, `${loaded.length} files of script and style have ${sum} bytes, compressed`)
  await page.context().close()
})

test('the first messages are asked for early, once, and are never older than the events', async () => {
  const page = await another()
  let asked = []
  page.on('request', (request) => request.url().includes('/api/v1/messages?') && asked.push(request))
  for (const place of ['', '#narrow/is/starred', '#narrow/has/link', '#narrow/is/mentioned/near/1']) {
    asked = []
    await page.goto('about:blank')
    await page.goto(`${server.site}/${place}`)
    await page.locator('.feed-rows[aria-busy=false]').waitFor()
    assert.equal(asked.length, 1, place)
  }
  await page.goto('about:blank')
  await page.addInitScript(() => { // the answer's text is only read once the page says so
    const { text } = Response.prototype
    Response.prototype.text = async function () {
      if (this.url.endsWith('/register')) await new Promise((resolve) => (globalThis.read = resolve))
      return text.call(this)
    }
  })
  asked = []
  const boil = (content) => server.call('dario', 'POST', '/messages', { type: 'stream', to: 'general', topic: 'kettle', content })
  await boil('The kettle is filled')
  const { stream_id: general } = await server.call('dario', 'GET', '/get_stream_id', { stream: 'general' })
  const topic = `#narrow/stream/${general}-general/topic/kettle`
  await page.goto(`${server.site}/${topic}`)
  await until(() => page.evaluate(() => globalThis.read !== undefined), 'the registration is answered')
  await until(async () => (await asked[0]?.response())?.ok(), 'the messages are answered')
  await page.evaluate(() => (location.hash = '#narrow/is/starred')) // nobody takes what came early
  await page.evaluate(() => globalThis.read())
  await page.getByRole('heading', { name: 'Starred', level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
  const sidebar = () => page.locator('#sidebar').innerText()
  const before = await sidebar()
  await boil('The kettle is on')
  await until(async () => (await sidebar()) !== before, 'it is counted')
  await page.evaluate((hash) => (location.hash = hash), topic)
  await messages(page, 'The kettle is on').waitFor()
  wellBehaved(page)
  await page.context().close()
})

test('a device without a network says so at once, and follows again when it has one', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await open(dario, 'engineering', 'crane 4')
  await cleo.context().setOffline(true)
  await cleo.getByText('No connection').waitFor({ timeout: 10_000 }) // and not once the stream was silent for longer than a server is
  const row = cleo.getByRole('article').last()
  await row.hover()
  await row.getByRole('button', { name: 'Star', exact: true }).click()
  const refused = cleo.getByRole('alert').filter({ hasText: 'The server can’t be reached.' })
  await refused.waitFor()
  await send(dario, 'While you were in the tunnel')
  await cleo.context().setOffline(false)
  await messages(cleo, 'in the tunnel').waitFor()
  await cleo.getByText('No connection').waitFor({ state: 'hidden' })
  await refused.waitFor({ state: 'hidden' })
  wellBehaved(cleo)
})

test('what is written in a stream is seen there before the server has it, and elsewhere one is led to what was refused', async () => {
  await entry(cleo, 'engineering').click()
  await there(cleo, '#engineering')
  const reply = async (text) => {
    const row = cleo.locator('[data-message]').last()
    await row.hover()
    await row.getByRole('button', { name: 'Reply' }).click()
    await send(cleo, text)
  }
  await cleo.context().setOffline(true)
  await cleo.getByText('No connection').waitFor() // which moves the rows, also from under the pointer
  await reply('Written in the tunnel')
  await messages(cleo, 'Written in the tunnel').getByText('Not sent yet').waitFor()
  await cleo.context().setOffline(false)
  await cleo.locator('[data-message]').filter({ hasText: 'Written in the tunnel' }).waitFor()

  await cleo.route('**/api/v1/messages', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not now.', code: 'BAD_REQUEST' } }))
  await reply('Of no use')
  await messages(cleo, 'Of no use').getByText('Not sent. Not now.').waitFor()
  await cleo.unroute('**/api/v1/messages')
  const unsent = cleo.getByRole('status').filter({ hasText: 'Not sent:' })
  assert.equal(await unsent.count(), 0)
  await entry(cleo, 'kitchen').click()
  await accessible(cleo, 'unsent')
  await unsent.getByRole('link', { name: '#engineering › ' }).click()
  await messages(cleo, 'Of no use').getByRole('button', { name: 'Edit', exact: true }).click()
  await messages(cleo, 'Of no use').waitFor({ state: 'detached' })
  const field = fieldOf(cleo)
  await until(() => field.evaluate((f) => f === document.activeElement && f.value === 'Of no use'), 'what was refused can be written again')
  await cleo.route('**/api/v1/messages', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not now.', code: 'BAD_REQUEST' } }), { times: 1 })
  await cleo.keyboard.press('Control+Enter')
  await messages(cleo, 'Of no use').getByRole('button', { name: 'Discard' }).click()
  await cleo.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()

  let tries = 0
  await cleo.route('**/api/v1/messages', (route) => (tries++, route.fulfill({ status: 500, json: { result: 'error', msg: 'Broken.', code: 'INTERNAL' } })))
  await send(cleo, 'Tried again')
  const row = messages(cleo, 'Tried again')
  const said = row.getByText('Not sent yet. Broken.')
  await said.waitFor()
  await said.evaluate((words) => (words.dataset.same = 'yes'))
  await row.getByRole('button', { name: 'Discard' }).focus()
  await until(() => tries > 1, 'it is tried again')
  await row.getByRole('button', { name: 'Discard', disabled: false }).waitFor()
  assert.equal(await said.getAttribute('data-same'), 'yes', 'it is heard once')
  await until(async () => (await cleo.keyboard.press('Enter'), cleo.getByRole('alertdialog').isVisible()), 'the key works where it isn’t tried again just then')
  await cleo.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  await until(() => cleo.evaluate(() => document.activeElement.id === 'messages'), 'the focus goes on at the messages')
  await cleo.unroute('**/api/v1/messages')
  await entry(cleo, 'kitchen').click()
  await there(cleo, '#kitchen')
  assert.equal(await unsent.count(), 0)
  wellBehaved(cleo)
})

test('topics that could not be fetched without a network are there when there is one', async () => {
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'pontoon' }] })
  await server.call('cleo', 'POST', '/messages', { type: 'stream', to: 'pontoon', topic: 'planks', content: 'Some are loose' })
  await entry(cleo, 'pontoon').waitFor()
  await cleo.context().setOffline(true)
  await cleo.getByText('No connection').waitFor({ timeout: 10_000 })
  await entry(cleo, 'pontoon').click()
  await cleo.getByRole('alert').filter({ hasText: 'The server can’t be reached.' }).first().waitFor()
  await cleo.context().setOffline(false)
  await cleo.getByRole('list', { name: 'Topics of pontoon' }).getByRole('link', { name: 'planks' }).waitFor()
  await cleo.getByText('No connection').waitFor({ state: 'hidden' })
  wellBehaved(cleo)
})

test('the server is gone and back, and nothing that was typed is lost', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await open(dario, 'engineering', 'crane 4')
  await fieldOf(cleo).fill('Half a sent')
  await server.stop()
  await cleo.getByText('No connection').waitFor({ timeout: 20_000 })
  await send(dario, 'Is it back?')
  await messages(dario, 'Is it back?').getByText('Not sent yet').waitFor()
  await send(dario, 'I ask again')
  await accessible(dario, 'not-sent')
  assert.equal(await messages(dario, 'Is it back?').getByText('Not sent yet').evaluate((e) => { let all = 1; for (let at = e; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity); return all }), 1, 'the reason is pale')
  await dario.locator('#messages').focus()
  await dario.keyboard.press('q')
  const notLoaded = dario.getByRole('alert').filter({ hasText: 'This couldn’t be loaded.' })
  await notLoaded.waitFor()
  await server.start()
  await cleo.getByText('No connection').waitFor({ state: 'hidden', timeout: 40_000 })
  await notLoaded.waitFor({ state: 'detached', timeout: 40_000 }) // it says what holds no more, over what one writes
  assert.equal(await fieldOf(cleo).inputValue(), 'Half a sent')
  await messages(cleo, 'I ask again').waitFor({ timeout: 40_000 })
  const asked = cleo.locator('[data-message]').filter({ hasText: /Is it back\?|I ask again/ })
  assert.deepEqual(await asked.locator('.content').allInnerTexts(), ['Is it back?', 'I ask again'])
  assert.equal(await messages(dario, 'Is it back?').count(), 1)
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('messages that can\'t be had for a moment are fetched as soon as they can', async () => {
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'patience', content: 'Worth the wait' })
  await open(cleo, 'engineering', 'crane 4')
  let tries = 0
  let goOn
  const waits = new Promise((resolve) => (goOn = resolve))
  await cleo.route('**/api/v1/messages?*', async (route) => {
    tries++
    await waits
    if (tries === 1) return route.abort()
    if (tries === 2) return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { result: 'error', msg: 'Try again later.', code: 'UNAVAILABLE' } })
    return route.continue()
  })
  await entry(cleo, 'engineering').click()
  await cleo.getByRole('list', { name: 'Topics of engineering' }).getByRole('link', { name: 'patience' }).click()
  await cleo.getByRole('heading', { name: '#engineering › patience', level: 1 }).waitFor()
  await cleo.getByRole('status').filter({ hasText: 'Loading…' }).waitFor() // the messages of crane 4 are still there
  goOn()
  await cleo.getByRole('alert').filter({ hasText: 'Try again later.' }).waitFor()
  await messages(cleo, 'Worth the wait').waitFor()
  assert.equal(tries, 3)
  await cleo.unroute('**/api/v1/messages?*')
  await cleo.evaluate(() => (location.hash = '#narrow/stream/99999-gone'))
  await cleo.getByRole('main').getByRole('alert').getByRole('link', { name: 'All messages' }).click() // trying again would help nobody
  await cleo.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  await open(cleo, 'engineering', 'crane 4')
  wellBehaved(cleo)
})

test('a queue that is lost is registered again, and what was missed appears', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const registered = cleo.waitForResponse((r) => r.url().endsWith('/api/v1/register'))
  await cleo.evaluate(async () => {
    const [stream] = performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/events?')).slice(-1)
    const queue = new URL(stream.name).searchParams.get('queue_id')
    await fetch('/api/v1/events', { method: 'DELETE', body: new URLSearchParams({ queue_id: queue }) })
  })
  await registered
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: 'After the queue' })
  await messages(cleo, 'After the queue').waitFor()
  wellBehaved(cleo)
})

test('messages that were refused are fetched again when somebody says so', async () => {
  await say('cleo', 'general', 'refusals', 'Granted at last')
  await cleo.route('**/api/v1/messages?*', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not now.', code: 'BAD_REQUEST' } }))
  await cleo.evaluate(() => (location.hash = '#narrow/search/granted'))
  await cleo.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor()
  await cleo.unroute('**/api/v1/messages?*')
  await cleo.getByRole('button', { name: 'Try again' }).click()
  await messages(cleo, 'Granted at last').waitFor()
  wellBehaved(cleo)
})

test('messages that could not be fetched come by themselves', async () => {
  await say('cleo', 'general', 'patience', 'Here at last')
  await cleo.route('**/api/v1/messages?*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
  await cleo.evaluate(() => (location.hash = '#narrow/search/last'))
  await cleo.getByRole('alert').filter({ hasText: 'The server can’t be reached.' }).waitFor()
  await cleo.unroute('**/api/v1/messages?*')
  await messages(cleo, 'Here at last').waitFor()
  wellBehaved(cleo)
})

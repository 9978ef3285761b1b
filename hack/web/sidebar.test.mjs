// The sidebar of somebody with more streams than a screen has room for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const streams = Array.from({ length: 100 }, (_, i) => `stream ${String(i).padStart(3, '0')}`)
let server, browser, cleo

/** Notes with each frame how many streams are listed, and whether they fill the screen. */
function watch() {
  globalThis.listed = []
  const look = () => {
    const links = document.querySelectorAll('#sidebar [data-stream]')
    const end = links[links.length - 1]?.getBoundingClientRect().bottom
    if (links.length > (globalThis.listed.at(-1)?.count ?? 0)) globalThis.listed.push({ count: links.length, full: end >= innerHeight })
    requestAnimationFrame(look)
  }
  look()
}

before(async () => {
  server = await new Server().prepare()
  await server.start()
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: JSON.stringify(streams.map((name) => ({ name }))) })
  browser = await launch()
  cleo = await visitor(browser)
  await cleo.addInitScript(watch)
  await cleo.goto(server.link('Cleo Marin'))
  await cleo.getByRole('article').first().waitFor()
})

after(async () => {
  await browser.close()
  await server.stop()
})

function listed(name) {
  return cleo.locator('#sidebar').getByRole('link', { name, exact: true })
}

test('the streams on screen are there first, and then all of them', async () => {
  await listed(streams.at(-1)).waitFor()
  const [first] = await cleo.evaluate(() => globalThis.listed)
  assert.ok(first.count < streams.length / 2, `${first.count} streams were listed at first`)
  assert.ok(first.full, `${first.count} streams at first left a part of the screen empty`)
  const names = await cleo.locator('#sidebar [data-stream] bdi').allTextContents()
  assert.deepEqual(names.filter((name) => streams.includes(name)), streams)
})

test('of more streams than a list is good for, one is found by its name', async () => {
  await cleo.keyboard.press('c')
  const stream = cleo.getByRole('combobox', { name: 'Stream', exact: true })
  await stream.fill('no such thing')
  await cleo.getByText('Nothing is called that.').waitFor()
  await accessible(cleo, 'new-topic-many-streams')
  await stream.fill('eam 07')
  await stream.press('Tab')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'new-topic'), 'the topic has the focus')
  assert.equal(await stream.inputValue(), 'stream 070')
  await cleo.keyboard.type('found')
  await cleo.getByRole('textbox', { name: 'Message #stream 070 › found' }).waitFor()
  await stream.fill('stream 08')
  await cleo.getByRole('combobox', { name: 'Topic' }).focus()
  assert.equal(await stream.inputValue(), 'stream 070') // a part of a name that wasn't taken is forgotten
  assert.ok((await cleo.locator('#new-place-list option').count()) <= 20)
  await cleo.getByRole('combobox', { name: 'Topic' }).fill('')
  await cleo.keyboard.press('Escape')
  const ada = await signedIn(browser, server, 'Ada Berg')
  await ada.evaluate(() => (location.hash = '#organization/rules'))
  const announced = ada.getByRole('combobox', { name: 'Announce new streams in', exact: true })
  await announced.fill('eam 09')
  await announced.press('Enter')
  await until(async () => {
    const { streams: all } = await server.call('ada', 'GET', '/streams')
    const { realm_notifications_stream_id: id } = await server.call('ada', 'POST', '/register', { fetch_event_types: ['realm'] })
    return all.find((one) => one.stream_id === id)?.name === 'stream 090'
  }, 'it is saved')
  assert.equal(await announced.inputValue(), 'stream 090')
  await announced.fill('None')
  await announced.press('Enter')
  await until(async () => (await server.call('ada', 'POST', '/register', { fetch_event_types: ['realm'] })).realm_notifications_stream_id === -1, 'there is none')
  wellBehaved(ada)
  await ada.context().close()
})

test('pointing at an entry hides its count only where a menu takes the place', async () => {
  for (const content of ['@**Cleo Marin** come', 'and see']) await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'general', topic: 'counted', content })
  for (const [name, seen] of [['Mentions', true], ['general', false]]) {
    const link = cleo.locator('#sidebar .entry').filter({ has: cleo.getByText(name, { exact: true }) })
    await link.locator('.count').waitFor()
    await link.hover()
    assert.equal(await link.locator('.count').evaluate((count) => getComputedStyle(count).visibility === 'visible'), seen, name)
  }
})

test('one goes anywhere by a part of its name', async () => {
  const at = (name) => cleo.getByRole('heading', { name, level: 1, exact: true }).waitFor()
  const field = cleo.getByRole('combobox', { name: 'Topic, stream or person' })
  const go = async (name) => {
    await cleo.keyboard.press('Control+k')
    await field.fill(name)
    await cleo.keyboard.press('Enter')
  }
  await go('042')
  await at('#stream 042')
  await go('#kitc')
  await at('#kitchen')
  await go('dario@')
  await at('Dario Fuchs')
  const compose = cleo.getByRole('textbox', { name: /^Message/ })
  await compose.fill('half a sente')
  await cleo.keyboard.press('Control+k')
  await accessible(cleo, 'go-to')
  await field.fill('stream')
  await cleo.keyboard.press('ArrowDown')
  assert.equal(await cleo.getByRole('option', { selected: true }).innerText(), '#stream 001')
  await cleo.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  assert.ok(await compose.evaluate((e) => e === document.activeElement && e.value === 'half a sente'), 'whoever goes nowhere writes on')
  await compose.fill('')
  const { id } = await server.call('cleo', 'POST', '/messages', { type: 'stream', to: streams[11], topic: 'quay lights', content: 'Read, and of a stream that wasn’t opened' })
  await server.call('cleo', 'POST', '/messages/flags', { messages: [id], op: 'add', flag: 'read' })
  const fresh = async () => {
    await cleo.evaluate(() => (location.hash = ''))
    await cleo.reload()
    await cleo.locator('.feed-rows[aria-busy=false]').waitFor()
  }
  const held = []
  const newest = (url) => url.pathname === '/api/v1/messages' && url.searchParams.get('num_before') === '400'
  await cleo.route(newest, (route) => void held.push(route))
  await fresh()
  await go('lights')
  await until(() => held.length === 1, 'the newest messages are fetched')
  await cleo.getByRole('status').filter({ hasText: 'Loading…' }).waitFor()
  await held[0].continue()
  await at(`#${streams[11]} › quay lights`)
  await cleo.unroute(newest)
  const page = await visitor(browser, { storageState: await cleo.context().storageState() })
  await page.clock.install()
  await page.route(newest, () => {}) // it isn't answered
  await page.goto(server.site)
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Topic, stream or person' }).fill('lights')
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: 'Loading…' }).waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('heading', { name: 'Search: lights', level: 1 }).waitFor()
  await page.context().close()
  await fresh()
  await cleo.keyboard.press('Control+k')
  await field.fill('lights')
  await cleo.getByRole('option', { name: /quay lights/ }).waitFor()
  await cleo.keyboard.press('Enter')
  await at(`#${streams[11]} › quay lights`)
  await go('nobody has this name')
  await at('Search: nobody has this name')
  await cleo.getByRole('button', { name: 'Go to' }).click()
  await cleo.getByRole('option', { name: /^All messages/ }).click()
  await at('All messages')
})

test('an open stream lists some of its unread topics, and all of them once they are wanted', async () => {
  const topics = Array.from({ length: 40 }, (_, i) => `unread ${i}`) // some are read as soon as the stream is on screen
  for (const topic of topics) await server.call('dario', 'POST', '/messages', { type: 'stream', to: streams[7], topic, content: 'News' })
  await cleo.locator('#sidebar .entry').filter({ has: cleo.getByText(streams[7], { exact: true }) }).click()
  const list = cleo.getByRole('list', { name: `Topics of ${streams[7]}` })
  const more = list.getByRole('button', { name: /^All topics/ })
  await more.waitFor()
  const { length } = await list.getByRole('link').all()
  assert.ok(length >= 5 && length <= 15, `${length} topics are listed`)
  await more.click()
  await until(async () => (await list.getByRole('link').count()) >= topics.length, 'all topics are listed')
  await list.getByRole('button', { name: 'Fewer topics' }).click()
  await cleo.evaluate(() => (location.hash = ''))
  wellBehaved(cleo)
})

test('all private conversations are a click away', async () => {
  await cleo.evaluate(() => (location.hash = '#recent')) // where nothing is read
  await cleo.getByRole('heading', { name: 'Recent conversations', level: 1 }).waitFor()
  const others = server.demo.accounts.filter(({ email }) => !email.startsWith('cleo'))
  const groups = Array.from({ length: 2 ** others.length - 1 }, (_, i) => others.filter((_, j) => ((i + 1) >> j) % 2 === 1))
  for (const [from, ...rest] of groups) {
    await server.call(from.email, 'POST', '/messages', { type: 'private', to: [server.account('cleo').user_id, ...rest.map((one) => one.user_id)], content: 'Ahoy' })
  }
  const listed = cleo.getByRole('list', { name: 'Private messages' }).getByRole('link')
  const few = 20 // of those with unread messages
  const more = cleo.getByRole('button', { name: /^More conversations \d+ unread$/ })
  await more.waitFor()
  assert.equal(await listed.count(), few)
  await more.press('Enter')
  await until(async () => (await listed.count()) >= groups.length, 'all conversations are listed')
  await accessible(cleo, 'conversations')
  const fewer = cleo.getByRole('button', { name: 'Fewer conversations', expanded: true })
  assert.ok(await fewer.evaluate((e) => e === document.activeElement), 'the focus stays')
  await fewer.press('Enter')
  await until(async () => (await listed.count()) === few, 'the newest conversations are listed again')
  await server.call('cleo', 'POST', '/mark_all_as_read')
  await cleo.evaluate(() => (location.hash = ''))
})

test('all streams are those that one is subscribed to, and the others', async () => {
  await server.call('ada', 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'elsewhere' }] })
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('q')
  const dialog = cleo.getByRole('dialog', { name: 'All streams' })
  const named = (name) => dialog.getByRole('button', { name, exact: true })
  await named('elsewhere').waitFor()
  const which = dialog.getByRole('combobox', { name: 'Which streams' })
  await which.selectOption('Subscribed')
  await named('elsewhere').waitFor({ state: 'detached' })
  await named(streams[0]).waitFor()
  await accessible(cleo, 'streams-subscribed')
  await which.selectOption('Not subscribed')
  await named('elsewhere').waitFor()
  assert.equal(await named(streams[0]).count(), 0)
  await cleo.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('what is muted is softer than the rest', async () => {
  const colorOf = (one) => one.locator('.entry-name').evaluate((e) => getComputedStyle(e).color)
  const [all, goTo] = [cleo.locator('#sidebar').getByRole('link', { name: 'All messages' }), cleo.getByRole('button', { name: 'Go to' })]
  assert.equal(await colorOf(goTo), await colorOf(all))
  assert.equal(await goTo.evaluate((e) => getComputedStyle(e).borderTopWidth), '0px')
  const { stream_id: id } = await server.call('cleo', 'GET', '/get_stream_id', { stream: streams[0] })
  const mute = (value) => server.call('cleo', 'POST', '/users/me/subscriptions/properties', { subscription_data: [{ stream_id: id, property: 'is_muted', value }] })
  await mute(true)
  await until(async () => (await colorOf(cleo.locator('#sidebar').getByRole('link', { name: new RegExp(`^${streams[0]} ?, muted`) }))) !== (await colorOf(all)), 'the muted stream is softer')
  await mute(false)
})

test('keys lead to the last stream, and show where they are', async () => {
  await listed(streams.at(-2)).focus()
  await cleo.keyboard.press('Tab')
  const focused = await cleo.evaluate(() => {
    const { bottom, top } = document.activeElement.getBoundingClientRect()
    return { text: document.activeElement.querySelector('bdi')?.textContent, onScreen: top >= 0 && bottom <= innerHeight }
  })
  assert.deepEqual(focused, { text: streams.at(-1), onScreen: true })
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('heading', { name: `#${streams.at(-1)}`, level: 1 }).waitFor()
  assert.equal(await listed(streams.at(-1)).getAttribute('aria-current'), 'page')
  await accessible(cleo, 'many streams')
})

test('a list that is folded and unfolded is whole again, and a new stream joins it at once', async () => {
  const fold = cleo.locator('#streams-active')
  await fold.click()
  await listed(streams[0]).waitFor({ state: 'detached' })
  await fold.click()
  await listed(streams.at(-1)).waitFor()
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: JSON.stringify([{ name: 'stream zzz' }]) })
  await listed('stream zzz').waitFor()
  wellBehaved(cleo)
})

test('a stream is marked in its colour, and seen in any', async () => {
  const colors = ['#ffffff', '#ffff00', '#f5ce6e', '#808080', '#0000ff', '#000000']
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: colors.map((name) => ({ name })), invite_only: true }) // axe takes # for no text
  const { streams: all } = await server.call('cleo', 'GET', '/streams')
  const ids = colors.map((name) => all.find((one) => one.name === name).stream_id)
  await server.call('cleo', 'POST', '/users/me/subscriptions/properties', { subscription_data: ids.map((id, i) => ({ stream_id: id, property: 'color', value: colors[i] })) })
  for (const colorScheme of ['light', 'dark']) {
    const page = await visitor(browser, { storageState: await cleo.context().storageState(), colorScheme })
    for (const id of [ids[0], ids.at(-1)]) {
      await page.goto(`${server.site}/#narrow/stream/${id}`)
      await page.locator(`#sidebar [data-stream="${id}"][aria-current=page]`).waitFor()
      await page.locator('.feed-rows[aria-busy=false]').waitFor()
      await accessible(page, `colours-${colorScheme}`)
    }
    wellBehaved(page)
    await page.context().close()
  }
})

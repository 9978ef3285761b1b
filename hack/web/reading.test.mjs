// What is read and unread, recent conversations, and how messages fit on screens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, visitor, wellBehaved } from './browser.mjs'
import { browser, cleo, dario, harbour, row, say, server, visit } from './harbour.mjs'
import { until, withinDay } from './server.mjs'

harbour()

test('messages are unread from one on, and read together', async () => {
  const ids = []
  for (const text of ['one', 'two', 'three']) ids.push(await say('dario', 'general', 'unread', text))
  const count = (n) => cleo.getByRole('button', { name: n === 1 ? 'Mark 1 message as read' : `Mark ${n} messages as read` })
  await visit(cleo, 'general', 'unread')
  await row(cleo, ids[2]).waitFor()
  await cleo.getByRole('button', { name: /^Mark \d+ messages? as read/ }).waitFor({ state: 'detached' }) // all of it was seen
  await row(cleo, ids[1]).click()
  await cleo.keyboard.press('U')
  await count(2).waitFor()
  await cleo.getByRole('status').filter({ hasText: 'Nothing is marked as read here' }).waitFor()
  await accessible(cleo, 'unread')
  const { height } = await cleo.getByRole('button', { name: 'Mark as read', exact: true }).boundingBox()
  assert.ok(height >= 24, `the button is ${height} px high, and on narrow screens something is right below it`)
  const more = await say('dario', 'general', 'unread', 'four')
  await row(cleo, more).waitFor()
  await count(3).waitFor()
  await visit(cleo, 'general', 'polls')
  const other = await say('dario', 'general', 'polls', 'Read me')
  const isRead = async (id) => (await server.call('cleo', 'GET', '/messages', { anchor: id, num_before: 0, num_after: 0 })).messages[0].flags.includes('read')
  await until(() => isRead(other), 'what is on screen is read')
  assert.equal(await isRead(ids[1]), false)
  await cleo.evaluate(() => history.back())
  await cleo.getByRole('heading', { name: '#general › unread', level: 1 }).waitFor()
  await count(3).waitFor({ state: 'detached' })
  assert.equal(await cleo.locator('.new + article').first().getAttribute('data-message'), String(ids[1]))
  await until(() => isRead(more), 'all of it is read')
  await cleo.evaluate(() => (document.hasFocus = () => false))
  const away = await say('dario', 'general', 'unread', 'five')
  await say('dario', 'general', 'unread', 'six')
  await cleo.locator(`.new + #message-${away}`).waitFor()
  await cleo.evaluate(() => delete document.hasFocus)
  wellBehaved(cleo)
})

test('a topic that was seen before is laid out once, and painted before more of it is added', async () => {
  for (let i = 0; i < 40; i++) for (const topic of ['ebb', 'flood']) await say('dario', 'general', topic, `${topic} ${i}`)
  for (const topic of ['ebb', 'flood']) {
    await visit(cleo, 'general', topic)
    await cleo.getByRole('article').filter({ hasText: `${topic} 39` }).waitFor()
    await until(() => cleo.evaluate(() => document.querySelectorAll('.feed-rows > article').length >= 40), 'all of it is there')
  }
  await cleo.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))) // effects of the last rendering ask, too
  const seen = await cleo.evaluate(() => new Promise((resolve) => {
    const { get, set } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop')
    let asked = 0 // where messages are that are left
    const old = document.querySelector('[data-message]')
    Object.defineProperty(Element.prototype, 'scrollTop', { configurable: true, set, get() {
      if (this.id === 'messages' && old.isConnected) asked++
      return get.call(this)
    } })
    const link = [...document.querySelectorAll('#sidebar .topics a')].find((one) => one.textContent.startsWith('ebb'))
    const rows = () => document.querySelectorAll('.feed-rows > article').length
    let made = 0
    new MutationObserver((_, observer) => {
      if (old.isConnected) return
      observer.disconnect()
      made = rows()
      requestAnimationFrame(() => setTimeout(() => resolve({ asked, made, painted: rows() })))
    }).observe(document.getElementById('messages').closest('main'), { childList: true, subtree: true })
    link.click()
  }))
  assert.deepEqual({ asked: seen.asked, added: seen.painted - seen.made }, { asked: 0, added: 0 })
  assert.ok(seen.made > 5, `${seen.made} messages are made`)
  await until(() => cleo.evaluate(() => document.querySelectorAll('.feed-rows > article').length >= 40), 'the others follow')
  wellBehaved(cleo)
})

test('recent conversations are a table that follows what happens', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.locator('#messages').focus()
  await cleo.evaluate(() => {
    new MutationObserver((_, observer) => {
      const table = document.querySelector('.recent table')
      if (table !== null) {
        globalThis.atOnce = table.rows.length
        observer.disconnect()
      }
    }).observe(document.body, { childList: true, subtree: true })
  })
  await cleo.keyboard.press('t')
  await cleo.getByRole('heading', { name: 'Recent conversations', level: 1 }).waitFor()
  await cleo.locator('.recent table').waitFor()
  assert.ok((await cleo.evaluate(() => globalThis.atOnce)) > 1, 'a table without conversations came first')
  await cleo.locator('#messages.recent:focus').waitFor()
  await cleo.keyboard.press('D')
  await cleo.locator('#messages.feed:focus').waitFor()
  await cleo.keyboard.press('t')
  const rows = cleo.getByRole('row')
  await rows.filter({ hasText: 'lunch' }).waitFor()
  await say('dario', 'general', 'slipway seven', 'High water at five')
  await rows.nth(1).filter({ hasText: 'slipway seven' }).waitFor()
  await accessible(cleo, 'recent')
  const off = await cleo.locator('.recent-filters label').evaluateAll((labels) =>
    labels.map((label) => {
      const middle = (box) => (box.top + box.bottom) / 2
      const words = document.createRange()
      words.selectNodeContents(label.lastChild)
      return Math.abs(middle(words.getBoundingClientRect()) - middle(label.firstChild.getBoundingClientRect()))
    }),
  )
  assert.ok(off.length === 3 && Math.max(...off) <= 1, `boxes are ${off} pixels off their words`)
  await rows.nth(1).getByRole('button', { name: 'slipway seven: Mark 1 message as read' }).click()
  await rows.nth(1).getByRole('button').waitFor({ state: 'detached' })
  await cleo.getByRole('checkbox', { name: 'Unread' }).check()
  await rows.filter({ hasText: 'slipway seven' }).waitFor({ state: 'detached' })
  await cleo.getByRole('checkbox', { name: 'Unread' }).uncheck()
  await cleo.getByRole('searchbox', { name: 'Topic, stream or person' }).fill('slipway')
  await until(async () => (await rows.count()) === 2, 'one conversation is left')
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('j')
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('heading', { name: '#general › slipway seven', level: 1 }).waitFor()
  await cleo.locator('body').press('t')
  await cleo.getByRole('searchbox', { name: 'Topic, stream or person' }).fill('<img src=x onerror=violated(80)>')
  await cleo.getByText('There is no such conversation.').waitFor()
  await cleo.getByRole('searchbox', { name: 'Topic, stream or person' }).fill('')
  wellBehaved(cleo)
})

test('a link to a message opens at it', async () => {
  const first = await say('dario', 'general', 'linked', 'Line 0')
  for (let i = 1; i < 120; i++) await say(i % 2 ? 'cleo' : 'dario', 'general', 'linked', `Line ${i}`)
  const { streams } = await server.call('cleo', 'GET', '/streams')
  const stream = streams.find((s) => s.name === 'general').stream_id
  const link = await say('cleo', 'general', 'links', `See [this](#narrow/stream/${stream}-general/topic/linked/near/${first + 60})`)
  await visit(dario, 'general', 'links')
  await row(dario, link).getByRole('link', { name: 'this' }).click()
  await dario.getByRole('heading', { name: '#general › linked', level: 1 }).waitFor()
  await dario.locator('.message.selected:focus').filter({ hasText: 'Line 60' }).waitFor()
  const at = await row(dario, first + 60).boundingBox()
  const list = await dario.locator('#messages').boundingBox()
  assert.ok(at.y >= list.y && at.y + at.height <= list.y + list.height, 'the message is on screen')
  wellBehaved(dario)
})

test('all of it fits on a phone', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, storageState: await cleo.context().storageState(), colorScheme: 'dark', hasTouch: true })
  const fits = async (what) => assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('#messages')].every((e) => e.scrollWidth <= e.clientWidth)), `${what} is too wide`)
  await phone.goto(`${server.site}/#recent`)
  await phone.getByRole('row').filter({ hasText: 'lunch' }).waitFor()
  await accessible(phone, 'phone-recent')
  await fits('the table')
  const topic = 'an unusually long name of a topic that has a line of its own'
  const { members } = await server.call('dario', 'GET', '/users')
  const group = members.filter((one) => /^(ada|ben|cleo|edda)/.test(one.email)).map((one) => one.user_id)
  await say('dario', 'general', topic, 'Read this')
  await server.call('dario', 'POST', '/messages', { type: 'private', to: group, content: 'And this' })
  const listed = phone.getByRole('row').filter({ hasText: topic })
  await until(async () => await listed.getByRole('button').count() > 0, 'it is counted')
  const cut = (all) => all.filter((e) => e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth).map((e) => e.textContent)
  assert.deepEqual(await phone.locator('.recent-topic').evaluateAll(cut), [], 'names are cut off')
  const places = await Promise.all(['.recent-topic', '.recent-time', '.count'].map((part) => listed.locator(part).boundingBox()))
  assert.ok(places[0].width > 270, `the name is ${places[0].width} wide`)
  assert.ok(places.slice(1).every(({ x }) => x >= places[0].x + places[0].width), 'something is over the name')
  for (const width of [768, 1024, 1280]) {
    await phone.setViewportSize({ width, height: 800 })
    const name = await listed.locator('.recent-topic').boundingBox()
    assert.ok(name.width > 270, `the name is ${name.width} wide where the screen is ${width} wide`)
  }
  await phone.setViewportSize({ width: 390, height: 800 })
  await phone.getByRole('row').filter({ hasText: 'Ben Okoro' }).getByRole('link', { name: 'Ben Okoro' }).click()
  const title = phone.getByRole('heading', { name: /Ben Okoro/, level: 1 })
  await title.waitFor()
  assert.deepEqual(await title.evaluateAll(cut), [], 'the title is cut off')
  await phone.locator('.bar').getByRole('button', { name: /^What to do with/ }).tap()
  await phone.getByRole('menuitem', { name: 'Profile of Edda Lund' }).waitFor()
  await accessible(phone, 'phone-conversation')
  await phone.getByRole('menuitem', { name: 'Profile of Ben Okoro' }).tap()
  await phone.getByRole('dialog', { name: 'Ben Okoro' }).waitFor()
  await phone.keyboard.press('Escape')
  const poll = await say('dario', 'general', 'phones', '/poll Which of these very long questions fits on a phone?\nthe first of them\nthe second one, which is longer')
  await visit(phone, 'general', 'phones')
  await row(phone, poll).getByRole('button', { name: '0 votes: the first of them' }).click()
  await row(phone, poll).getByRole('button', { name: '1 vote: the first of them You' }).waitFor()
  await accessible(phone, 'phone-poll')
  await phone.setViewportSize({ width: 320, height: 800 })
  const option = await row(phone, poll).getByRole('textbox', { name: 'Another option' }).boundingBox()
  await phone.setViewportSize({ width: 390, height: 800 })
  assert.ok(option.width > 150, `the field for an option is ${option.width} wide`)
  const sheet = await say('dario', 'general', 'phones', `| Crane | Inspector | Next inspection | Remarks |\n|---|---|---|---|\n| 7 | Edda | in November | ${'changed '.repeat(8)}|`)
  const inspected = await row(phone, sheet).getByRole('cell', { name: 'changed' }).boundingBox()
  assert.ok(inspected.height < 120, `a row of the table is ${inspected.height} high`)
  const quoted = await say('ben', 'general', 'phones', '1. one\n\n> quoted')
  await row(phone, quoted).getByRole('blockquote').waitFor()
  assert.equal(await row(phone, quoted).getByRole('blockquote').evaluate((quote) => getComputedStyle(quote).margin), '8px 0px 0px')
  const long = await say('cleo', 'general', 'phones', 'what is said '.repeat(20))
  await row(phone, long).waitFor()
  const [text, time] = await Promise.all([row(phone, long).locator('.content'), row(phone, long).locator('time')].map((part) => part.boundingBox()))
  assert.ok(text.x + text.width > time.x + time.width - 1, 'messages end where the time begins')
  assert.ok(text.y >= time.y + time.height - 4, 'the time is over the message')
  await row(phone, long).tap()
  await row(phone, long).getByRole('button', { name: 'More' }).tap()
  assert.equal(await phone.getByRole('menu', { name: 'More' }).locator('kbd:visible').count(), 0)
  await phone.keyboard.press('Escape')
  await fits('the poll')
  await server.call('cleo', 'PATCH', `/messages/${long}`, { content: 'what is said\n'.repeat(9) })
  await phone.setViewportSize({ width: 1024, height: 800 })
  await row(phone, long).getByRole('button', { name: 'edited' }).waitFor()
  const [edited, sent] = await Promise.all([row(phone, long).getByRole('button', { name: 'edited' }), row(phone, long).locator('time')].map((part) => part.boundingBox()))
  assert.ok(Math.abs(sent.y - edited.y) < 30, 'the time is far below what is beside it')
  await phone.setViewportSize({ width: 390, height: 800 })
  await phone.evaluate(() => (location.hash = '#narrow/streams/public/is/unread/has/link/search/crane'))
  await phone.getByText('Nothing matches all of this.').waitFor()
  await accessible(phone, 'phone-search')
  await fits('the search')
  wellBehaved(phone)
})

test('at 400 % of a small screen, conversations have room beside what is around them', async () => {
  const page = await visitor(browser, { viewport: { width: 320, height: 256 }, storageState: await cleo.context().storageState() })
  await page.goto(`${server.site}/#recent`)
  const table = page.getByRole('table')
  await table.waitFor()
  await page.locator('.recent').evaluate((list) => (list.scrollTop = list.querySelector('table').offsetTop))
  await until(async () => {
    const [list, filters, foot] = await Promise.all(['.recent', '.recent-filters', 'footer.compose'].map((part) => page.locator(part).boundingBox()))
    return foot.y - Math.max(list.y, filters.y + filters.height) >= 140
  }, 'the table has most of the screen')
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  await accessible(page, 'recent-400')
  wellBehaved(page)
  await page.context().close()
})

test('at midnight, today becomes yesterday on a page that stays open', async () => {
  await withinDay()
  await say('dario', 'general', 'midnight', 'good night')
  const context = await browser.newContext({ storageState: await cleo.context().storageState(), serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await visit(page, 'general', 'midnight')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.clock.pauseAt(new Date(new Date().setHours(24, 1, 0, 0)))
  await page.getByRole('heading', { name: 'Yesterday' }).waitFor({ timeout: 5_000 })
  await context.close()
})

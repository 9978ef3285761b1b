// Phones and other narrow windows, and names that are long or markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, wellBehaved } from './browser.mjs'
import { another, browser, choose, cleo, entry, fieldOf, harbour, messages, say, server, visit } from './harbour.mjs'
import { until } from './server.mjs'

harbour()

test('a phone has one column', async () => {
  const phone = await another({ viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await accessible(phone, 'phone')
  await phone.getByRole('button', { name: 'Menu' }).click()
  await accessible(phone, 'phone-menu')
  await entry(phone, 'kitchen').click()
  const title = phone.getByRole('heading', { name: '#kitchen', level: 1 })
  assert.ok(await title.evaluate((h) => h.scrollWidth <= h.clientWidth && h.scrollHeight <= h.clientHeight + 1), 'the title is cut off')
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('list', { name: 'Topics of kitchen' }).getByRole('link', { name: 'lunch' }).click()
  await messages(phone, 'fish soup').waitFor()
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  wellBehaved(phone)
})

test('what is said over the sidebar of a phone is closed without it', async () => {
  const phone = await another({ viewport: { width: 390, height: 800 }, hasTouch: true })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await phone.route('**/api/v1/users/me/subscriptions/properties', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not today', code: 'BAD_REQUEST' } }))
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('button', { name: 'What to do with #kitchen' }).click()
  await phone.getByRole('menuitem', { name: 'Pin', exact: true }).click()
  const notice = phone.getByRole('alert').filter({ hasText: 'Not today' })
  await notice.getByRole('button', { name: 'Close' }).click()
  await until(async () => (await notice.count()) === 0 && (await phone.evaluate(() => document.activeElement.closest('#sidebar') !== null)), 'the focus is in the sidebar')
  assert.equal(await phone.getByRole('link', { name: /^kitchen/ }).isVisible(), true)
  await phone.locator('#messages').focus()
  await until(async () => !(await phone.locator('#sidebar').isVisible()), 'the sidebar goes once one is elsewhere')
  wellBehaved(phone)
  await phone.context().close()
})

test('all of it on a phone', async () => {
  const phone = await another({ viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await say('cleo', 'general', 'pocket', 'Now then')
  await visit(phone, 'general', 'pocket')
  await messages(phone, 'Now then').locator('.content').click()
  await messages(phone, 'Now then').getByRole('button', { name: 'More' }).click()
  await accessible(phone, 'phone-message-menu')
  await phone.getByRole('menuitem', { name: /^Move/ }).click()
  await phone.getByRole('dialog', { name: 'Move the message' }).waitFor()
  await accessible(phone, 'phone-move')
  const move = phone.getByRole('dialog', { name: 'Move the message' })
  const [title, field] = await Promise.all([move.getByRole('heading'), move.getByLabel('Topic', { exact: true })].map((one) => one.boundingBox()))
  assert.equal(title.x, field.x)
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  await phone.keyboard.press('Escape')
  await phone.setViewportSize({ width: 844, height: 200 }) // on its side, with its keyboard
  await until(async () => (await phone.locator('#messages').boundingBox()).height > 80, 'messages have room')
  await phone.setViewportSize({ width: 390, height: 800 })
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('button', { name: 'Add streams' }).click()
  await phone.getByRole('menuitem', { name: /^All streams/ }).click()
  await phone.getByRole('dialog', { name: 'All streams' }).waitFor()
  await accessible(phone, 'phone-streams')
  assert.ok((await phone.getByRole('searchbox', { name: 'Find a stream' }).boundingBox()).width > 160, 'there is room for what is looked for')
  await phone.keyboard.press('Escape')
  await phone.keyboard.press('Control+k')
  const goals = phone.getByRole('dialog', { name: 'Go to' }).getByRole('option')
  await goals.first().waitFor()
  assert.ok((await goals.first().boundingBox()).height >= 44, 'a finger finds each goal')
  await accessible(phone, 'phone-go-to')
  wellBehaved(phone)
})

test('messages of a phone are all as wide, so that what begins at the right is below each other', async () => {
  const ids = []
  for (const words of ['שלום', 'ועוד', 'ועוד אחד']) ids.push(await say('dario', 'general', 'edges', words))
  await server.call('dario', 'PATCH', `/messages/${ids[2]}`, { content: 'ועוד שני' })
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true })
  await phone.goto(`${server.site}/#narrow/near/${ids[2]}`)
  await messages(phone, 'ועוד שני').waitFor()
  const edges = await Promise.all(ids.map((id) => phone.locator(`#message-${id} .message-body`).evaluate((body) => Math.round(body.getBoundingClientRect().right))))
  assert.equal(edges[0], edges[1])
  assert.ok(edges[2] < edges[1], 'beside that it was edited there is room')
  wellBehaved(phone)
  await phone.context().close()
})

test('where the keyboard of a phone is laid over the page, what is written and what it answers stay in sight', async () => {
  const topic = 'written on a phone'
  for (let i = 0; i < 30; i++) await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'general', topic, content: `the ${i}th of them` })
  await server.call('cleo', 'POST', '/mark_all_as_read') // so that it is opened at its end
  const phone = await another({ viewport: { width: 390, height: 800 }, hasTouch: true })
  await phone.addInitScript(() => {
    globalThis.seen = Object.assign(new EventTarget(), { height: 800, scale: 1 }) // as that of a browser that has no interactive-widget
    Object.defineProperty(globalThis, 'visualViewport', { get: () => globalThis.seen })
  })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await visit(phone, 'general', topic)
  const last = phone.getByText('the 29th of them')
  const keyboard = (height) => phone.evaluate((height) => {
    Object.assign(globalThis.seen, height)
    globalThis.seen.dispatchEvent(new Event('resize'))
  }, height)
  const bottom = async (what) => {
    const { y, height } = await what.boundingBox()
    return y + height
  }
  const field = fieldOf(phone)
  await field.tap()
  await keyboard({ height: 460 })
  await until(async () => (await bottom(field)) <= 460 && (await bottom(last)) <= (await field.boundingBox()).y, 'the field and the last message are above the keyboard')
  await phone.keyboard.press('Control+k')
  await until(async () => (await bottom(phone.getByRole('dialog', { name: 'Go to' }))) <= 460, 'the dialog is above the keyboard')
  await phone.keyboard.press('Escape')
  await keyboard({ height: 800 })
  await until(async () => (await bottom(field)) > 460 && (await bottom(last)) > 460, 'the page is whole again')
  await keyboard({ height: 400, scale: 2 }) // enlarged, without a keyboard
  assert.ok((await bottom(field)) > 460)
  wellBehaved(phone)
  await phone.context().close()
})

test('on a phone a tap selects a message, and the field for searches grows when it is used', async () => {
  const topic = 'a topic with a name that takes two lines'
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await phone.route('**/messages/flags', () => {}) // what is unread stays so
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await say('dario', 'general', topic, 'Tap me\n\n```go\nfunc main() {}\n```')
  await visit(phone, 'general', topic)
  const message = messages(phone, 'Tap me')
  const box = await message.boundingBox()
  for (const x of [-40, -90, -140, -180]) { // where the buttons come up
    await phone.touchscreen.tap(box.x + box.width + x, box.y + 8)
    await until(async () => /selected/.test(await message.getAttribute('class')), 'the message is selected')
    await phone.getByRole('toolbar', { name: 'What to do with the message of Dario Fuchs' }).waitFor()
    await phone.touchscreen.tap(box.x + 150, box.y + box.height - 4)
    await until(async () => !/selected/.test(await message.getAttribute('class')), 'it no longer is')
  }
  assert.equal(await message.getByRole('img', { name: 'Starred' }).count(), 0)
  const title = phone.getByRole('heading', { level: 1 })
  assert.ok(await title.evaluate((h) => h.scrollWidth <= h.clientWidth && h.scrollHeight <= h.clientHeight + 1), 'the title is cut off')
  const search = phone.getByRole('combobox', { name: 'Search' })
  const compose = await fieldOf(phone).boundingBox()
  assert.ok(compose.width > 280 && compose.height < 60, `the empty field is ${compose.width} by ${compose.height}`)
  await message.locator('.content').tap()
  await message.getByRole('button', { name: 'React' }).tap()
  const emoji = phone.getByRole('dialog', { name: 'Emoji' })
  const groups = emoji.locator('.picker-groups button')
  await groups.first().waitFor()
  const lines = await groups.evaluateAll((all) => new Set(all.map((button) => button.offsetTop)).size)
  assert.equal(lines, 1, 'the groups of emoji have one line')
  assert.equal(await phone.evaluate(() => document.activeElement.tagName), 'BUTTON', 'no keyboard comes up before somebody wants to type')
  await accessible(phone, 'phone-picker')
  await phone.keyboard.press('Escape')
  await message.locator('.content').tap()
  const closed = await search.boundingBox()
  assert.ok(closed.width >= 40 && closed.width < 60, `the closed field is ${closed.width} wide`)
  await search.tap()
  await until(async () => (await search.boundingBox()).width > 200, 'the field grows')
  await accessible(phone, 'phone-search')
  await search.fill('tap')
  await search.press('Enter')
  await phone.getByRole('heading', { name: 'Search: tap', level: 1 }).waitFor()
  await until(async () => (await search.boundingBox()).width < 60, 'the field is a sign again')
  await search.tap()
  await search.fill('sender:"Dario Fuchs" tap')
  await search.press('Enter')
  await phone.getByRole('heading', { name: 'Search: sender:"Dario Fuchs" tap', level: 1 }).waitFor()
  await phone.getByRole('button', { name: 'Remove sender:"Dario Fuchs"' }).click({ trial: true }) // it isn't cut off
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  wellBehaved(phone)
})

test('what asks for closing closes what is over the messages of a phone', async () => {
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await phone.addInitScript(() => { // there is no key for going back here: its part is played by what it calls
    const Watcher = globalThis.CloseWatcher
    globalThis.CloseWatcher = class extends Watcher {
      constructor() {
        super()
        globalThis.goBack = () => this.requestClose()
      }
    }
  })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await phone.getByRole('button', { name: 'Menu', exact: true }).tap()
  const side = phone.getByRole('complementary', { name: 'Menu' })
  await side.waitFor()
  // What is over the messages asks for it once it is painted.
  const back = () => until(() => phone.evaluate(() => {
    const { goBack } = globalThis
    delete globalThis.goBack
    goBack?.()
    return goBack !== undefined
  }), 'something is asked to close')
  await back()
  await side.waitFor({ state: 'hidden' })
  await phone.keyboard.press('w')
  const people = phone.getByRole('complementary', { name: 'People' })
  await people.waitFor()
  await back()
  await people.waitFor({ state: 'detached' })
  await phone.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  wellBehaved(phone)
})

test('of long names in the other direction the end is cut off, and they are beside the others', async () => {
  const name = 'שלום לכולם זה שם ארוך מאוד שאין לו סוף ועוד קצת מילים כאן'
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: [{ name }] })
  const { id } = await server.call('cleo', 'POST', '/messages', { type: 'stream', to: name, topic: name, content: 'In Hebrew' })
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true })
  await phone.goto(`${server.site}/#narrow/near/${id}`)
  await messages(phone, 'In Hebrew').waitFor()
  /** Whether the first letter of a name is seen, and the last isn't, in an element that cuts it off. */
  const cut = (box) => box.evaluate((box) => {
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
    while (texts.nextNode() && !/\p{L}/u.test(texts.currentNode.data));
    const { currentNode: text } = texts
    const { left, right } = box.getBoundingClientRect()
    const seen = (at) => {
      const range = document.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      const letter = range.getBoundingClientRect()
      return letter.left >= left - 1 && letter.right <= right + 1
    }
    return [seen(text.data.search(/\p{L}/u)), seen(text.data.length - 1)]
  })
  const heading = phone.locator('.place-name').filter({ hasText: name }).last()
  for (const link of await heading.getByRole('link').all()) assert.deepEqual(await cut(link), [true, false], await link.textContent())
  await phone.getByRole('button', { name: 'Menu' }).click()
  assert.deepEqual(await cut(phone.locator('#sidebar').getByRole('link', { name }).locator('.entry-name')), [true, false])
  wellBehaved(phone)
  await phone.context().close()
  await server.call('ada', 'PATCH', `/streams/${(await server.call('cleo', 'GET', '/get_stream_id', { stream: name })).stream_id}`, { new_name: 'שלום' })
  const aligned = () => cleo.locator('#sidebar').getByRole('link', { name: 'שלום' }).locator('.entry-name').evaluate((box) => {
    const range = document.createRange()
    range.selectNodeContents(box)
    return range.getBoundingClientRect().left - box.getBoundingClientRect().left
  })
  await until(async () => (await aligned()) < 2, 'a short one begins where the others do')
})

test('long names leave room for what is beside them', async () => {
  const name = 'Wolfeschlegelsteinhausenbergerdorff zu der Wiese und vom Hafen am Wasser'
  const topic = 'an unusually long name of a topic that is cut off somewhere'
  await server.call('edda', 'PATCH', '/settings', { full_name: name })
  await server.call('cleo', 'POST', '/mark_all_as_read')
  await say('edda', 'general', topic, 'Here I am')
  const tablet = await another({ viewport: { width: 768, height: 900 } })
  await tablet.goto(server.site)
  const message = messages(tablet, 'Here I am')
  await message.waitFor()
  const menu = await tablet.getByRole('main').getByRole('button', { name: `What to do with ${topic}` }).boundingBox()
  assert.ok(menu.x + menu.width <= 768, 'the menu of a topic is cut off')
  const lines = await message.locator('.sender-name').evaluate((button) => {
    const range = document.createRange()
    range.selectNodeContents(button)
    return [...range.getClientRects()].map((line) => Math.round(line.left))
  })
  assert.ok(lines.length > 1 && lines.every((left) => left === lines[0]), `lines of a name begin at ${lines}`)
  await visit(tablet, 'general', topic)
  const title = await tablet.getByRole('heading', { level: 1 }).boundingBox()
  assert.ok(title.width > 300, `the title is ${title.width} wide`)
  const cut = await tablet.getByRole('heading', { level: 1 }).evaluate((h) => h.scrollHeight > h.clientHeight || h.scrollWidth > h.clientWidth)
  assert.ok(!cut, 'the title is cut off')
  const search = tablet.getByRole('search')
  await tablet.keyboard.press('/')
  await until(async () => (await search.boundingBox()).width > 300, 'the field grows')
  const whole = () => tablet.locator('.place-stream').evaluateAll((links) => links.every((link) => link.scrollWidth <= link.clientWidth))
  await server.call('ada', 'POST', '/messages', { type: 'stream', to: 'announcements', topic: 'tea', content: 'In a short topic of a longer stream' })
  await tablet.evaluate(() => (location.hash = '#'))
  await messages(tablet, 'In a short topic').waitFor()
  assert.ok(await whole(), 'where there is room, streams have their names')
  wellBehaved(tablet)
  const stream = 'Donaudampfschifffahrtsgesellschaftskapitaenskajuetenschluess'
  await server.call('cleo', 'POST', '/users/me/subscriptions', { subscriptions: [{ name: stream }] })
  await server.call('cleo', 'POST', '/messages', { type: 'stream', to: stream, topic: 'tea', content: 'On the phone' })
  const phone = await another({ viewport: { width: 320, height: 640 }, hasTouch: true })
  await phone.goto(server.site)
  await messages(phone, 'On the phone').waitFor()
  for (const [place, shown] of [['tea', 'tea'], [topic, 'an unus']]) {
    const link = phone.locator('.place-name').getByRole('link', { name: place, exact: true }).last()
    const [, heading] = await Promise.all([link.waitFor(), link.evaluate((a) => {
      const [box, name] = [a.closest('.place-name').getBoundingClientRect(), document.createRange()]
      return { right: box.right, of: a.textContent, seen: [...a.textContent].filter((_, i) => {
        name.setStart(a.firstChild, i)
        name.setEnd(a.firstChild, i + 1)
        return name.getBoundingClientRect().right <= box.right
      }).join('') }
    })])
    assert.ok(heading.seen.startsWith(shown), `of ${place} one reads ${heading.seen}`)
    const lines = await link.evaluate((a) => [...a.parentElement.querySelectorAll('a')].map((name) => Math.round(name.getBoundingClientRect().top)))
    assert.equal(lines[0], lines[1], 'both names are in one line')
  }
  await phone.getByRole('button', { name: 'New topic' }).click()
  for (const part of [phone.getByRole('combobox', { name: 'Stream' }), phone.getByRole('combobox', { name: 'Topic' }), phone.locator('.compose').getByRole('button', { name: 'Cancel' })]) {
    const { x, width } = await part.boundingBox()
    assert.ok(x + width <= 320, `one ends at ${x + width}`)
  }
  wellBehaved(phone)
  await phone.context().close()
})

test('names that are markup are text in all of these screens', async () => {
  const stream = '<img src=x onerror=violated(60)>'
  const topic = '<svg onload=violated(61)>'
  await server.call('ada', 'POST', '/users/me/subscriptions', { subscriptions: [{ name: stream, description: stream }], principals: ['cleo@harbour.example', 'ada@harbour.example'] })
  await say('ada', stream, topic, '<b>x</b>')
  await visit(cleo, stream, topic)
  const field = fieldOf(cleo)
  await field.fill('"><script>violated(62)</script>')
  const closed = async (dialog) => {
    await dialog.waitFor()
    await accessible(cleo, 'hostile-acting')
    await cleo.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await cleo.getByRole('main').getByRole('button', { name: `What to do with ${topic}` }).click()
  await cleo.getByRole('menuitem', { name: /^Rename/ }).click()
  await closed(cleo.getByRole('dialog', { name: 'Rename the topic' }))
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('d')
  await closed(cleo.getByRole('dialog', { name: 'Drafts' }))
  await cleo.keyboard.press('q')
  const all = cleo.getByRole('dialog', { name: 'All streams' })
  await all.getByRole('button', { name: stream, exact: true }).click()
  await closed(cleo.getByRole('dialog', { name: `#${stream}` }))
  await closed(all)
  await choose(cleo, messages(cleo, '<b>x</b>'), 'Quote')
  await until(async () => (await field.inputValue()).includes('```quote'), 'the quote is in the field')
  await field.fill('')
  wellBehaved(cleo)
})

// What people do with messages: reading, reacting, quoting, linking, searching, printing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, visitor, wellBehaved } from './browser.mjs'
import { another, browser, choose, cleo, dario, entry, fieldOf, harbour, messages, open, say, send, server, visit } from './harbour.mjs'
import { until } from './server.mjs'

harbour()

/** Copies a message's link by its menu, which is said for some seconds, and returns it. */
async function copiedLink(page, message) {
  const read = () => page.evaluate(() => navigator.clipboard.readText())
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await Promise.all([page.getByRole('status').filter({ hasText: 'Copied' }).waitFor(), choose(page, message, 'Copy the link')])
  return until(read, 'the link is copied')
}

test('two people talk', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await open(dario, 'engineering', 'crane 4')
  await send(cleo, 'The cell is **back** :tada:')
  await messages(cleo, 'The cell is back').waitFor()
  await messages(dario, 'The cell is back').waitFor()
  assert.equal(await messages(cleo, 'The cell is').count(), 1)
  assert.equal(await messages(dario, 'The cell is').locator('strong', { hasText: 'back' }).count(), 1)
  await dario.getByRole('log').getByText('Cleo Marin: The cell is back 🎉').waitFor()
  assert.equal(await cleo.getByRole('log').innerText(), '')
  await dario.locator('#messages').focus()
  await dario.keyboard.press('j')
  const heard = await dario.locator('article:focus').evaluate((row) => row.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent))
  assert.match(heard.join(' '), /^The cell is back 🎉 \d+:\d\d/)
  await accessible(dario, 'topic')
  wellBehaved(cleo)
})

test('of many messages that come at once, those who hear the page hear how many they are', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await cleo.bringToFront()
  await cleo.getByRole('log').evaluate((log) => {
    globalThis.said = []
    new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((line) => globalThis.said.push(line.textContent)))).observe(log, { childList: true })
  })
  for (let i = 0; i < 12; i++) await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: `Burst ${i} is there` })
  await messages(cleo, 'Burst 11 is').waitFor()
  const count = () => cleo.evaluate(() => globalThis.said.reduce((sum, line) => sum + (/^(\d+) new messages$/.test(line) ? parseInt(line) : 1), 0))
  await until(async () => (await count()) === 12, 'all of them are counted')
  const said = await cleo.evaluate(() => globalThis.said)
  assert.ok(said.length < 12 && said[0] === 'Dario Fuchs: Burst 0 is there' && said.some((line) => /^\d+ new messages$/.test(line)), said.join('; '))
  wellBehaved(cleo)
})

test('unread messages are counted, and read by being seen', async () => {
  const lunch = () => dario.getByRole('navigation').getByRole('link', { name: /^kitchen/ }).getByRole('img', { name: '1 unread' })
  await server.call('dario', 'POST', '/mark_all_as_read')
  const counts = dario.getByRole('navigation').getByRole('img', { name: /unread$/ })
  await until(async () => (await counts.count()) === 0, 'nothing is unread')
  await server.call('cleo', 'POST', '/messages', { type: 'stream', to: 'kitchen', topic: 'tea', content: 'Tea at four' })
  await lunch().waitFor()
  await open(dario, 'kitchen', 'tea')
  await messages(dario, 'Tea at four').waitFor()
  await lunch().waitFor({ state: 'detached' })
})

test('react, star, edit and delete', async () => {
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'kitchen', topic: 'tea', content: 'And coffee' })
  await open(cleo, 'kitchen', 'tea')
  await send(cleo, 'With bisciuts')
  const row = messages(cleo, 'With bis')
  await row.hover()
  await row.getByRole('button', { name: 'React' }).click()
  await accessible(cleo, 'picker')
  await cleo.getByRole('searchbox', { name: 'Find an emoji' }).fill('tada')
  await cleo.getByRole('button', { name: 'tada', exact: true }).click()
  await messages(dario, 'With bis').getByRole('button', { name: 'Cleo Marin reacted with tada' }).click()
  await row.getByRole('button', { name: 'You and Dario Fuchs reacted with tada' }).waitFor()
  await row.hover()
  await row.getByRole('button', { name: 'Star', exact: true }).click()
  await row.getByRole('img', { name: 'Starred' }).waitFor()
  await row.getByRole('button', { name: 'Edit' }).click()
  await cleo.getByRole('textbox', { name: 'Edit' }).fill('With biscuits')
  await cleo.keyboard.press('Control+Enter')
  await messages(dario, 'With biscuits').getByText('edited').waitFor()
  await entry(cleo, 'Starred').click()
  await messages(cleo, 'With biscuits').waitFor()
  await until(async () => (await cleo.getByRole('article').count()) === 1, 'one message is found')
  await server.call('ada', 'POST', '/users/me/subscriptions', { subscriptions: [{ name: 'kitchen' }] })
  const ada = await visitor(browser)
  await ada.goto(server.link('Ada Berg'))
  await open(ada, 'kitchen', 'tea')
  await messages(ada, 'With biscuits').hover()
  await messages(ada, 'With biscuits').getByRole('button', { name: 'More' }).click()
  await ada.getByRole('menu', { name: 'More' }).getByRole('menuitem', { name: 'Delete' }).click()
  const question = ada.getByRole('alertdialog', { name: 'Delete this message?' })
  await accessible(ada, 'question')
  await question.getByRole('button', { name: 'Delete' }).click()
  for (const page of [ada, cleo, dario]) await messages(page, 'With biscuits').waitFor({ state: 'detached' })
  wellBehaved(ada)
  wellBehaved(cleo)
})

test('search, with narrows and words', async () => {
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  await field.fill('stream:general sender:"Dario Fuchs" good')
  await field.press('Enter')
  await messages(cleo, 'good to see you').waitFor()
  await until(async () => (await cleo.getByRole('article').count()) === 1, 'one message is found')
  await field.fill('stream:nowhere')
  await field.press('Enter')
  await cleo.getByRole('alert').filter({ hasText: 'stream:nowhere' }).waitFor()
  await accessible(cleo, 'search')
})

test('private messages, with who is typing', async () => {
  await entry(cleo, '(\\S+ ){0,4}Dario Fuchs').click()
  await entry(dario, '(\\S+ ){0,4}Cleo Marin').click()
  await cleo.getByRole('textbox', { name: 'Message Dario Fuchs' }).waitFor()
  await dario.getByRole('textbox', { name: 'Message Cleo Marin' }).pressSequentially('On')
  await cleo.getByText('Dario Fuchs is typing…').waitFor()
  await send(dario, 'On my way')
  await messages(cleo, 'On my way').waitFor()
  await accessible(cleo, 'private')
})

test('a private conversation is listed as long as it has a message', async () => {
  await visit(cleo, 'general', 'parting')
  const people = await Promise.all(['ada', 'cleo', 'dario', 'edda'].map(async (name) => (await server.call(name, 'GET', '/users/me')).user_id))
  const ids = []
  for (const content of ['one', 'two']) ids.push((await server.call('ada', 'POST', '/messages', { type: 'private', to: people, content })).id)
  const entry = cleo.locator('#sidebar').getByRole('link', { name: /Ada Berg.*Dario Fuchs.*Edda Lund/ })
  await entry.waitFor()
  const drop = (id) => server.call('ada', 'DELETE', `/messages/${id}`)
  await drop(ids[1])
  await say('cleo', 'general', 'parting', 'after the first is gone') // events come in order
  await messages(cleo, 'after the first is gone').waitFor()
  await entry.waitFor()
  await drop(ids[0])
  await entry.waitFor({ state: 'detached' })
  wellBehaved(cleo)
})

test('a message is quoted and linked to by its menu', async () => {
  await say('dario', 'general', 'menus', 'The ``` tide is high')
  await visit(cleo, 'general', 'menus')
  await visit(dario, 'general', 'menus')
  const row = messages(cleo, 'The ``` tide')
  await row.hover()
  const more = row.getByRole('button', { name: 'More' })
  await more.focus()
  await cleo.keyboard.press('ArrowDown')
  const menu = cleo.getByRole('menu', { name: 'More' })
  await menu.waitFor()
  await accessible(cleo, 'message-menu')
  const focused = () => cleo.evaluate(() => document.activeElement.textContent)
  const first = await focused()
  await cleo.keyboard.press('ArrowDown')
  assert.notEqual(await focused(), first)
  await cleo.keyboard.type('copy the l')
  assert.equal(await focused(), 'Copy the link')
  await cleo.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  assert.equal(await more.evaluate((button) => button === document.activeElement), true)
  await more.click()
  await menu.waitFor()
  await more.click()
  await menu.waitFor({ state: 'detached' })
  await choose(cleo, row, 'Quote')
  const field = fieldOf(cleo)
  await until(async () => (await field.inputValue()).includes('The ``` tide is high'), 'the quote is in the field')
  await field.press('Control+Enter')
  await messages(dario, 'Dario Fuchs said').locator('blockquote', { hasText: 'The ``` tide is high' }).waitFor()
  await dario.goto(await copiedLink(cleo, row.first()))
  await dario.locator('.selected', { hasText: 'The ``` tide is high' }).waitFor()
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('what is done with a message is on screen where the message begins above it', async () => {
  for (let i = 1; i <= 30; i++) await say('dario', 'general', 'reach', `Line ${i}\nand more of it`)
  await visit(cleo, 'general', 'reach')
  const message = messages(cleo, 'Line 10')
  await message.waitFor()
  const list = await cleo.locator('#messages').boundingBox()
  const bar = message.getByRole('toolbar')
  let x = list.x + 200
  await until(async () => {
    // The rows below it may not be there yet.
    await cleo.locator('#messages').evaluate((list, row) => (list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top + 10), await message.elementHandle())
    await cleo.mouse.move(x++, list.y + 34)
    return bar.isVisible()
  }, 'the message is pointed at')
  assert.ok((await message.boundingBox()).y < list.y, 'the message begins above the list')
  const { y } = await bar.boundingBox()
  assert.ok(y >= list.y && y < list.y + 16, `what is done with it begins at ${y}, the list at ${list.y}`)
  await cleo.mouse.move(0, 0)
  await cleo.locator('#messages').focus()
})

test('what a message says is copied as it was written', async () => {
  const words = 'The **crane** of @_**Dario Fuchs**'
  await say('cleo', 'general', 'copies', words)
  await visit(cleo, 'general', 'copies')
  await choose(cleo, messages(cleo, 'The crane'), 'Copy the text')
  await until(async () => (await cleo.evaluate(() => navigator.clipboard.readText())) === words, 'the text is copied')
  await messages(cleo, 'The crane').locator('strong', { hasText: 'crane' }).evaluate((crane) => getSelection().selectAllChildren(crane.parentElement))
  await choose(cleo, messages(cleo, 'The crane'), 'Quote')
  const field = fieldOf(cleo)
  await until(async () => (await field.inputValue()).includes('quote\nThe **crane** of'), 'what is marked is quoted')
  await field.fill('')
  await messages(cleo, 'The crane').locator('strong', { hasText: 'crane' }).evaluate((crane) => getSelection().selectAllChildren(crane))
  await choose(cleo, messages(cleo, 'The crane'), 'Quote')
  await until(async () => (await field.inputValue()).includes('quote\ncrane\n'), 'a part of it is quoted')
  await field.fill('')
  const other = await say('dario', 'general', 'copies', 'Another one')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('End')
  await cleo.locator(`[data-message="${other}"].selected:focus`).waitFor()
  const { x, y, width } = await messages(cleo, 'The crane').locator('strong', { hasText: 'crane' }).boundingBox()
  await cleo.mouse.move(x + 1, y + 9)
  await cleo.mouse.down()
  await cleo.mouse.move(x + width - 1, y + 9)
  await cleo.mouse.up()
  await cleo.keyboard.press('>')
  await until(async () => (await field.inputValue()).includes('quote\ncran'), 'a key is for the message in which something is marked')
  await field.fill('')
  await say('cleo', 'general', 'copies', 'The end:\n```spoiler\nhidden\n```')
  await messages(cleo, 'The end').locator('.content').evaluate((content) => getSelection().selectAllChildren(content))
  await choose(cleo, messages(cleo, 'The end'), 'Quote')
  await until(async () => (await field.inputValue()).includes('```spoiler\nhidden\n```'), 'a spoiler is quoted as it was written')
  await field.fill('')
  await cleo.route('**/api/v1/messages/*', (route) => route.abort())
  await choose(cleo, messages(cleo, 'The crane'), 'Copy the text')
  await cleo.getByRole('alert').filter({ hasText: 'The server can’t be reached.' }).waitFor()
  await cleo.getByRole('button', { name: 'Close', exact: true }).click()
  await cleo.unroute('**/api/v1/messages/*')
  wellBehaved(cleo)
})

test('a link to a private message leads each of its people there', async () => {
  const content = 'The charts are under the seat'
  const to = ['dario', 'ada'].map((name) => server.account(name).email)
  const { id } = await server.call('cleo', 'POST', '/messages', { type: 'private', to, content })
  await cleo.evaluate((to) => (location.hash = to), `#message/${id}`)
  const link = await copiedLink(cleo, messages(cleo, content))
  await cleo.waitForTimeout(3000)
  const again = await cleo.evaluate(() => {
    const said = new MutationObserver((changes) => changes.forEach(({ removedNodes }) => removedNodes.forEach(() => (globalThis.gone = performance.now()))))
    said.observe(document.querySelector('.notice.said'), { childList: true })
    return performance.now()
  })
  await copiedLink(cleo, messages(cleo, content))
  await cleo.locator('.notice.said p').waitFor({ state: 'detached' })
  const stayed = await cleo.evaluate(() => globalThis.gone) - again
  assert.ok(stayed >= 4_000, `it went after ${stayed} ms`) // it is there as long as after the first time
  await dario.goto(link)
  await dario.locator('.selected', { hasText: content }).waitFor()
  const names = await dario.getByRole('heading', { level: 1 }).textContent()
  assert.match(names, /Ada/)
  assert.match(names, /Cleo/)
  assert.equal(dario.url(), cleo.url()) // the address in the browser is the same for each, too
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('a link to a message leads there once the server can be reached, and says that a message is gone', async () => {
  const { id } = await server.call('cleo', 'POST', '/messages', { type: 'private', to: [server.account('dario').email], content: 'Mind the gap' })
  const go = (to) => dario.evaluate((hash) => (location.hash = hash), to)
  const unreachable = dario.getByRole('alert').filter({ hasText: 'The server can’t be reached.' })
  const others = await say('cleo', 'general', 'gaps', 'Of no concern')
  await dario.reload() // no event brings these
  await dario.getByRole('article').first().waitFor()
  await dario.route('**/api/v1/messages?*', (route) => route.abort())
  await go(`#message/${others}`)
  await unreachable.waitFor()
  assert.match(dario.url(), /#message/)
  await go('#narrow/is/mentioned') // and not where the link leads
  await dario.unroute('**/api/v1/messages?*')
  await dario.waitForTimeout(1500)
  assert.match(dario.url(), /mentioned$/)

  await dario.route('**/api/v1/messages?*', (route) => route.abort())
  await go(`#message/${id}`)
  await unreachable.waitFor()
  await dario.unroute('**/api/v1/messages?*')
  await dario.locator('.selected', { hasText: 'Mind the gap' }).waitFor()
  await unreachable.waitFor({ state: 'detached' })

  await go(`#message/${id + 1000}`)
  await dario.getByRole('alert').filter({ hasText: 'This message is gone, or isn’t for you.' }).waitFor()
  await dario.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  await dario.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  wellBehaved(dario)
})

test('reactions: picked by keys, and who reacted', async () => {
  await say('cleo', 'general', 'picked', 'Now then')
  await visit(cleo, 'general', 'picked')
  const row = messages(cleo, 'Now then')
  await row.locator('.content').click()
  await cleo.keyboard.press(':')
  const picker = cleo.getByRole('dialog', { name: 'Emoji' })
  await picker.getByRole('button', { name: 'Animals and plants' }).click()
  await accessible(cleo, 'emoji')
  await picker.getByRole('button', { name: 'puppy' }).focus()
  await cleo.keyboard.press('ArrowRight')
  await cleo.keyboard.press('Enter')
  await row.getByRole('button', { name: 'You reacted with kitten' }).waitFor()
  await cleo.keyboard.press('+')
  await row.getByRole('button', { name: 'You reacted with +1' }).waitFor()
  await cleo.keyboard.press('i')
  await cleo.getByRole('menuitem', { name: 'Who reacted' }).click()
  const who = cleo.getByRole('dialog', { name: 'Who reacted' })
  await who.getByText('Cleo Marin').first().waitFor()
  await accessible(cleo, 'who-reacted')
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('-')
  await row.getByRole('button', { name: 'Show the message' }).or(cleo.getByRole('button', { name: 'Show the message' })).first().click()
  await row.waitFor()
  const field = fieldOf(cleo)
  await field.fill('Fine')
  await cleo.getByRole('button', { name: 'Emoji', exact: true }).click()
  await picker.getByRole('searchbox').fill('octopus')
  await picker.getByRole('status').filter({ hasText: '1 suggestion: octopus' }).waitFor()
  await picker.getByRole('searchbox').press('Enter')
  await until(async () => (await field.inputValue()) === 'Fine:octopus:', 'the emoji is in the field')
  await field.fill('')
  wellBehaved(cleo)
})

test('who reacted is said at a reaction, to a pointer, to the keyboard and to a finger', async () => {
  const id = await say('dario', 'general', 'reactions', 'React to this')
  for (const name of ['ada', 'edda']) await server.call(name, 'POST', `/messages/${id}/reactions`, { emoji_name: 'tada' })
  await visit(cleo, 'general', 'reactions')
  const chip = (page) => page.locator(`#message-${id}`).getByRole('button', { name: /reacted with tada/ })
  const tip = (page) => page.locator('.tip').getByText('Ada Berg and Edda Lund reacted with tada', { exact: true })
  await chip(cleo).hover()
  await tip(cleo).waitFor()
  await accessible(cleo, 'who-reacted-tip')
  await cleo.keyboard.press('Escape')
  await tip(cleo).waitFor({ state: 'detached' })
  await cleo.mouse.move(0, 0)
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('ArrowUp')
  await until(async () => (await cleo.keyboard.press('Tab'), chip(cleo).evaluate((button) => button === document.activeElement)), 'the reaction has the focus')
  await tip(cleo).waitFor()
  await cleo.keyboard.press('Tab')
  await tip(cleo).waitFor({ state: 'detached' })
  const phone = await another({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await phone.goto(cleo.url())
  const box = await chip(phone).boundingBox()
  const session = await phone.context().newCDPSession(phone)
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: box.x + 10, y: box.y + 10 }] })
  await tip(phone).waitFor()
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await tip(phone).waitFor()
  assert.equal(await chip(phone).getAttribute('aria-pressed'), 'false')
  await chip(phone).tap()
  await phone.locator(`#message-${id}`).getByRole('button', { name: /^You.* and .*reacted with tada/, pressed: true }).waitFor()
  wellBehaved(phone)
  wellBehaved(cleo)
})

test('a conversation is printed without what is around it, on as many pages as it takes', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, i) => say('cleo', 'general', 'printed', `line ${i} of many`)))
  await visit(cleo, 'general', 'printed')
  await messages(cleo, 'line 59 of many').waitFor()
  const list = cleo.locator('#messages')
  await list.press('End')
  await cleo.locator('.to-end').waitFor({ state: 'detached' })
  await until(async () => (await cleo.getByRole('article').count()) >= 40, 'the rows beyond the screen are there')
  const pages = (await cleo.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g).length
  assert.ok(pages > 1, `${pages} page`)
  assert.ok(await list.evaluate((list) => list.scrollTop > 0 && list.scrollHeight - list.clientHeight - list.scrollTop < 2), 'the list is at its end still')
  await cleo.emulateMedia({ media: 'print' })
  for (const around of ['#sidebar', '.compose', '.bar .search']) assert.equal(await cleo.locator(around).isVisible(), false, around)
  await cleo.emulateMedia({ media: null })
  wellBehaved(cleo)
})

test('a list that is at its end stays there when what is below it, or in it, grows', async () => {
  for (let i = 1; i <= 60; i++) await say('cleo', 'general', 'short', `Number ${i}.`)
  await server.call('cleo', 'POST', '/mark_all_as_read')
  const page = await another({ viewport: { width: 1280, height: 820 } })
  const list = page.locator('#messages')
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await list.focus()
  await list.evaluate((list) => list.scrollTop)
  await page.keyboard.press('c') // while messages above the screen are made
  const below = () => list.evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop)
  await messages(page, 'Number 15.').waitFor()
  assert.ok((await below()) < 2, `the end is ${await below()} pixels below`)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 700 })
  await list.press('End')
  await page.keyboard.press('e')
  await page.getByRole('textbox', { name: 'Edit', exact: true }).waitFor()
  await until(async () => (await below()) < 2 && (await page.locator('.to-end').count()) === 0, 'all of the edit is on screen')
  wellBehaved(page)
  await page.context().close()
})

/** Fills a topic with 400 messages, unless it is. */
let filled
function fill() {
  return (filled ??= (async () => {
    for (let i = 1; i <= 400; i++) await say(i % 3 ? 'cleo' : 'dario', 'general', 'long', `Line ${i}`.padEnd(6 + (i % 40) * 8, ' word'))
  })())
}

test('a long topic is scrolled without jumps', async () => {
  await fill()
  await open(dario, 'general', 'long')
  await messages(dario, 'Line 1').first().waitFor() // the first unread one
  await dario.locator('#compose').press('ArrowUp') // to the own message that came last, which isn't fetched yet
  const edited = dario.getByRole('textbox', { name: 'Edit', exact: true })
  await edited.waitFor()
  assert.match(await edited.inputValue(), /^Line 399/)
  await edited.press('Escape')
  await dario.keyboard.press('G')
  await messages(dario, 'Line 400').waitFor()
  await dario.keyboard.press('k')
  await dario.locator('[data-message]:focus').filter({ hasText: 'Line 399' }).waitFor()
  const before = await dario.evaluate(async () => {
    const list = document.getElementById('messages')
    let worst = 0
    for (let i = 0; i < 60; i++) {
      const row = [...list.querySelectorAll('[data-message]')].find((r) => r.getBoundingClientRect().top >= list.getBoundingClientRect().top)
      const at = row.getBoundingClientRect().top
      const from = list.scrollTop
      list.scrollTop -= 200
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      if (!row.isConnected) continue
      const moved = row.getBoundingClientRect().top - at
      if (from >= 200) worst = Math.max(worst, Math.abs(moved - 200))
    }
    return { worst, rows: list.querySelectorAll('[data-message]').length }
  })
  assert.ok(before.worst <= 2, `a message moved by ${before.worst} pixels more than the list`)
  assert.ok(before.rows <= 180, `${before.rows} messages are in the page`)
  wellBehaved(dario)
})

test('whoever rushes through messages has blank rows, few messages made in a frame, and more fetched before they are wanted', async () => {
  await fill()
  await open(dario, 'general', 'long')
  await dario.reload()
  await dario.locator('.feed-rows[aria-busy=false] [data-message]').first().waitFor()
  await dario.keyboard.press('G')
  await messages(dario, 'Line 400').waitFor()
  await dario.locator('.to-end').waitFor({ state: 'detached' })
  const seen = await dario.evaluate(async () => {
    const list = document.getElementById('messages')
    const rows = () => [...list.querySelectorAll('[data-message]')]
    const left = [] // how many messages there were between those in the page and the oldest one known, whenever older ones were fetched
    const { fetch } = globalThis
    globalThis.fetch = (what, ...rest) => {
      const url = new URL(what, location.href)
      if (url.searchParams.get('num_before') > 0) left.push(rows()[0].dataset.message - url.searchParams.get('anchor'))
      return fetch(what, ...rest)
    }
    let made = 0
    const observer = new MutationObserver((changes) => (made += changes.flatMap((one) => [...one.addedNodes]).filter((node) => node.matches?.('.message')).length))
    observer.observe(list, { childList: true, subtree: true })
    let [most, below, waiting, high, blank] = [0, 0, 0, 0, 0]
    const heights = new Map() // of rows whose time comes later
    for (let i = 0; i < 60; i++) {
      list.scrollTop -= i < 20 ? 70 : 500
      await new Promise(requestAnimationFrame)
      most = Math.max(most, made)
      made = 0
      below = Math.max(below, list.scrollHeight - list.clientHeight - list.scrollTop)
      high = Math.max(high, ...rows().map((row) => row.offsetHeight))
      waiting += list.querySelectorAll('.avatar.later').length
      blank = Math.max(blank, list.querySelectorAll('.blank').length)
    }
    observer.disconnect()
    globalThis.fetch = fetch
    for (let i = 0; i < 20; i++) {
      list.scrollTop += 250
      await new Promise(requestAnimationFrame)
    }
    for (let i = 0; i < 20; i++) {
      list.scrollTop += 70
      await new Promise(requestAnimationFrame)
      rows().filter((row) => row.querySelector('.when:empty')).forEach((row) => heights.set(row.id, row.offsetHeight))
    }
    return { left, most, blank, heights: [...heights], below, waiting, high, contain: getComputedStyle(list.querySelector('.message')).contain, sidebar: getComputedStyle(document.getElementById('sidebar')).isolation }
  })
  assert.ok(seen.heights.length > 0, 'times were written that nobody looked at')
  assert.ok(seen.blank > 10, `${seen.blank} rows were blank`)
  assert.ok(seen.most > 0 && seen.most <= 10, `${seen.most} messages were made in a frame`)
  assert.ok(seen.below <= 1500 + 10 * seen.high, `the page has messages ${seen.below} pixels below the screen`)
  assert.ok(seen.left.length > 0 && Math.min(...seen.left) > 10, `messages were fetched when ${seen.left} were left`)
  assert.ok(seen.waiting > 0, 'pictures were loaded that nobody looked at')
  assert.match(seen.contain, /layout/)
  assert.match(seen.contain, /style/)
  assert.equal(seen.sidebar, 'isolate')
  await dario.locator('#messages .blank').first().waitFor({ state: 'detached' })
  await dario.locator('#messages .avatar.later').first().waitFor({ state: 'detached' })
  await dario.locator('#messages img.avatar').first().waitFor()
  await dario.locator('#messages .when:empty').first().waitFor({ state: 'detached' })
  const heights = (all) => dario.evaluate((all) => all.map(([id]) => [id, document.getElementById(id)?.offsetHeight]), all)
  const kept = (await heights(seen.heights)).filter(([, height]) => height !== undefined)
  assert.ok(kept.length > 0)
  assert.deepEqual(kept, seen.heights.filter(([id]) => kept.some(([other]) => other === id)), 'what comes later changes no heights')
  wellBehaved(dario)
})

// What people do with the client, each as somebody would do it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, enter, launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const password = 'seven cranes over the harbour'
const everything = 'All messages'
let server, browser, cleo, dario

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  await server.call('ada', 'POST', '/users', { email: 'nell@harbour.example', full_name: 'Nell Quay', password })
  cleo = await signedIn(browser, server, 'Cleo Marin')
  dario = await signedIn(browser, server, 'Dario Fuchs')
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** The messages on screen that have a text. */
function messages(page, text) {
  return page.getByRole('article').filter({ hasText: text })
}

/** The sidebar's link with a name, whatever is unread there. */
function entry(page, name) {
  return page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}( \\d+ unread)?$`) })
}

/** Opens a topic of a stream by the sidebar. */
async function open(page, stream, topic) {
  await entry(page, stream).click()
  await page.getByRole('list', { name: `Topics of ${stream}` }).getByRole('link', { name: topic }).click()
  await there(page, `#${stream} › ${topic}`)
}

/** Returns once a page shows the messages of a place, by its title: the title is there before they are. */
async function there(page, title) {
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false] [data-message]').first().waitFor()
}

async function send(page, text) {
  await page.getByRole('textbox', { name: /^Message/ }).fill(text)
  await page.keyboard.press('Control+Enter')
}

/** Pastes or drops a file, of some bytes and beside some words if they are given. */
async function give(page, how, name, bytes, words) {
  await page.getByRole('textbox', { name: /^Message/ }).evaluate(
    (field, { how, name, bytes, words }) => {
      const data = new DataTransfer()
      if (words !== undefined) data.setData('text/plain', words)
      data.items.add(new File([bytes === undefined ? `what ${name} says` : new Uint8Array(bytes)], name, { type: 'text/plain' }))
      field.focus()
      const options = { bubbles: true, cancelable: true }
      field.dispatchEvent(how === 'drop' ? new DragEvent('drop', { ...options, dataTransfer: data }) : new ClipboardEvent('paste', { ...options, clipboardData: data }))
    },
    { how, name, bytes, words },
  )
}

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

test('windows of a browser are all those of the account that was signed in to last', async () => {
  const page = await visitor(browser)
  await server.call('ada', 'POST', '/users', { email: 'wren@harbour.example', full_name: 'Wren Quay', password })
  // A busy server may ask to try again.
  const signIn = (from, username) => until(() => from.evaluate((typed) => fetch('/api/v1/sessions', { method: 'POST', body: new URLSearchParams(typed) }).then((r) => r.ok), { username, password }), 'the password is taken')
  await page.goto(server.site)
  await signIn(page, 'wren@harbour.example')
  await page.reload()
  const field = page.getByRole('textbox', { name: /^Message/ })
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
  await messages(dario, 'Today:').waitFor()
  await accessible(cleo, 'everything')
})

test('what the first screen needs is small', async () => {
  const page = await visitor(browser, { storageState: await cleo.context().storageState() })
  const loaded = []
  page.on('requestfinished', (request) => ['script', 'stylesheet'].includes(request.resourceType()) && loaded.push(request))
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  const sizes = await Promise.all(loaded.map(async (request) => (await request.sizes()).responseBodySize))
  const sum = sizes.reduce((a, b) => a + b, 0)
  assert.ok(loaded.length > 1 && sum > 10_000 && sum <= 180 * 1024, `${loaded.length} files of script and style have ${sum} bytes, compressed`)
  await page.context().close()
})

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

test('everything by keys', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('Escape')
  await there(cleo, everything)
  const focused = () => cleo.evaluate(() => document.activeElement.matches('.selected') && Number(document.activeElement.dataset.message))
  await cleo.keyboard.press('Home') // j alone would begin with the newest message where there is nothing to read
  const first = await until(focused, 'a message is selected')
  await cleo.keyboard.press('j')
  await until(async () => (await focused()) > first, 'the message after it is selected')
  await cleo.keyboard.press('k')
  await until(async () => (await focused()) === first, 'the first one is selected again')
  await cleo.keyboard.press('Escape')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('j')
  await until(async () => (await focused()) === first, 'it has the focus again')
  await cleo.keyboard.press('End')
  await until(async () => (await focused()) > first, 'the newest one is selected')
  await cleo.keyboard.press('Escape')
  const top = () => cleo.getByRole('article').last().evaluate((row) => row.getBoundingClientRect().top) // whatever is made above it
  await until(() => cleo.evaluate(() => document.querySelector('#messages article').getBoundingClientRect().bottom < 0), 'messages above the screen are made')
  const before = await top()
  await cleo.keyboard.press('/')
  await cleo.keyboard.press('Tab')
  await until(async () => (await focused()) > first, 'Tab leads to a message on screen')
  assert.ok(Math.abs((await top()) - before) <= 2, `it was at ${before}, and is at ${await top()}`)
  await cleo.keyboard.press('?')
  const keys = cleo.getByRole('dialog', { name: 'Keyboard shortcuts' })
  assert.deepEqual(await keys.getByRole('heading', { level: 3 }).allTextContents(), ['Everywhere', 'Among messages', 'To other places', 'Writing', 'The selected message'])
  await accessible(cleo, 'keys')
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('c')
  await cleo.getByRole('combobox', { name: 'Stream' }).selectOption('general')
  const topic = cleo.getByRole('combobox', { name: 'Topic' })
  await topic.focus()
  for (let i = 0; i < 61; i++) await cleo.keyboard.insertText('🚢')
  assert.equal(await topic.inputValue(), '🚢'.repeat(60))
  await topic.fill('by keys')
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('No mouse here')
  await accessible(cleo, 'new-topic')
  await cleo.keyboard.press('Control+Enter')
  await there(cleo, '#general › by keys')
  await messages(cleo, 'No mouse here').waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('a')
  await there(cleo, everything)
  await cleo.getByRole('heading', { name: '#general by keys', level: 3, exact: true }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('j')
  await until(focused, 'a message is selected')
  await cleo.keyboard.press('r')
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('Nor here')
  await cleo.keyboard.press('Control+Enter')
  await until(focused, 'the focus is back at the message')
  wellBehaved(cleo)
})

test('names are completed while they are typed', async () => {
  await server.call('ada', 'POST', '/user_groups/create', { name: 'crane crew', description: 'Who climbs', members: [] })
  await open(cleo, 'engineering', 'crane 4')
  await open(dario, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const list = cleo.getByRole('listbox', { name: 'Suggestions' })
  const chosen = () => list.getByRole('option', { selected: true })
  await field.pressSequentially('Ask @da')
  await chosen().filter({ hasText: 'Dario Fuchs' }).waitFor()
  await cleo.emulateMedia({ forcedColors: 'active' })
  assert.equal(await chosen().evaluate((one) => getComputedStyle(one).forcedColorAdjust), 'none', 'what is chosen has a ground where the system has colours of its own')
  await cleo.emulateMedia({ forcedColors: null })
  await accessible(cleo, 'completion')
  assert.equal(await field.evaluate((f) => document.getElementById(f.getAttribute('aria-activedescendant')).getAttribute('aria-selected')), 'true')
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Ask @**Dario Fuchs** ')
  await field.pressSequentially('or @crane')
  await chosen().filter({ hasText: 'crane crew' }).waitFor()
  await field.press('Tab')
  await field.pressSequentially('in #gen')
  await chosen().filter({ hasText: '#general' }).waitFor()
  await field.press('Enter')
  await field.pressSequentially('or #engineering>cra')
  await chosen().filter({ hasText: 'crane 4' }).click()
  await field.pressSequentially(':tad')
  await chosen().filter({ hasText: 'tada' }).waitFor()
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Ask @**Dario Fuchs** or @*crane crew* in #**general** or #**engineering>crane 4** :tada: ')
  await field.press('Control+z')
  assert.equal(await field.inputValue(), 'Ask @**Dario Fuchs** or @*crane crew* in #**general** or #**engineering>crane 4** :tad')
  await field.press('Control+Shift+z')
  await field.pressSequentially('@d')
  await list.waitFor()
  await field.press('ArrowDown')
  await field.press('Escape')
  await list.waitFor({ state: 'detached' })
  assert.equal(await field.evaluate((f) => f === document.activeElement), true)
  await field.press('Control+Enter')
  const sent = messages(dario, 'Ask @Dario Fuchs')
  await sent.waitFor()
  assert.equal(await sent.locator('.user-mention, .user-group-mention, .stream, .stream-topic, .emoji').count(), 5)
  await field.fill('')
  await field.pressSequentially('See\n```py')
  await chosen().filter({ hasText: 'python' }).waitFor()
  await field.press('Enter')
  await field.pressSequentially('x = 4\n```\n')
  assert.equal(await field.inputValue(), 'See\n```python\nx = 4\n```\n')
  await field.fill('')
  wellBehaved(cleo)
})

test('what is chosen among suggestions stays when messages come', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const options = cleo.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
  await field.pressSequentially('Ask @')
  await options.first().waitFor()
  const before = await options.allInnerTexts()
  const last = before.findLastIndex((one) => /@harbour/.test(one)) // of people, those come first who wrote last
  for (let i = 0; i < last; i++) await field.press('ArrowDown')
  const name = before[last].split(/\s+\S*@/)[0]
  await server.call(name.split(' ')[0].toLowerCase(), 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: 'Between two keys' })
  await messages(cleo, 'Between two keys').waitFor()
  assert.deepEqual(await options.allInnerTexts(), before)
  await field.press('Enter')
  assert.equal(await field.inputValue(), `Ask @**${name}** `)
  await field.fill('')
  wellBehaved(cleo)
})

test('what one sends comes to the screen, or is said where it is', async () => {
  const say = (content) => server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'long watch', content })
  for (let i = 0; i < 40; i++) await say(`watch ${i} went by`)
  await open(cleo, 'engineering', 'long watch')
  const list = cleo.locator('#messages')
  await server.call('cleo', 'POST', '/mark_all_as_read')
  await until(() => cleo.evaluate(() => document.querySelector('#sidebar .topics [aria-current] .count') === null), 'all of it is read')
  const away = async () => {
    await list.press('Home')
    await cleo.getByRole('button', { name: 'Newest messages' }).waitFor()
  }
  await away()
  await send(cleo, 'Noted by cleo')
  await until(() => messages(cleo, 'Noted by cleo').first().evaluate((row) => row.getBoundingClientRect().bottom <= document.getElementById('messages').getBoundingClientRect().bottom), 'it is on screen')
  await away()
  await say('one more watch')
  await until(() => cleo.evaluate(() => document.querySelector('#sidebar .topics [aria-current] .count') !== null), 'a message is unread')
  await send(cleo, 'Noted again')
  await cleo.getByRole('status').filter({ hasText: 'Your message is below' }).waitFor()
  assert.equal(await cleo.getByRole('button', { name: 'Newest messages' }).isVisible(), true) // nothing unread is passed over
  await cleo.getByRole('button', { name: 'Newest messages ↓ 1 unread' }).waitFor()
  await entry(cleo, 'Mentions').click()
  await there(cleo, 'Mentions')
  await cleo.getByRole('article').first().click({ position: { x: 5, y: 5 } })
  await cleo.keyboard.press('r')
  await send(cleo, 'Answered from elsewhere')
  await cleo.getByRole('status').filter({ hasText: 'On its way to #' }).waitFor()
  wellBehaved(cleo)
})

test('what was refused is said above the field, however high that is, and closing it leaves the focus in the page', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  await field.fill('A line\n'.repeat(40))
  await cleo.route('**/api/v1/messages/flags', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not today', code: 'BAD_REQUEST' } }))
  await cleo.getByRole('article').last().locator('.content').click()
  await cleo.keyboard.press('*')
  const notice = cleo.getByRole('alert').filter({ hasText: 'Not today' })
  await notice.waitFor()
  const [said, sends] = await Promise.all([notice, cleo.locator('footer.compose')].map((part) => part.boundingBox()))
  assert.ok(said.y + said.height <= sends.y, `it ends at ${said.y + said.height}, and the field begins at ${sends.y}`)
  await notice.getByRole('button', { name: 'Close' }).focus()
  await cleo.keyboard.press('Enter')
  await until(() => cleo.evaluate(() => document.activeElement.closest('main') !== null), 'the focus is among the messages')
  await cleo.unroute('**/api/v1/messages/flags')
  await cleo.keyboard.press('Escape') // nothing is selected any more
  await field.fill('')
  wellBehaved(cleo)
})

test('of many files a few are in sight, and what is written to stays on screen', async () => {
  await open(cleo, 'engineering', 'crane 4')
  let release
  const held = new Promise((resolve) => (release = resolve))
  await cleo.route('**/user_uploads', async (route) => {
    await held
    await route.abort()
  })
  const chosen = cleo.waitForEvent('filechooser')
  await cleo.getByRole('button', { name: 'Attach files' }).click()
  await (await chosen).setFiles(Array.from({ length: 20 }, (_, i) => ({ name: `picture ${i}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') })))
  const reached = async () => {
    const { y, height } = await cleo.getByRole('button', { name: 'Preview' }).boundingBox()
    assert.ok(y + height <= cleo.viewportSize().height, `the end of the form is at ${y + height}`)
  }
  await cleo.getByRole('list', { name: 'Files on their way' }).getByRole('listitem').nth(19).waitFor()
  await reached()
  await cleo.getByRole('status').filter({ hasText: /^Uploading 20 files…$/ }).waitFor() // which is heard once
  release()
  await cleo.getByRole('status').filter({ hasText: 'No more files are being uploaded.' }).waitFor()
  await cleo.getByRole('alert').filter({ hasText: 'picture 19.txt' }).waitFor()
  await reached()
  await cleo.unroute('**/user_uploads')
  for (let i = 20; i > 0; i--) await cleo.getByRole('alert').getByRole('button', { name: 'Close' }).first().click()
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('')
  wellBehaved(cleo)
})

test('files are uploaded by button, pasting and dropping', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await open(dario, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  await field.fill('Plans: ')
  let release
  const held = new Promise((resolve) => (release = resolve))
  await cleo.route('**/user_uploads', async (route) => {
    await held
    await route.continue()
  })
  const chosen = cleo.waitForEvent('filechooser')
  await cleo.getByRole('button', { name: 'Attach files' }).click()
  await (await chosen).setFiles(['a [1].txt', '**b**.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })))
  await cleo.getByRole('list', { name: 'Files on their way' }).getByRole('listitem').nth(1).waitFor()
  await field.press('End')
  await field.pressSequentially('and ')
  await accessible(cleo, 'uploading')
  await field.press('Control+Enter')
  await cleo.getByRole('alert').filter({ hasText: 'still being uploaded' }).waitFor()
  await give(cleo, 'paste', 'cells.png', [0], 'not its name') // the words are meant
  await give(cleo, 'paste', 'c.txt', undefined, '/home/cleo/c.txt') // as macOS does
  await cleo.getByRole('button', { name: 'Stop uploading c.txt' }).click()
  await give(cleo, 'drop', 'd.txt')
  release()
  await until(async () => !(await field.inputValue()).includes('Uploading'), 'all is uploaded')
  const written = await field.inputValue()
  assert.match(written, /^Plans: \[a _1_\.txt\]\(\/user_uploads\/\S+\) \[__b__\.txt\]\(\/user_uploads\/\S+\) and +\[d\.txt\]\(\/user_uploads\/\S+\) $/)
  await field.press('Control+Enter')
  const sent = messages(dario, 'Plans:')
  await sent.waitFor()
  const file = await sent.getByRole('link', { name: 'd.txt' }).getAttribute('href')
  assert.equal(await dario.evaluate((href) => fetch(href).then((r) => r.text()), file), 'what d.txt says')
  await cleo.unroute('**/user_uploads')
  wellBehaved(cleo)
})

test('a file that is refused says why, and what was typed stays', async () => {
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const refused = () => cleo.getByRole('alert').filter({ hasText: 'wasn’t uploaded' })
  await field.fill('Here it is: ')
  await cleo.route('**/user_uploads', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Upload would exceed your organization\'s upload quota.', code: 'REALM_UPLOAD_QUOTA' } }))
  await give(cleo, 'drop', '<img src=x onerror=violated(40)>.txt')
  await refused().filter({ hasText: '<img src=x onerror=violated(40)>.txt wasn’t uploaded. Upload would exceed' }).waitFor()
  await accessible(cleo, 'upload-refused')
  await until(async () => (await field.inputValue()).trim() === 'Here it is:', 'nothing but what was typed is left')
  await refused().getByRole('button', { name: 'Close' }).click()
  await give(cleo, 'drop', 'large.bin', 26 << 20)
  await refused().filter({ hasText: 'large.bin wasn’t uploaded. Files can have at most 25 MiB.' }).waitFor()
  await cleo.route('**/user_uploads', (route) => route.abort())
  await give(cleo, 'paste', 'lost.txt')
  await refused().filter({ hasText: 'lost.txt wasn’t uploaded. The server can’t be reached.' }).waitFor()
  assert.equal((await field.inputValue()).trim(), 'Here it is:')
  await field.press('Control+Enter')
  await until(async () => (await field.inputValue()) === '', 'it is sent without the file')
  assert.equal(await refused().filter({ hasText: 'large.bin' }).count(), 0)
  await field.fill('Here it is: ')
  await cleo.unroute('**/user_uploads')
  await refused().getByRole('button', { name: 'Try again: lost.txt' }).click()
  await until(async () => /^Here it is: +\[lost\.txt\]\(\/user_uploads\/\S+\) $/.test(await field.inputValue()), 'it is uploaded after all')
  assert.equal(await refused().filter({ hasText: 'lost.txt' }).count(), 0)
  await field.fill('')
  wellBehaved(cleo)
})

test('a video call is a link of its own, unless the organization has none', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const button = cleo.getByRole('button', { name: 'Video call' })
  await field.fill('Come: ')
  await button.click()
  await button.click()
  const calls = [...(await field.inputValue()).matchAll(/\[Join the video call\]\((https:\/\/meet\.jit\.si\/[a-z0-9]{20})\)/g)].map(([, address]) => address)
  assert.equal(calls.length, 2)
  assert.notEqual(calls[0], calls[1])
  await field.fill('')
  await server.call('ada', 'PATCH', '/realm', { video_chat_provider: 0 })
  await button.waitFor({ state: 'detached' })
  await server.call('ada', 'PATCH', '/realm', { video_chat_provider: 1 })
  await button.waitFor()
  wellBehaved(cleo)
})

test('text is formatted and previewed, and that can be undone', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const bar = cleo.getByRole('toolbar', { name: 'Formatting' })
  await field.fill('Mind the cable')
  await field.evaluate((f) => f.setSelectionRange(9, 14))
  await bar.getByRole('button', { name: 'Bold' }).click()
  assert.equal(await field.inputValue(), 'Mind the **cable**')
  await field.press('Control+i')
  assert.equal(await field.inputValue(), 'Mind the ***cable***')
  await field.press('Control+z')
  assert.equal(await field.inputValue(), 'Mind the **cable**')
  await bar.getByRole('button', { name: 'Bold' }).focus()
  await cleo.keyboard.press('ArrowLeft')
  await cleo.keyboard.press('Enter')
  const shown = cleo.getByRole('region', { name: 'Preview' })
  await shown.locator('strong', { hasText: 'cable' }).waitFor()
  await accessible(cleo, 'preview')
  await bar.getByRole('button', { name: 'Preview' }).click()
  await field.fill('<img src=x onerror=violated(50)> [x](javascript:violated(51))')
  await bar.getByRole('button', { name: 'Preview' }).click()
  await shown.getByText('<img src=x').waitFor()
  assert.equal(await shown.locator('img, a').count(), 0)
  await cleo.getByRole('button', { name: 'Send' }).click()
  await messages(dario, 'violated(50)').waitFor()
  await field.waitFor()
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('an address that is pasted over words is their link, and buttons begin formulas, times and polls', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const paste = (words) =>
    field.evaluate((e, words) => {
      const data = new DataTransfer()
      data.setData('text/plain', words)
      return e.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }))
    }, words)
  await field.fill('See the plan')
  await field.evaluate((e) => e.setSelectionRange(4, 12))
  assert.equal(await paste('no address'), true, 'the browser pastes it')
  assert.equal(await paste('https://harbour.example/plan'), false)
  assert.equal(await field.inputValue(), 'See [the plan](https://harbour.example/plan)')
  await field.press('Control+z')
  assert.equal(await field.inputValue(), 'See the plan')
  await field.fill('at ')
  await cleo.getByRole('button', { name: 'Time, for each in their zone' }).click()
  await field.press('End')
  await field.pressSequentially(' x')
  await field.press('Shift+ArrowLeft')
  await cleo.getByRole('button', { name: 'Formula' }).click()
  await accessible(cleo, 'formats')
  await cleo.getByRole('button', { name: 'Preview' }).click()
  await cleo.locator('.preview time').waitFor()
  await cleo.locator('.preview math').waitFor()
  await cleo.getByRole('button', { name: 'Preview' }).click()
  await field.fill('Tea?')
  await cleo.getByRole('button', { name: 'Poll' }).click()
  assert.equal(await field.inputValue(), '/poll Tea?')
  await field.fill('')
  await cleo.keyboard.press('ArrowUp')
  await cleo.locator('.editor').waitFor()
  assert.equal(await cleo.locator('.editor').getByRole('button', { name: 'Poll' }).count(), 0)
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('what is pasted of pages and documents keeps its links, lists, code and tables', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  const pasted = async (html, before = '') => {
    await field.fill(before)
    const taken = await field.evaluate((e, html) => {
      const data = new DataTransfer()
      data.setData('text/plain', 'plain')
      data.setData('text/html', html)
      return !e.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }))
    }, html)
    return taken ? field.inputValue() : 'as text'
  }
  assert.equal(
    await pasted('<h2 style="color: red">The <b>crane</b></h2><p>It is <strong>late </strong>(<em>see</em> <a href="https://harbour.example/a(b)">the plan</a>), says <a href="https://harbour.example">https://harbour.example/</a>.<br>Run <code>go up</code>\n now.</p><ul><li>one<ol><li>first</li><li>second</li></ol></li><li><p>two</p></li></ul><blockquote><p>a</p><p>b</p></blockquote><pre>x\n  ```y</pre><script>alert(1)</script><style>p {}</style><img src=x onerror="alert(1)">'),
    '## The crane\n\nIt is **late** (*see* [the plan](https://harbour.example/a%28b%29)), says https://harbour.example/.\nRun `go up` now.\n\n* one\n  1. first\n  2. second\n* two\n\n> a\n>\n> b\n\n````\nx\n  ```y\n````',
  )
  assert.equal(await pasted('<b style="font-weight:normal;"><p>Just <a href="javascript:alert(1)">words</a></p><p>of <b>a</b> document</p></b>'), 'Just words\n\nof **a** document')
  assert.equal(await pasted('<table><tr><th>Ship</th><th>Berth</th></tr><tr><td>Ada | Eva</td><td>4</td></tr><tr><td>Olga</td></tr></table>'), '| Ship | Berth |\n| --- | --- |\n| Ada \\| Eva | 4 |\n| Olga |  |')
  await cleo.getByRole('button', { name: 'Preview' }).click()
  await cleo.locator('.preview td').first().waitFor()
  assert.equal(await cleo.locator('.preview td').count(), 4)
  await cleo.getByRole('button', { name: 'Preview' }).click()
  const asText = {
    'code of an editor': '<div style="font-family: monospace; white-space: pre"><div><span style="color: blue">if</span> x:</div></div>',
    'a piece of code': '<meta charset="utf-8"><pre style="color: red"><span>if</span> x:</pre>',
    'one cell': '<table><tr><td>4</td></tr></table>',
    'numbered lines of code': '<table><tr><td data-line-number="1"></td><td>if x:</td></tr><tr><td></td><td>  y</td></tr></table>',
    'whole messages': '<article data-message="1"><strong>Ada</strong></article>',
  }
  for (const [what, html] of Object.entries(asText)) assert.equal(await pasted(html), 'as text', what)
  assert.equal(await pasted('<b>x</b>', '```\n'), 'as text', 'in code')
  await field.fill('')
  wellBehaved(cleo)
})

test('people are chosen by Enter or Tab, and taken back by Backspace', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('Escape')
  await cleo.getByRole('heading', { name: everything, level: 1 }).waitFor()
  await cleo.keyboard.press('x')
  const to = cleo.getByRole('combobox', { name: 'To' })
  const chosen = cleo.locator('.new-place').getByRole('list', { name: 'People' }).getByRole('listitem')
  await to.pressSequentially('dari')
  await to.press('Enter')
  await to.pressSequentially('edd')
  await to.press('Tab')
  await chosen.filter({ hasText: 'Edda Lund' }).waitFor()
  assert.equal(await to.evaluate((field) => field === document.activeElement), true)
  await to.press('Backspace')
  await chosen.filter({ hasText: 'Edda Lund' }).waitFor({ state: 'detached' })
  assert.equal(await chosen.count(), 1)
  await to.press('Tab')
  await cleo.keyboard.type('Only you')
  assert.equal(await cleo.getByRole('textbox', { name: /^Message/ }).inputValue(), 'Only you')
  await to.pressSequentially('Edd') // a click leads on
  await cleo.getByRole('textbox', { name: /^Message/ }).click()
  await cleo.keyboard.press('Control+Enter')
  await until(() => to.evaluate((field) => field === document.activeElement && field.validationMessage !== ''), 'the name that is not whole is asked for')
  assert.equal(await cleo.getByRole('textbox', { name: /^Message/ }).inputValue(), 'Only you')
  await to.fill('')
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('')
  await to.focus()
  await to.press('Backspace')
  await chosen.waitFor({ state: 'detached' })
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('a message that is begun as soon as a view is there is begun', async () => {
  await cleo.evaluate(
    () =>
      new Promise((done) => {
        new MutationObserver((_, observer) => {
          observer.disconnect()
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true, cancelable: true }))
          done()
        }).observe(document.querySelector('h1'), { childList: true, characterData: true, subtree: true })
        location.hash = '#narrow/is/starred'
      }),
  )
  await cleo.getByRole('heading', { name: 'Starred', level: 1 }).waitFor()
  await cleo.getByRole('combobox', { name: 'To' }).waitFor()
  await cleo.keyboard.press('Escape')
  await cleo.evaluate(async () => { // two keys, before the browser says that the address has changed
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    press('a')
    for (let i = 0; i < 10; i++) await undefined // what the first one changes is rendered
    press('x')
  })
  await cleo.getByRole('heading', { name: everything, level: 1 }).waitFor()
  await cleo.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  await cleo.getByRole('combobox', { name: 'To' }).waitFor()
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

/** Presses keys, each as soon as what the one before changes is rendered, and before a frame is; what is at a field types. Returns where the last one led. */
function press(page, ...keys) {
  return page.evaluate(async (keys) => {
    for (const key of keys) {
      const at = document.activeElement
      const goesOn = at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      if (goesOn && at.matches('input, textarea')) document.execCommand('insertText', false, key)
      for (let i = 0; i < 30; i++) await undefined
    }
    const { id, value } = document.activeElement
    return [id, value]
  }, keys)
}

test('whoever types fast meets what the keys before led to', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const list = cleo.locator('#messages')
  const settled = () => cleo.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  const leave = async () => {
    await cleo.getByRole('textbox', { name: /^Message/ }).fill('')
    await cleo.keyboard.press('Escape')
    await list.focus()
  }
  await list.focus()
  await cleo.keyboard.press('End')
  await cleo.locator('.message.selected:focus').waitFor()
  assert.deepEqual(await press(cleo, 'r', 'o', 'n'), ['compose', 'on'])
  await leave()
  await cleo.keyboard.press('k')
  await cleo.locator('.message.selected:focus').waitFor()
  assert.deepEqual(await press(cleo, 'R', 'o', 'n'), ['compose', 'on'])
  await leave()
  assert.deepEqual(await press(cleo, 'c', 'q'), ['new-topic', 'q'])
  await cleo.getByRole('combobox', { name: 'Topic' }).fill('')
  await cleo.keyboard.press('Escape')
  await list.focus()
  assert.deepEqual(await press(cleo, 'x', 'e'), ['new-place', 'e'])
  await cleo.getByRole('combobox', { name: 'To' }).fill('')
  await cleo.keyboard.press('Escape')
  await list.focus()
  for (const [key, name] of [['q', 'All streams'], ['d', 'Drafts']]) {
    const dialog = cleo.getByRole('dialog', { name })
    for (const keys of [[key], ['a', key]]) { // the first time it is loaded
      await press(cleo, ...keys)
      await dialog.waitFor()
      await settled()
      assert.equal(await dialog.count(), 1, `${keys} closes what it opens`)
      await cleo.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await open(cleo, 'engineering', 'crane 4')
    await list.focus()
  }
  await press(cleo, 'k', 'k', 'i')
  await settled()
  assert.equal(await cleo.evaluate(() => document.activeElement.role), 'menuitem')
  await cleo.keyboard.press('Escape')
  await press(cleo, 'D', 'c') // by a link
  await settled()
  assert.equal(await cleo.evaluate(() => document.activeElement.id), 'new-topic')
  await cleo.keyboard.press('Escape')
  await open(cleo, 'engineering', 'crane 4')
  await list.focus()
  const people = cleo.getByRole('complementary', { name: 'People' })
  await cleo.keyboard.press('w')
  await people.waitFor()
  await cleo.keyboard.press('Escape')
  await list.focus()
  assert.deepEqual(await press(cleo, 'a', 'w', 'n', 'o'), ['find-people', 'no'])
  await settled()
  assert.equal(await people.count(), 1)
  await people.getByRole('searchbox').fill('')
  await cleo.keyboard.press('Escape')
  await open(cleo, 'engineering', 'crane 4')
  await list.focus()
  assert.deepEqual(await press(cleo, 'a', '/', 'n', 'o'), ['search', 'no'])
  await settled()
  assert.equal(await cleo.getByRole('combobox', { name: /^Search/ }).inputValue(), 'no')
  await cleo.getByRole('combobox', { name: /^Search/ }).fill('')
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('a key that belongs to a character that is being composed closes nothing', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('x')
  const place = cleo.getByRole('combobox', { name: 'To' })
  await place.waitFor()
  const field = cleo.getByRole('textbox', { name: 'Message' })
  await field.evaluate((e) => e.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, cancelable: true })))
  await cleo.evaluate(() => new Promise(requestAnimationFrame))
  assert.equal(await place.count(), 1)
  await field.press('Escape')
  await place.waitFor({ state: 'detached' })
})

test('a sign is a key however a keyboard has it', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('k')
  await cleo.locator('.message.selected').waitFor()
  const sender = await cleo.locator('.message.selected .sender bdi').textContent()
  const press = (key) => cleo.evaluate((key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true })), key)
  assert.equal(await press('r'), true, 'a letter with Alt belongs to the browser')
  assert.equal(await press('@'), false)
  const field = cleo.getByRole('textbox', { name: /^Message/ })
  await until(async () => (await field.inputValue()) === `@**${sender}** `, 'the sender is mentioned')
  await field.fill('')
  await field.press('Escape')
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
  const field = cleo.getByRole('textbox', { name: /^Message/ })
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
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('Half a sent')
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
  assert.equal(await cleo.getByRole('textbox', { name: /^Message/ }).inputValue(), 'Half a sent')
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

test('a long topic is scrolled without jumps', async () => {
  for (let i = 1; i <= 400; i++) {
    await server.call(i % 3 ? 'cleo' : 'dario', 'POST', '/messages', { type: 'stream', to: 'general', topic: 'long', content: `Line ${i}`.padEnd(6 + (i % 40) * 8, ' word') })
  }
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

test('a phone has one column', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, storageState: await cleo.context().storageState(), colorScheme: 'dark', hasTouch: true })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await accessible(phone, 'phone')
  await phone.getByRole('button', { name: 'Menu' }).click()
  await accessible(phone, 'phone-menu')
  await entry(phone, 'kitchen').click()
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('list', { name: 'Topics of kitchen' }).getByRole('link', { name: 'lunch' }).click()
  await messages(phone, 'fish soup').waitFor()
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  wellBehaved(phone)
})

test('what is said over the sidebar of a phone is closed without it', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, storageState: await cleo.context().storageState(), hasTouch: true })
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

test('the first messages are asked for early, once, and are never older than the events', async () => {
  const page = await visitor(browser, { storageState: await cleo.context().storageState() })
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

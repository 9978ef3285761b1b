// Errors as people meet them: what an action says, keeps and repeats when the server refuses it, or a bad line or a proxy loses its answer.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const password = 'seven cranes over the harbour'
const sentence = 'The tide table'
const picture = { name: 'knot.png', mimeType: 'image/png', buffer: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64') }
let server, browser, kitchen
const pages = {}

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  pages.ada = await signedIn(browser, server, 'Ada Berg')
  pages.cleo = await signedIn(browser, server, 'Cleo Marin')
  pages.nobody = await visitor(browser)
  await pages.nobody.goto(server.site)
  for (const content of [sentence, '/poll Soup?\nLentil\nPea']) await server.call('cleo', 'POST', '/messages', { type: 'stream', to: 'kitchen', topic: 'tides', content })
  kitchen = (await server.call('cleo', 'GET', '/get_stream_id', { stream: 'kitchen' })).stream_id
})

after(async () => {
  await browser.close()
  await server.stop()
})

function answered(status, msg, more = {}) {
  return (route) => route.fulfill({ status, json: { result: 'error', msg, code: 'BAD_REQUEST', ...more } })
}

/** What becomes of a call, and what is then said. */
const faults = {
  'is refused': [answered(400, 'The harbour master says no.'), 'The harbour master says no.'],
  'finds the server without its database': [answered(503, 'The harbour is full.', { code: 'UNAVAILABLE' }), 'The harbour is full.'],
  'is one too many': [answered(429, 'Too many ships.', { code: 'RATE_LIMIT_HIT', 'retry-after': 1 }), 'Too many ships.'],
  'is cut off': [(route) => route.abort('connectionreset'), 'The server can’t be reached.'],
  'meets a network that wants a sign-in': [(route) => route.fulfill({ contentType: 'text/html', body: '<h1>Welcome aboard</h1>' }), 'Something else answered in place of the server.'],
  'meets a proxy without a server': [(route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }), 'The server can’t be reached.'],
}

const top = (page) => page.locator('dialog[open]').or(page.locator('body')).last()
const field = (page, label) => top(page).locator('input, textarea, select').and(page.getByLabel(label, { exact: true }))
const button = (name) => (page) => top(page).getByRole('button', { name, exact: true }).first().click({ force: true }) // it may be busy
const fill = (label, text) => (page) => field(page, label).fill(text)
const enter = (label) => (page) => field(page, label).press('Enter')
const files = (label) => (page) => page.getByLabel(label).setInputFiles(picture)
const item = (name) => (page) => page.getByRole('menuitem', { name }).click()

/** Does steps one after the other. */
function all(...steps) {
  return async (page) => {
    for (const step of steps) await step(page)
  }
}

/** Opens a page of settings. */
function at(path, title) {
  return async (page) => {
    await page.evaluate((to) => (location.hash = '#' + to), path)
    await page.getByRole('heading', { name: title, level: 2, exact: true }).waitFor()
  }
}

/** Opens the topic with the message. */
async function topic(page) {
  await page.evaluate((id) => (location.hash = `#narrow/stream/${id}/topic/tides`), kitchen)
  await message(page).waitFor()
}

function message(page) {
  return page.getByRole('article').filter({ hasText: sentence })
}

/** Presses a button of the message. */
function ofMessage(name) {
  return async (page) => {
    await message(page).hover()
    await message(page).getByRole('button', { name }).click()
  }
}

/** Closes what is said of files that weren't uploaded. */
async function forget(page) {
  for (const close of await page.locator('.not-uploaded').getByRole('button', { name: 'Close' }).all()) await close.click()
}

/**
 * The actions: who does them, with which call, what comes before, what is pressed, and in which field what was typed stays. taken: the server
 * takes the call once, and would refuse its repetition; shows: the field that comes then; many: each press is another one; wrong: the server wouldn't take it.
 */
const actions = {
  'signing in': { who: 'nobody', call: 'POST /sessions', open: all(fill('Email address', 'cleo@harbour.example'), fill('Password', password)), press: button('Sign in'), keeps: ['Email address', 'cleo@harbour.example'], wrong: true },
  'an edit': { call: 'PATCH /messages/*', open: all(topic, ofMessage('Edit'), fill('Edit', sentence + ' of May')), press: button('Save'), keeps: ['Edit', sentence + ' of May'] },
  'a star': { call: 'POST /messages/flags', open: topic, press: ofMessage(/tar/) },
  'a reaction': { call: 'POST /messages/*/reactions', open: all(topic, (page) => message(page).click()), press: (page) => page.keyboard.press('+') },
  'a vote': { call: 'POST /submessage', open: topic, press: (page) => page.getByRole('button', { name: /Lentil/ }).click() },
  'an option': { call: 'POST /submessage', open: all(topic, fill('Another option', 'Leek')), press: enter('Another option'), keeps: ['Another option', 'Leek'], taken: true },
  'a file': { call: 'POST /user_uploads', open: all(topic, fill('Message #kitchen › tides', 'See ')), press: all(forget, (page) => page.locator('.compose input[type=file]').setInputFiles(picture)), many: true },
  'a topic that is muted': { call: 'PATCH /users/me/subscriptions/muted_topics', open: topic, press: all((page) => page.getByRole('main').getByRole('button', { name: 'What to do with tides' }).click(), item(/^(Mute|No longer mute)/)) },
  'a topic that is renamed': { who: 'ada', call: 'PATCH /messages/*', open: all(topic, (page) => page.getByRole('main').getByRole('button', { name: 'What to do with tides' }).click(), item(/^Rename/), fill('Topic', 'tides of May')), press: button('Save'), keeps: ['Topic', 'tides of May'] },
  'a status': { call: 'POST /users/me/status', open: all((page) => page.getByRole('button', { name: /^Harbour Works/ }).click(), item('Your status'), fill('What you are doing', 'On a boat')), press: button('Save'), keeps: ['What you are doing', 'On a boat'] },
  'a stream': { call: 'POST /users/me/subscriptions', open: all((page) => page.keyboard.press('q'), button('New stream'), fill('Name', 'dredging')), press: button('Create'), keeps: ['Name', 'dredging'], taken: true },
  'a name': { call: 'PATCH /settings', open: all(at('settings/profile', 'Profile'), fill('Name', 'Cleo Marina')), press: enter('Name'), keeps: ['Name', 'Cleo Marina'] },
  'a picture': { call: 'POST /users/me/avatar', open: at('settings/profile', 'Profile'), press: files('Choose a picture'), many: true },
  'a switch': { call: 'PATCH /settings/display', open: at('settings/display', 'Display'), press: (page) => page.getByRole('switch', { name: 'Compact' }).click(), many: true },
  'a rule': { who: 'ada', call: 'PATCH /realm', open: at('organization/rules', 'Rules'), press: async (page) => field(page, 'Who invites').selectOption({ index: (await field(page, 'Who invites').inputValue()) === '0' ? 1 : 0 }), many: true },
  'an invitation': { who: 'ada', call: 'POST /invites', open: all(at('organization/invitations', 'Invitations'), fill('Mail addresses', 'finn@elsewhere.example')), press: button('Send invitations'), keeps: ['Mail addresses', 'finn@elsewhere.example'] },
  'a stream that gets another name': { who: 'ada', call: 'PATCH /streams/*', open: all(at('organization/streams', 'Streams'), button('dredging'), fill('Name', 'deep water')), press: enter('Name'), keeps: ['Name', 'deep water'], taken: true },
  'a question': { who: 'ada', call: 'POST /realm/profile_fields', open: all(at('organization/fields', 'Profile questions'), button('Add a question'), fill('Question', 'Boat')), press: button('Add the question'), keeps: ['Question', 'Boat'], taken: true },
  'a bot': { call: 'POST /bots', open: all(at('organization/bots', 'Bots'), button('Add a bot'), fill('Name', 'Winch watch')), press: button('Add the bot'), keeps: ['Name', 'Winch watch'], taken: true, shows: 'zuliprc' },
  'an emoji': { call: 'POST /realm/emoji/*', open: all(at('organization/emoji', 'Emoji'), files('Choose an image')), press: button('Add the emoji'), keeps: ['Name of the emoji', 'knot'], taken: true },
  'an archive': { who: 'ada', call: 'POST /export/realm', open: all(at('organization/exports', 'Export and import'), (page) => page.getByText('There is no archive.').waitFor()), press: button('Make an archive') },
}

/** What is said to be wrong. */
function problems(page) {
  return page.locator('.problem, .notice:not(.said)').filter({ visible: true, hasText: /\S/ })
}

for (const [name, { who = 'cleo', call, open, press, keeps, taken, shows, many, wrong }] of Object.entries(actions)) {
  test(`${name} says why it failed, loses nothing, and is repeated`, async () => {
    const page = pages[who]
    const [method, path] = call.split(' ')
    const pattern = new RegExp(`/api/v1${path.replaceAll('*', '[^/]+')}(\\?.*)?$`)
    let [calls, fault] = [0, undefined]
    await page.route(pattern, (route) => {
      if (route.request().method() !== method || fault === undefined) return route.fallback()
      calls++
      return fault(route)
    })
    const says = (text) => page.getByText(text).filter({ visible: true })
    const check = async (what, text) => {
      await says(text).first().waitFor()
      assert.equal(await says(text).count(), 1, what)
      assert.equal(calls, 1, `${what}: calls`)
      if (keeps !== undefined) assert.equal(await field(page, keeps[0]).inputValue(), keeps[1], what)
    }
    await open(page)
    for (const [what, [does, text]] of Object.entries(faults)) {
      ;[calls, fault] = [0, does]
      await press(page)
      await check(what, text)
    }

    let end
    const late = new Promise((resolve) => (end = resolve))
    ;[calls, fault] = [0, (route) => late.then(() => answered(400, 'At last, no.')(route))]
    await press(page)
    await until(() => calls === 1, 'the call is made')
    if (!many) await press(page) // whoever waits presses again
    end()
    await check('takes long', 'At last, no.')

    if (taken) { // the server has it, though the answer doesn't come
      ;[calls, fault] = [0, async (route) => {
        const answer = await route.fetch()
        assert.equal(answer.status(), 200, await answer.text())
        await new Promise((done) => setTimeout(done, 300)) // so that its event is there before it fails
        await route.abort('connectionreset')
      }]
      const failed = page.waitForEvent('requestfailed')
      await press(page)
      await failed
    }
    if (!wrong) {
      fault = undefined
      await press(page).catch((error) => (taken ? undefined : Promise.reject(error))) // the field may be gone when the event comes
      await until(async () => (await problems(page).count()) === 0, 'nothing is amiss any more')
      if (shows !== undefined) await field(page, shows).waitFor()
    }
    await page.unroute(pattern)
    for (let i = 0; i < 3 && (await page.locator('dialog[open]').count()) > 0; i++) await page.keyboard.press('Escape')
    wellBehaved(page)
  })
}

// What people read: what messages can have in them, and the ways to find them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

let server, browser, cleo, dario

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  cleo = await visitor(browser)
  await cleo.goto(server.link('Cleo Marin'))
  await cleo.getByRole('article').first().waitFor()
  dario = await visitor(browser)
  await dario.goto(server.link('Dario Fuchs'))
  await dario.getByRole('article').first().waitFor()
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** Sends a message to a topic of general, and returns its id. */
async function say(name, topic, content) {
  return (await server.call(name, 'POST', '/messages', { type: 'stream', to: 'general', topic, content })).id
}

/** Adds a part to a message, as somebody. */
function part(name, message, says) {
  return server.call(name, 'POST', '/submessage', { message_id: message, msg_type: 'widget', content: typeof says === 'string' ? says : JSON.stringify(says) })
}

/** Opens a topic of general by its address. */
async function open(page, topic, near) {
  const { streams } = await server.call('cleo', 'GET', '/streams')
  const stream = streams.find((s) => s.name === 'general').stream_id
  await page.evaluate((to) => (location.hash = to), `#narrow/stream/${stream}-general/topic/${topic.replaceAll(' ', '.20')}${near === undefined ? '' : `/near/${near}`}`)
  await page.getByRole('heading', { name: `#general › ${topic}`, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
}

/** The message on screen with an id. */
function row(page, id) {
  return page.locator(`#message-${id}`)
}

async function write(page, text) {
  await page.getByRole('textbox', { name: /^Message/ }).fill(text)
  await page.keyboard.press('Control+Enter')
}

test('a poll is asked, voted in by two, and added to', async () => {
  await open(cleo, 'polls')
  await open(dario, 'polls')
  await write(cleo, '/poll When is tea?\n- at four\n* at five')
  const mine = cleo.getByRole('region', { name: 'When is tea?' })
  const theirs = dario.getByRole('region', { name: 'When is tea?' })
  await theirs.getByRole('button', { name: '0 votes: at five' }).click()
  await mine.getByRole('button', { name: '1 vote: at five Dario Fuchs', pressed: false }).focus()
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('button', { name: '2 votes: at five You and Cleo Marin', pressed: true }).click()
  await mine.getByRole('button', { name: '1 vote: at five You', pressed: true }).waitFor()
  await mine.getByRole('textbox', { name: 'Another option' }).fill('never')
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('button', { name: '0 votes: never' }).waitFor()
  assert.equal(await mine.getByRole('textbox', { name: 'Another option' }).inputValue(), '')
  assert.equal(await theirs.getByRole('button', { name: 'Change the question' }).count(), 0)
  await mine.getByRole('button', { name: 'Change the question' }).click()
  await accessible(cleo, 'poll')
  await mine.getByRole('textbox', { name: 'Question' }).fill('When is coffee?')
  await cleo.keyboard.press('Enter')
  await dario.getByRole('region', { name: 'When is coffee?' }).waitFor()
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('tasks are added and ticked', async () => {
  await write(cleo, '/todo')
  const mine = cleo.getByRole('region', { name: 'To do' })
  const theirs = dario.getByRole('region', { name: 'To do' })
  await mine.getByRole('textbox', { name: 'Another task' }).fill('Paint the crane: yellow')
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow' }).click()
  await mine.getByRole('checkbox', { name: 'Paint the crane yellow', checked: true }).focus()
  await accessible(cleo, 'todo')
  await cleo.keyboard.press('Space')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow', checked: false }).waitFor()
  wellBehaved(cleo)
})

test('a part that is refused says why, and what was typed stays', async () => {
  const field = cleo.getByRole('region', { name: 'When is coffee?' }).getByRole('textbox', { name: 'Another option' })
  await cleo.route('**/api/v1/submessage', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'There is no room for another one.', code: 'BAD_REQUEST' } }))
  await field.fill('maybe')
  await field.press('Enter')
  await cleo.getByRole('alert').filter({ hasText: 'no room' }).waitFor()
  assert.equal(await field.inputValue(), 'maybe')
  await cleo.unroute('**/api/v1/submessage')
})

test('parts that others make up change nothing', async () => {
  const plain = await say('cleo', 'polls', 'Nothing to vote on')
  await part('dario', plain, { widget_type: 'poll', extra_data: { question: 'Hijacked?', options: ['yes'] } })
  const poll = await say('cleo', 'polls', '/poll <img src=x onerror=violated(60)>\n<svg onload=violated(61)>')
  for (const says of ['null', '[[]]', '"x"', { type: 'question', question: 'Hijacked!' }, { type: 'vote', key: '__proto__', vote: 1 }, { type: 'new_option', idx: {}, option: 1 }]) await part('dario', poll, says)
  await part('dario', poll, { type: 'new_option', idx: 1, option: '"><script>violated(62)</script>' })
  const region = row(dario, poll).getByRole('region', { name: '<img src=x onerror=violated(60)>' })
  await region.getByRole('button', { name: '0 votes: "><script>violated(62)</script>' }).waitFor()
  assert.equal(await region.getByRole('button', { name: /votes?:/ }).count(), 2)
  await row(dario, plain).getByText('Nothing to vote on').waitFor()
  wellBehaved(dario)
})

test('messages are unread from one on, and read together', async () => {
  const ids = []
  for (const text of ['one', 'two', 'three']) ids.push(await say('dario', 'unread', text))
  const count = (n) => cleo.getByRole('button', { name: n === 1 ? 'Mark 1 message as read' : `Mark ${n} messages as read` })
  await open(cleo, 'unread')
  await row(cleo, ids[2]).waitFor()
  await cleo.getByRole('button', { name: /^Mark \d+ messages? as read/ }).waitFor({ state: 'detached' }) // all of it was seen
  await row(cleo, ids[1]).click()
  await cleo.keyboard.press('U')
  await count(2).waitFor()
  await cleo.getByRole('status').filter({ hasText: 'Nothing is marked as read here' }).waitFor()
  await accessible(cleo, 'unread')
  const more = await say('dario', 'unread', 'four')
  await row(cleo, more).waitFor()
  await count(3).waitFor()
  await open(cleo, 'polls')
  await cleo.evaluate(() => history.back())
  await cleo.getByRole('heading', { name: '#general › unread', level: 1 }).waitFor()
  await count(3).waitFor({ state: 'detached' })
  assert.equal(await cleo.locator('.new + article').first().getAttribute('data-message'), String(ids[1]))
  wellBehaved(cleo)
})

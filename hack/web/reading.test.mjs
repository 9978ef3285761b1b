// What people read: what messages can have in them, and the ways to find them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until, withinDay } from './server.mjs'

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
  await dario.getByRole('log').getByText('Cleo Marin: Poll: When is tea?').waitFor()
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
  await write(cleo, '/todo\n- Oil the winch\n- Rest: an hour')
  const mine = cleo.getByRole('region', { name: 'To do' })
  const theirs = dario.getByRole('region', { name: 'To do' })
  await mine.getByRole('textbox', { name: 'Another task' }).fill('Paint the crane: yellow')
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow' }).click()
  await mine.getByRole('checkbox', { name: 'Paint the crane yellow', checked: true }).focus()
  await accessible(cleo, 'todo')
  await cleo.keyboard.press('Space')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow', checked: false }).waitFor()
  await theirs.getByRole('checkbox', { name: 'Rest an hour' }).click()
  await mine.getByRole('checkbox', { name: 'Rest an hour', checked: true }).waitFor()
  await mine.getByRole('checkbox', { name: 'Oil the winch', checked: false }).waitFor()
  await write(cleo, '/todo Slipway\nSweep')
  await dario.getByRole('region', { name: 'Slipway' }).getByRole('checkbox', { name: 'Sweep' }).waitFor()
  wellBehaved(cleo)
})

test('what is added one after the other on a bad line is all there', async () => {
  const poll = cleo.getByRole('region', { name: 'When is coffee?' })
  const list = cleo.getByRole('region', { name: 'Slipway' })
  const fields = [poll.getByRole('textbox', { name: 'Another option' }), list.getByRole('textbox', { name: 'Another task' })]
  let release
  const held = new Promise((resolve) => (release = resolve))
  await cleo.route('**/api/v1/submessage', async (route) => {
    await held
    await route.continue()
  })
  for (const field of fields) {
    for (const one of ['before six', 'after six']) {
      await field.pressSequentially(one)
      await field.press('Enter')
    }
    await field.pressSequentially('half')
  }
  release()
  for (const one of ['before six', 'after six']) {
    await poll.getByRole('button', { name: `0 votes: ${one}` }).waitFor()
    await list.getByRole('checkbox', { name: one }).waitFor()
  }
  for (const field of fields) {
    assert.equal(await field.inputValue(), 'half')
    await field.fill('')
  }
  await cleo.unroute('**/api/v1/submessage')
})

test('what is typed in a poll or a list stays while its message is out of the page', async () => {
  const poll = cleo.getByRole('region', { name: 'When is coffee?' })
  const list = cleo.getByRole('region', { name: 'Slipway' })
  await poll.getByRole('textbox', { name: 'Another option' }).fill('at noon')
  await list.getByRole('textbox', { name: 'Another task' }).fill('Paint')
  await poll.getByRole('button', { name: 'Change the question' }).click()
  await poll.getByRole('textbox', { name: 'Question' }).fill('When is lunch')
  await open(cleo, 'elsewhere')
  assert.equal(await poll.count(), 0)
  await open(cleo, 'polls')
  assert.equal(await poll.getByRole('textbox', { name: 'Another option' }).inputValue(), 'at noon')
  assert.equal(await list.getByRole('textbox', { name: 'Another task' }).inputValue(), 'Paint')
  assert.equal(await poll.getByRole('textbox', { name: 'Question' }).inputValue(), 'When is lunch')
  await poll.getByRole('textbox', { name: 'Question' }).press('Escape')
  await poll.getByRole('button', { name: 'Change the question' }).waitFor()
  await poll.getByRole('textbox', { name: 'Another option' }).fill('')
  await cleo.emulateMedia({ media: 'print' })
  for (const part of ['.poll .one-field', '.poll .icon']) assert.equal(await cleo.locator(part).first().isVisible(), false, `${part} on paper`)
  await cleo.emulateMedia({ media: null })
  await list.getByRole('textbox', { name: 'Another task' }).press('Enter')
  await list.getByRole('checkbox', { name: 'Paint' }).waitFor()
  assert.equal(await list.getByRole('textbox', { name: 'Another task' }).inputValue(), '')
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
  const { height } = await cleo.getByRole('button', { name: 'Mark as read', exact: true }).boundingBox()
  assert.ok(height >= 24, `the button is ${height} px high, and on narrow screens something is right below it`)
  const more = await say('dario', 'unread', 'four')
  await row(cleo, more).waitFor()
  await count(3).waitFor()
  await open(cleo, 'polls')
  const other = await say('dario', 'polls', 'Read me')
  const isRead = async (id) => (await server.call('cleo', 'GET', '/messages', { anchor: id, num_before: 0, num_after: 0 })).messages[0].flags.includes('read')
  await until(() => isRead(other), 'what is on screen is read')
  assert.equal(await isRead(ids[1]), false)
  await cleo.evaluate(() => history.back())
  await cleo.getByRole('heading', { name: '#general › unread', level: 1 }).waitFor()
  await count(3).waitFor({ state: 'detached' })
  assert.equal(await cleo.locator('.new + article').first().getAttribute('data-message'), String(ids[1]))
  await until(() => isRead(more), 'all of it is read')
  await cleo.evaluate(() => (document.hasFocus = () => false))
  const away = await say('dario', 'unread', 'five')
  await say('dario', 'unread', 'six')
  await cleo.locator(`.new + #message-${away}`).waitFor()
  await cleo.evaluate(() => delete document.hasFocus)
  wellBehaved(cleo)
})

/** A picture of one colour, as a BMP. */
function picture(color, width = 40, height = 40) {
  const bytes = Buffer.alloc(54 + width * height * 3)
  bytes.write('BM')
  for (const [at, value] of [[2, bytes.length], [10, 54], [14, 40], [18, width], [22, height], [34, width * height * 3]]) bytes.writeUInt32LE(value, at)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  for (let i = 54; i < bytes.length; i += 3) bytes.writeUIntBE(color, i, 3)
  return bytes
}

/** A second of silence. */
function silence() {
  const bytes = Buffer.alloc(44 + 8000, 128)
  bytes.write('RIFF\0\0\0\0WAVEfmt ')
  for (const [at, value] of [[4, 36 + 8000], [16, 16], [24, 8000], [28, 8000], [40, 8000]]) bytes.writeUInt32LE(value, at)
  for (const [at, value] of [[20, 1], [22, 1], [32, 1], [34, 8]]) bytes.writeUInt16LE(value, at)
  bytes.write('data', 36)
  return bytes
}

/** Uploads a file as somebody, and returns where it is. */
async function upload(name, file, bytes) {
  const { email, api_key: key } = server.account(name)
  const form = new FormData()
  form.set('file', new File([bytes], file))
  const response = await fetch(`${server.site}/api/v1/user_uploads`, { method: 'POST', headers: { Authorization: 'Basic ' + btoa(`${email}:${key}`) }, body: form })
  return (await response.json()).uri
}

test('formulas are typeset', async () => {
  await open(cleo, 'math')
  const id = await say('dario', 'math', 'Mind $$e^{i\\pi} + 1 = 0$$ and $$x \\in \\mathbb{R}$$\n```math\n\\begin{align} a &= \\frac{b}{\\sqrt{c}} \\\\ &= \\int_0^1 \\mathcal{F}\\,dt \\end{align}\n```\n$$\\cancel{x} + \\boxed{y}$$')
  await row(cleo, id).locator('math').nth(3).waitFor()
  await row(cleo, id).locator('math msup').first().waitFor()
  await row(cleo, id).getByText('ℝ').waitFor()
  await row(cleo, id).locator('.formula.display math[display=block] mtable mtd.end').first().waitFor()
  await accessible(cleo, 'math')
  wellBehaved(cleo)
})

test('many formulas are typeset in pieces, and what is on screen stays where it is', async () => {
  const many = await say('dario', 'many formulas', `Mind\n${'$$\\begin{matrix}a&b\\\\c&d\\\\e&\\frac{\\sqrt{f}}{g_h^i}\\end{matrix}$$ '.repeat(150)}`)
  const last = await say('cleo', 'many formulas', 'after them')
  const page = await visitor(browser, { storageState: await cleo.context().storageState() })
  let load
  const wanted = new Promise((resolve) => (load = resolve))
  await page.route('**/assets/math-*', async (route) => {
    await wanted
    await route.continue()
  })
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await open(page, 'many formulas')
  await until(async () => (await row(page, many).locator('code.math').count()) === 150, 'all is as it was written')
  await page.evaluate(
    ([many, last]) => {
      globalThis.frames = []
      const look = () => {
        const { top } = document.getElementById(`message-${last}`).getBoundingClientRect()
        globalThis.frames.push({ made: document.querySelectorAll(`#message-${many} .formula`).length, top })
        requestAnimationFrame(() => setTimeout(look)) // after what the frame does
      }
      look()
    },
    [many, last],
  )
  load()
  await until(() => page.evaluate(() => globalThis.frames.at(-1).made === 150), 'all is typeset')
  const frames = await page.evaluate(() => globalThis.frames)
  const steps = new Set(frames.map(({ made }) => made))
  assert.ok(steps.size >= 3, `in ${steps.size} steps`)
  const moved = frames.filter(({ top }) => Math.abs(top - frames[0].top) > 1)
  assert.deepEqual(moved, [])
  wellBehaved(page)
  await page.context().close()
})

test('hostile formulas are harmless, and shown as they were written', async () => {
  const asWritten = [
    '\\def\\a{\\a\\a}\\a',
    `\\def\\a#1{${'#1'.repeat(2000)}}\\a{${'x'.repeat(4000)}}`,
    '\\newcommand{\\b}{\\b}\\b',
    'x+'.repeat(4000),
    `${'{'.repeat(1400)}x`,
    `${'a^{'.repeat(700)}b${'}'.repeat(700)}`,
    `${'\\frac1{'.repeat(200)}b${'}'.repeat(200)}`,
    `${'\\sqrt{'.repeat(300)}b${'}'.repeat(300)}`,
    '\\frac{',
  ]
  const typeset = [
    '\\href{javascript:violated(70)}{x}',
    '\\includegraphics{https://evil.example/x.png}',
    '\\htmlStyle{position:fixed;inset:0}{x}',
    '\\text{<img src=x onerror=violated(71)>}',
    '\\raisebox{9999em}{x}\\kern-9999em\\rule{9999em}{9999em}',
    `${'\\Huge{'.repeat(20)}x${'}'.repeat(20)}`,
    `${'\\frac1{'.repeat(30)}b${'}'.repeat(30)}`,
    `\\begin{matrix}${'&'.repeat(1400)}\\end{matrix}`,
  ]
  await open(dario, 'hostile math')
  const size = dario.viewportSize()
  await dario.setViewportSize({ ...size, height: 10_000 }) // so that each part is in the page as a whole
  const sayAll = async (formulas) => {
    for (const tex of formulas) await say('cleo', 'hostile math', `$$${tex}$$`)
    const last = await say('cleo', 'hostile math', 'after it $$x$$')
    await dario.keyboard.press('G')
    await row(dario, last).locator('math').waitFor()
  }
  await sayAll(asWritten)
  let shown
  await until(async () => (shown = await dario.locator('code.math').allTextContents()).length === asWritten.length, 'what is refused is shown as it was written').catch((error) => {
    throw new Error(shown.map((tex) => tex.slice(0, 40)).join(' | '), { cause: error })
  })
  await sayAll(typeset)
  const wide = () => dario.locator('.formula').evaluateAll((all) => all.map((f) => [f.scrollWidth > f.clientWidth || f.scrollHeight > f.clientHeight, f.tabIndex === 0]))
  await until(async () => (await wide()).some(([is]) => is) && (await wide()).every(([is, focusable]) => is === focusable), 'what is wider than it shows is scrolled by keys')
  await accessible(dario, 'hostile-formulas')
  const seen = await dario.locator('#messages').evaluate((list) => ({
    names: [...new Set([...list.querySelectorAll('math *')].flatMap((e) => e.getAttributeNames()))].filter((name) => /^(on|href|style|src|id$)/.test(name)),
    tags: [...list.querySelectorAll('.formula :is(a, img, script, annotation, [href])')].length,
    wide: list.scrollWidth > list.clientWidth,
  }))
  assert.deepEqual(seen, { names: [], tags: 0, wide: false })
  await dario.setViewportSize(size)
  wellBehaved(dario)
})

test('pictures open large, with the next and the previous one', async () => {
  await open(cleo, 'pictures')
  const thin = await say('dario', 'pictures', `A mast: [mast](${await upload('dario', 'mast.bmp', picture(0x20d020, 4, 2000))})`)
  const mast = await row(cleo, thin).getByRole('img', { name: 'mast' }).boundingBox()
  assert.ok(mast.width >= 40, `the thin picture is ${mast.width} pixels wide`)
  await server.call('ada', 'DELETE', `/messages/${thin}`)
  const [red, blue] = [await upload('dario', 'red.bmp', picture(0x2020d0)), await upload('dario', 'blue%.bmp', picture(0xd02020))]
  await say('dario', 'pictures', `[red](${red})`)
  const last = await say('dario', 'pictures', `Look: [blue](${blue})`)
  await row(cleo, last).getByRole('img', { name: 'blue' }).click()
  const viewer = cleo.getByRole('dialog', { name: 'blue' })
  await viewer.getByText('2 of 2').waitFor()
  await accessible(cleo, 'viewer')
  await cleo.keyboard.press('ArrowLeft')
  await cleo.getByRole('dialog', { name: 'red' }).getByText('1 of 2').waitFor()
  await cleo.keyboard.press('ArrowLeft')
  await cleo.getByRole('dialog').getByRole('button', { name: 'Next picture' }).click()
  await viewer.waitFor()
  const large = viewer.locator('img')
  await until(() => large.evaluate((img) => img.complete && img.naturalWidth > 0), 'the picture is loaded')
  const width = async () => (await large.boundingBox()).width
  const whole = await width()
  for (const key of ['+', '+']) await cleo.keyboard.press(key)
  await viewer.getByText('225 %').waitFor()
  assert.ok(Math.abs(await width() - whole * 2.25) < 2, `${await width()} after ${whole}`)
  await cleo.keyboard.press('ArrowLeft') // within it
  await accessible(cleo, 'viewer-zoomed')
  const { x, y } = await large.boundingBox()
  await cleo.mouse.move(x + 9, y + 9)
  await cleo.mouse.wheel(0, -300)
  await viewer.getByText('450 %').waitFor()
  await cleo.mouse.down()
  await cleo.mouse.move(x - 30, y - 30)
  await cleo.mouse.up()
  await viewer.getByText('450 %').waitFor() // moved, and not clicked
  await cleo.keyboard.press('0')
  await viewer.getByText('450 %').waitFor({ state: 'detached' })
  assert.equal(await width(), whole)
  await cleo.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  assert.equal(await cleo.evaluate(() => document.activeElement.closest('[data-message]')?.dataset.message), String(last))
  await row(cleo, last).getByText('Look:').click()
  await cleo.keyboard.press('v')
  await viewer.waitFor()
  await cleo.goBack() // where the browser goes back at once, and doesn't close what is over the page first
  await viewer.waitFor({ state: 'detached' })
  wellBehaved(cleo)
})

test('sounds are played, code is copied, tables are scrolled, long messages are folded', async () => {
  await open(cleo, 'parts')
  const id = await say('dario', 'parts', `[knock.wav](${await upload('dario', 'knock.wav', silence())})\n\n\`\`\`python\nimport this # ${'and that '.repeat(40)}${'\nimport more'.repeat(40)}\n\`\`\`\n\n| ${'wide column | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'x | '.repeat(12)}`)
  await until(() => row(cleo, id).locator('audio').evaluate((player) => player.duration >= 1), 'the sound is loaded')
  await row(cleo, id).getByRole('button', { name: 'Copy the code' }).focus()
  await cleo.keyboard.press('Enter')
  await row(cleo, id).getByRole('button', { name: 'Copied' }).waitFor()
  await row(cleo, id).getByRole('group', { name: 'Table' }).waitFor()
  assert.ok(await cleo.evaluate(() => document.getElementById('messages').scrollWidth <= document.getElementById('messages').clientWidth))
  const long = await say('dario', 'parts', Array.from({ length: 80 }, (_, i) => `Line ${i}`).join('\n'))
  await row(cleo, long).getByRole('button', { name: 'Show more', expanded: false }).waitFor()
  await accessible(cleo, 'parts')
  assert.ok((await row(cleo, long).boundingBox()).height < 500)
  await cleo.emulateMedia({ media: 'print' }) // nobody unfolds or scrolls paper
  assert.ok((await row(cleo, long).boundingBox()).height > 1000)
  assert.equal(await row(cleo, long).getByRole('button', { name: 'Show more' }).isVisible(), false)
  const cut = await row(cleo, id).locator('pre, .table').evaluateAll((all) => all.filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight).length)
  assert.equal(cut, 0)
  await cleo.emulateMedia({ media: null })
  const top = (await row(cleo, long).boundingBox()).y
  await row(cleo, long).getByRole('button', { name: 'Show more' }).press('Enter')
  await row(cleo, long).getByRole('button', { name: 'Show less', expanded: true }).waitFor()
  assert.ok((await row(cleo, long).boundingBox()).height > 1000)
  await cleo.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
  assert.ok(Math.abs((await row(cleo, long).boundingBox()).y - top) < 2, 'one reads on where it was folded')
  await cleo.locator('#messages').press('End')
  const quote = await say('dario', 'parts', `${Array.from({ length: 20 }, (_, i) => `> Quoted ${i}`).join('\n')}\n\nAnd so on`)
  const whole = async () => (await row(cleo, quote).locator('blockquote').boundingBox()).height
  await row(cleo, quote).getByRole('button', { name: 'Show more' }).waitFor()
  assert.ok((await whole()) < 200)
  await row(cleo, quote).getByRole('button', { name: 'Show more' }).press('Enter')
  assert.ok((await whole()) > 300)
  wellBehaved(cleo)
})

/** Returns a film of half a second, which the page makes. */
async function filmOf(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    const drawing = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' })
    const parts = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    const ended = new Promise((resolve) => (recorder.onstop = resolve))
    recorder.start()
    const end = performance.now() + 500
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame)
      drawing.fillStyle = `hsl(${performance.now() % 360} 80% 50%)`
      drawing.fillRect(0, 0, canvas.width, canvas.height)
    }
    recorder.stop()
    await ended
    return [...new Uint8Array(await new Blob(parts).arrayBuffer())]
  })
  return Buffer.from(bytes)
}

test('a film is played in its message', async () => {
  await open(cleo, 'films')
  const film = await upload('dario', 'harbour.webm', await filmOf(cleo))
  const id = await say('dario', 'films', `[harbour.webm](${film})`)
  const player = row(cleo, id).locator('video')
  await player.evaluate((one) => ((one.muted = true), void one.play()))
  await until(() => player.evaluate((one) => one.videoWidth > 0 && one.currentTime > 0), 'the film is played')
  await until(() => player.evaluate((one) => one.ended), 'the film is over')
  await player.focus()
  const times = await player.evaluateHandle((one) => {
    const played = []
    one.addEventListener('play', () => played.push(one.currentTime))
    return played
  })
  await cleo.keyboard.press(' ')
  await until(async () => (await times.evaluate((played) => played.length)) === 1, 'the key plays the film')
  for (const key of ['Enter', 'ArrowDown', 'Home']) await cleo.keyboard.press(key)
  assert.equal(await player.evaluate((one) => one === document.activeElement), true, 'the focus stays at the film')
  const answer = await cleo.request.get(server.site + film)
  assert.equal(answer.headers()['content-type'], 'video/webm')
  assert.match(answer.headers()['content-security-policy'], /^default-src 'none'; media-src 'self'; sandbox/)
  const hidden = row(cleo, await say('dario', 'films', '```spoiler The end\n[harbour.webm](' + film + ')\n```'))
  await hidden.locator('summary').waitFor()
  assert.equal(await hidden.locator('video').count(), 1)
  assert.equal(await hidden.locator('video').isVisible(), false)
  await hidden.locator('summary').click()
  await hidden.locator('video').waitFor()
  wellBehaved(cleo)
})

test('mentions of oneself and alert words are marked', async () => {
  await server.call('cleo', 'POST', '/users/me/alert_words', { alert_words: ['leak (small)', 'c++'] })
  await server.call('ada', 'POST', '/user_groups/create', { name: 'divers', description: '', members: [(await server.call('cleo', 'GET', '/users/me')).user_id] })
  await open(cleo, 'marks')
  const flagged = async (id) => (await server.call('cleo', 'GET', '/messages', { anchor: id, num_before: 0, num_after: 0 })).messages[0].flags.includes('has_alert_word')
  await until(async () => flagged(await say('dario', 'marks', 'c++')), 'the server knows the words')
  const id = await say('dario', 'marks', 'A **LEAK (small)**, no c++x, @*divers* and `C++`')
  await row(cleo, id).locator('mark', { hasText: 'LEAK (small)' }).waitFor()
  await row(cleo, id).locator('mark', { hasText: 'C++' }).waitFor()
  assert.equal(await row(cleo, id).locator('mark').count(), 2)
  await row(cleo, id).locator('.user-group-mention.me').waitFor()
  assert.ok((await row(cleo, id).getAttribute('class')).includes('mentioned'))
  await accessible(cleo, 'marks')
  wellBehaved(cleo)
})

test('a topic that was seen before is laid out once, and painted before more of it is added', async () => {
  for (let i = 0; i < 40; i++) for (const topic of ['ebb', 'flood']) await say('dario', topic, `${topic} ${i}`)
  for (const topic of ['ebb', 'flood']) {
    await open(cleo, topic)
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
  await say('dario', 'slipway seven', 'High water at five')
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

test('searches are completed, shown as pills, and marked in what is found', async () => {
  await say('dario', 'slipway seven', 'The barge is unloading')
  await say('cleo', 'slipway seven', 'Another barge unloads')
  await open(cleo, 'polls')
  await cleo.locator('body').press('/')
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  const chosen = cleo.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { selected: true })
  await field.pressSequentially('str')
  await field.press('ArrowDown')
  await chosen.filter({ hasText: 'stream:' }).waitFor()
  await accessible(cleo, 'search-completion')
  assert.equal(await field.evaluate((f) => document.getElementById(f.getAttribute('aria-activedescendant')).getAttribute('aria-selected')), 'true')
  await field.press('Enter')
  await field.pressSequentially('gen')
  await field.press('ArrowDown')
  await field.press('Enter')
  const pills = cleo.getByRole('list', { name: 'Searched for' })
  await pills.getByText('stream:general').waitFor()
  await field.pressSequentially('topic:slip')
  await cleo.getByRole('option', { name: 'topic:slipway seven' }).click()
  await pills.getByText('topic:"slipway seven"').waitFor()
  await field.pressSequentially('-sender:cle')
  await field.press('ArrowDown')
  await chosen.filter({ hasText: '-sender:Cleo Marin' }).waitFor()
  await field.evaluate((f) => { // what is typed before the search is on screen stays
    f.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
    queueMicrotask(() => document.execCommand('insertText', false, 'un'))
  })
  await field.pressSequentially('loaded')
  await field.press('Enter')
  await cleo.getByRole('article').filter({ hasText: 'The barge is unloading' }).locator('.highlight', { hasText: 'unloading' }).waitFor()
  await until(async () => (await cleo.getByRole('article').count()) === 1, 'one message is found')
  assert.equal(await pills.getByRole('listitem').count(), 3)
  await accessible(cleo, 'search-pills')
  await cleo.getByRole('button', { name: 'Remove -sender:"Cleo Marin"' }).click()
  await until(async () => (await cleo.getByRole('article').count()) === 2, 'two messages are found')
  await say('dario', 'slipway seven', 'All unloaded, it leaves')
  await cleo.getByRole('article').filter({ hasText: 'it leaves' }).locator('.highlight', { hasText: 'unloaded' }).waitFor()
  await cleo.route('**/matches_narrow*', (route) => route.fulfill({ status: 503, json: { result: 'error', msg: 'Try again later.', code: 'UNAVAILABLE' } })) // nobody is told, since nobody asked for it
  await say('dario', 'slipway seven', 'And unloads elsewhere')
  await cleo.getByRole('article').filter({ hasText: 'elsewhere' }).locator('.highlight', { hasText: 'unloads' }).waitFor()
  assert.equal(await cleo.locator('.notice p').count(), 0)
  await cleo.unroute('**/matches_narrow*')
  await field.fill('')
  await field.press('Backspace')
  await pills.getByText('topic:').waitFor({ state: 'detached' })
  await field.press('Escape')
  wellBehaved(cleo)
})

test('words are searched for in the conversation on screen alone, or begin with it', async () => {
  await say('dario', 'berth one', 'A yacht is moored')
  await say('dario', 'berth two', 'Another yacht is moored')
  await open(cleo, 'berth two')
  await cleo.locator('body').press('/')
  await cleo.keyboard.press('Enter')
  await cleo.locator('#messages:focus').waitFor()
  await cleo.getByRole('heading', { name: '#general › berth two', level: 1 }).waitFor()
  await cleo.locator('body').press('/')
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  await field.pressSequentially('yacht')
  await cleo.getByRole('option', { name: 'Only in #general › berth two' }).click()
  await cleo.getByRole('list', { name: 'Searched for' }).getByText('topic:"berth two"').waitFor()
  await cleo.getByRole('article').filter({ hasText: 'Another' }).locator('.highlight', { hasText: 'yacht' }).waitFor()
  await until(async () => (await cleo.getByRole('article').count()) === 1, 'one message is found')
  assert.equal(await cleo.getByRole('option', { name: 'Only in' }).count(), 0)
  await cleo.locator('#messages').focus()
  await open(cleo, 'berth one')
  await cleo.locator('body').press('/')
  await field.press('ArrowDown') // opens the list
  await field.press('ArrowUp')
  await cleo.getByRole('option', { name: 'Only in #general › berth one', selected: true }).waitFor()
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('list', { name: 'Searched for' }).getByText('topic:"berth one"').waitFor()
  await field.pressSequentially('yacht')
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('article').filter({ hasText: 'A yacht' }).locator('.highlight').waitFor()
  await until(async () => (await cleo.getByRole('article').count()) === 1, 'one message is found')
  await cleo.evaluate(() => (location.hash = ''))
  wellBehaved(cleo)
})

test('a search is opened at the day that one wants', async () => {
  await withinDay()
  const ids = []
  for (const content of ['A buoy is lit', 'The buoy is dark', 'Another buoy']) ids.push(await say('dario', 'buoys', content))
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  await cleo.locator('body').press('/')
  await field.pressSequentially('topic:buoys date:')
  await cleo.getByRole('option', { name: 'last month' }).waitFor()
  await accessible(cleo, 'search-days')
  await field.press('Escape')
  await field.pressSequentially(await cleo.evaluate(() => new Date().toLocaleDateString('en-CA'))) // 2026-10-31
  await field.press('Enter')
  await until(() => cleo.evaluate((id) => location.hash.endsWith(`/near/${id}`), ids[0]), 'the first message of the day is shown')
  await row(cleo, ids[0]).and(cleo.locator('.selected')).waitFor()
  await cleo.getByRole('list', { name: 'Searched for' }).getByText('topic:buoys').waitFor()
  await field.fill('date:2099-12-31')
  await field.press('Enter')
  await until(() => cleo.evaluate(() => location.hash.includes('/topic/buoys') && !location.hash.includes('/near/')), 'the end is shown where all is older')
  await field.fill('date:2026-02-30')
  await field.press('Enter')
  await cleo.getByRole('alert').filter({ hasText: 'date:2026-02-30' }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.evaluate(() => (location.hash = ''))
  wellBehaved(cleo)
})

test('Tab completes a term, and stays in the field', async () => {
  await open(cleo, 'polls')
  await cleo.locator('body').press('/')
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  await field.pressSequentially('-sender:dar')
  await cleo.getByRole('option', { name: '-sender:Dario Fuchs' }).waitFor()
  await cleo.keyboard.press('Tab')
  await cleo.getByRole('list', { name: 'Searched for' }).getByText('-sender:"Dario Fuchs"').waitFor()
  assert.equal(await field.evaluate((f) => f === document.activeElement), true)
  await field.pressSequentially('barge') // a word is searched for as it is
  await cleo.keyboard.press('Tab')
  assert.equal(await field.evaluate((f) => f === document.activeElement), false)
  assert.equal(await field.inputValue(), 'barge')
  await cleo.evaluate(() => (location.hash = ''))
  wellBehaved(cleo)
})

test('a search that finds nothing says what to change, and one that is wrong stays', async () => {
  const field = cleo.getByRole('combobox', { name: /^Search/ })
  const pills = cleo.getByRole('list', { name: 'Searched for' })
  await cleo.evaluate(() => (location.hash = '#narrow/has/image/search/zeppelin'))
  await cleo.getByText('Nothing matches all of this.').waitFor()
  await accessible(cleo, 'search-nothing')
  await cleo.getByRole('link', { name: 'Without zeppelin' }).click()
  await cleo.getByRole('article').filter({ hasText: 'Look:' }).waitFor()
  await field.fill('is:nothing')
  await field.press('Enter')
  await cleo.getByRole('alert').filter({ hasText: 'is:nothing' }).waitFor()
  assert.equal(await field.inputValue(), 'is:nothing')
  await field.fill('topic:"><img src=x onerror=violated(90)>" <svg onload=violated(91)>')
  await field.press('Enter')
  await cleo.getByText('Nothing matches all of this.').waitFor()
  await pills.getByText('<img src=x').waitFor()
  wellBehaved(cleo)
})

test('a link to a message opens at it', async () => {
  const first = await say('dario', 'linked', 'Line 0')
  for (let i = 1; i < 120; i++) await say(i % 2 ? 'cleo' : 'dario', 'linked', `Line ${i}`)
  const { streams } = await server.call('cleo', 'GET', '/streams')
  const stream = streams.find((s) => s.name === 'general').stream_id
  const link = await say('cleo', 'links', `See [this](#narrow/stream/${stream}-general/topic/linked/near/${first + 60})`)
  await open(dario, 'links', link)
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
  await say('dario', topic, 'Read this')
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
  const poll = await say('dario', 'phones', '/poll Which of these very long questions fits on a phone?\nthe first of them\nthe second one, which is longer')
  await open(phone, 'phones')
  await row(phone, poll).getByRole('button', { name: '0 votes: the first of them' }).click()
  await row(phone, poll).getByRole('button', { name: '1 vote: the first of them You' }).waitFor()
  await accessible(phone, 'phone-poll')
  await phone.setViewportSize({ width: 320, height: 800 })
  const option = await row(phone, poll).getByRole('textbox', { name: 'Another option' }).boundingBox()
  await phone.setViewportSize({ width: 390, height: 800 })
  assert.ok(option.width > 150, `the field for an option is ${option.width} wide`)
  const sheet = await say('dario', 'phones', `| Crane | Inspector | Next inspection | Remarks |\n|---|---|---|---|\n| 7 | Edda | in November | ${'changed '.repeat(8)}|`)
  const inspected = await row(phone, sheet).getByRole('cell', { name: 'changed' }).boundingBox()
  assert.ok(inspected.height < 120, `a row of the table is ${inspected.height} high`)
  const quoted = await say('ben', 'phones', '1. one\n\n> quoted')
  await row(phone, quoted).getByRole('blockquote').waitFor()
  assert.equal(await row(phone, quoted).getByRole('blockquote').evaluate((quote) => getComputedStyle(quote).margin), '8px 0px 0px')
  const long = await say('cleo', 'phones', 'what is said '.repeat(20))
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
  await say('dario', 'midnight', 'good night')
  const context = await browser.newContext({ storageState: await cleo.context().storageState(), serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await open(page, 'midnight')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.clock.pauseAt(new Date(new Date().setHours(24, 1, 0, 0)))
  await page.getByRole('heading', { name: 'Yesterday' }).waitFor({ timeout: 5_000 })
  await context.close()
})

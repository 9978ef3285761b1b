// What messages can have in them: formulas, pictures, sounds, films, code, tables, and marks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, visitor, wellBehaved } from './browser.mjs'
import { browser, cleo, dario, harbour, row, say, server, visit } from './harbour.mjs'
import { until } from './server.mjs'

harbour()

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
  await visit(cleo, 'general', 'math')
  const id = await say('dario', 'general', 'math', 'Mind $$e^{i\\pi} + 1 = 0$$ and $$x \\in \\mathbb{R}$$\n```math\n\\begin{align} a &= \\frac{b}{\\sqrt{c}} \\\\ &= \\int_0^1 \\mathcal{F}\\,dt \\end{align}\n```\n$$\\cancel{x} + \\boxed{y}$$')
  await row(cleo, id).locator('math').nth(3).waitFor()
  await row(cleo, id).locator('math msup').first().waitFor()
  await row(cleo, id).getByText('ℝ').waitFor()
  await row(cleo, id).locator('.formula.display math[display=block] mtable mtd.end').first().waitFor()
  await accessible(cleo, 'math')
  wellBehaved(cleo)
})

test('many formulas are typeset in pieces, and what is on screen stays where it is', async () => {
  const many = await say('dario', 'general', 'many formulas', `Mind\n${'$$\\begin{matrix}a&b\\\\c&d\\\\e&\\frac{\\sqrt{f}}{g_h^i}\\end{matrix}$$ '.repeat(150)}`)
  const last = await say('cleo', 'general', 'many formulas', 'after them')
  const page = await visitor(browser, { storageState: await cleo.context().storageState() })
  let load
  const wanted = new Promise((resolve) => (load = resolve))
  await page.route('**/assets/math-*', async (route) => {
    await wanted
    await route.continue()
  })
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await visit(page, 'general', 'many formulas')
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
  await visit(dario, 'general', 'hostile math')
  const size = dario.viewportSize()
  await dario.setViewportSize({ ...size, height: 10_000 }) // so that each part is in the page as a whole
  const sayAll = async (formulas) => {
    for (const tex of formulas) await say('cleo', 'general', 'hostile math', `$$${tex}$$`)
    const last = await say('cleo', 'general', 'hostile math', 'after it $$x$$')
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
  await visit(cleo, 'general', 'pictures')
  const thin = await say('dario', 'general', 'pictures', `A mast: [mast](${await upload('dario', 'mast.bmp', picture(0x20d020, 4, 2000))})`)
  const mast = await row(cleo, thin).getByRole('img', { name: 'mast' }).boundingBox()
  assert.ok(mast.width >= 40, `the thin picture is ${mast.width} pixels wide`)
  await server.call('ada', 'DELETE', `/messages/${thin}`)
  const [red, blue] = [await upload('dario', 'red.bmp', picture(0x2020d0)), await upload('dario', 'blue%.bmp', picture(0xd02020))]
  await say('dario', 'general', 'pictures', `[red](${red})`)
  const last = await say('dario', 'general', 'pictures', `Look: [blue](${blue})`)
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
  await visit(cleo, 'general', 'parts')
  const id = await say('dario', 'general', 'parts', `[knock.wav](${await upload('dario', 'knock.wav', silence())})\n\n\`\`\`python\nimport this # ${'and that '.repeat(40)}${'\nimport more'.repeat(40)}\n\`\`\`\n\n| ${'wide column | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'x | '.repeat(12)}`)
  await until(() => row(cleo, id).locator('audio').evaluate((player) => player.duration >= 1), 'the sound is loaded')
  await row(cleo, id).getByRole('button', { name: 'Copy the code' }).focus()
  await cleo.keyboard.press('Enter')
  await row(cleo, id).getByRole('button', { name: 'Copied' }).waitFor()
  await row(cleo, id).getByRole('group', { name: 'Table' }).waitFor()
  assert.ok(await cleo.evaluate(() => document.getElementById('messages').scrollWidth <= document.getElementById('messages').clientWidth))
  const long = await say('dario', 'general', 'parts', Array.from({ length: 80 }, (_, i) => `Line ${i}`).join('\n'))
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
  const quote = await say('dario', 'general', 'parts', `${Array.from({ length: 20 }, (_, i) => `> Quoted ${i}`).join('\n')}\n\nAnd so on`)
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
  await visit(cleo, 'general', 'films')
  const film = await upload('dario', 'harbour.webm', await filmOf(cleo))
  const id = await say('dario', 'general', 'films', `[harbour.webm](${film})`)
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
  const hidden = row(cleo, await say('dario', 'general', 'films', '```spoiler The end\n[harbour.webm](' + film + ')\n```'))
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
  await visit(cleo, 'general', 'marks')
  const flagged = async (id) => (await server.call('cleo', 'GET', '/messages', { anchor: id, num_before: 0, num_after: 0 })).messages[0].flags.includes('has_alert_word')
  await until(async () => flagged(await say('dario', 'general', 'marks', 'c++')), 'the server knows the words')
  const id = await say('dario', 'general', 'marks', 'A **LEAK (small)**, no c++x, @*divers* and `C++`')
  await row(cleo, id).locator('mark', { hasText: 'LEAK (small)' }).waitFor()
  await row(cleo, id).locator('mark', { hasText: 'C++' }).waitFor()
  assert.equal(await row(cleo, id).locator('mark').count(), 2)
  await row(cleo, id).locator('.user-group-mention.me').waitFor()
  assert.ok((await row(cleo, id).getAttribute('class')).includes('mentioned'))
  await accessible(cleo, 'marks')
  wellBehaved(cleo)
})

// Measures what people wait for, in Chromium whose processor is slowed down four times, in an organization with 200 streams and 10,000
// accounts. Times of pages are compared to those of an empty page of the same server. Prints a table; fails if a goal is missed.
//
//   make bench/web [WEBFLAGS='scrolling']    all of it, or what has one of these words in its name
//   make bench/web WEBFLAGS='first -trace'   prints what the browser does meanwhile, once (trace.mjs); so does scrolling
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { launch, visitor } from './browser.mjs'
import { Server, until } from './server.mjs'
import { summed, traced } from './trace.mjs'

const slowdown = 4
const pages = 5 // of each kind that are opened
const newEvents = 20_000
const wheelSpeed = 16_000 // pixels a second
const minute = 60_000
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const tracing = process.argv.includes('-trace')

const agent = new Agent({ keepAlive: true })
let server, site, organization, browser
const rows = []

/** Adds a row to the table: what was measured, of which the median has to be at most the reach. */
function row(what, unit, measured, reach, empty = []) {
  rows.push({ what, unit, ours: median(measured), worst: Math.max(...measured), n: measured.length, empty: median(empty), reach })
}

/** Turns the wheel over the list of messages for some seconds. Returns how long its frames took, and how many messages it went through. */
async function turned(page, seconds) {
  await page.evaluate(() => {
    const frames = []
    const first = () => Number(document.querySelector('#messages [data-message]').dataset.message) // there is none but these, so that ids have no gaps
    const from = first()
    const start = performance.now()
    let last = start
    const next = (now) => {
      frames.push(Math.round(now - last)) // three periods of the screen are 50.0 ms, a little more or less
      last = now
      frame = requestAnimationFrame(next)
    }
    let frame = requestAnimationFrame(next)
    globalThis.stopped = () => {
      cancelAnimationFrame(frame)
      return { frames: frames.slice(1), passed: from - first(), took: last - start }
    }
  })
  const { x, y, width, height } = await page.locator('#messages').boundingBox()
  await page.cdp.send('Input.synthesizeScrollGesture', {
    x: Math.round(x + width / 2), y: Math.round(y + height / 2), yDistance: wheelSpeed * seconds, speed: wheelSpeed, gestureSourceType: 'mouse',
  })
  return page.evaluate(() => globalThis.stopped())
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

function print() {
  const number = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0))
  console.log('\n| what | median | worst (n) | empty page | ratio | reach | holds |\n|---|---|---|---|---|---|---|')
  for (const { what, unit, ours, worst, n, empty, reach } of rows) {
    const ratio = empty === undefined ? '–' : `${number(ours / empty)} ×`
    console.log(`| ${what}, ${unit} | ${number(ours)} | ${number(worst)} (${n}) | ${number(empty)} | ${ratio} | ≤ ${reach} | ${ours <= reach ? 'yes' : '**no**'} |`)
  }
}

/** The header that says who calls: an account of hack/dataset by its number. */
function authorization(number) {
  const { ID: org } = organization
  const digits = (n) => String(n).padStart(16, '0')
  return 'Basic ' + btoa(`u${number}.${org}@load.example:${digits(org)}${digits(number)}`)
}

/** Calls the interface as somebody. The organization's host is a name that not every system resolves. */
async function call(number, method, path, params = {}) {
  const form = new URLSearchParams(Object.entries(params).map(([k, v]) => [k, typeof v === 'string' ? v : JSON.stringify(v)]))
  const { host, port } = new URL(site)
  const headers = { Authorization: authorization(number), Host: host, 'Content-Type': 'application/x-www-form-urlencoded' }
  const text = await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: `/api/v1${path}`, method, headers, agent }, (response) => {
      let text = ''
      response.on('data', (piece) => (text += piece)).on('end', () => resolve(text))
    })
    asked.on('error', reject).end(String(form))
  })
  const answer = JSON.parse(text)
  if (answer.result !== 'success') throw new Error(`${method} ${path}: ${text}`)
  return answer
}

/** Notes in a page when its first messages, or any content at all, are painted, and when messages arrive. */
function watch() {
  globalThis.painted = (done) => new Promise((resolve) => {
    // What is there when a frame begins is painted with it, and the task after that is next.
    const look = () => (done() ? setTimeout(() => resolve(performance.now())) : requestAnimationFrame(look))
    requestAnimationFrame(look)
  })
  globalThis.firstMessages = globalThis.painted(() => document.querySelector('[data-message]'))
  globalThis.firstContent = globalThis.painted(() => document.body?.textContent)
  const { read } = ReadableStreamDefaultReader.prototype
  ReadableStreamDefaultReader.prototype.read = function (...args) {
    const result = read.apply(this, args)
    void result.then(({ value }) => {
      const mark = typeof value === 'string' ? /mark \d+/.exec(value)?.[0] : undefined
      if (mark === undefined) return
      const arrived = performance.now()
      let frames = 0
      const look = () => {
        frames++
        if (document.querySelector('.feed-rows > article:last-of-type')?.textContent.includes(mark)) globalThis.arrival = { mark, frames, ms: performance.now() - arrived }
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    return result
  }
}

/** A page of the reader's, slowed down. */
async function reader(rate = slowdown) {
  const page = await visitor(browser, { extraHTTPHeaders: { Authorization: authorization(1) } })
  page.cdp = await page.context().newCDPSession(page)
  await page.cdp.send('Emulation.setCPUThrottlingRate', { rate })
  await page.addInitScript(watch)
  return page
}

/** Opens a place in a page, and waits until it is there. */
async function open(page, place) {
  await page.goto(`${site}/${place}`, { waitUntil: 'commit' })
  await page.evaluate(() => globalThis.firstMessages)
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
}

const measures = {
  async 'first load'() {
    const empty = []
    const full = []
    let bytes = 0
    for (let i = 0; i < pages; i++) {
      for (const [path, what, times] of [['/assets/none', 'firstContent', empty], ['/', 'firstMessages', full]]) {
        const page = await reader()
        const loaded = []
        page.on('requestfinished', (request) => ['script', 'stylesheet', 'document'].includes(request.resourceType()) && loaded.push(request))
        await page.goto(site + path, { waitUntil: 'commit' })
        times.push(await page.evaluate((name) => globalThis[name], what))
        bytes = 0
        for (const request of loaded) bytes += (await request.sizes()).responseBodySize
        await page.context().close()
      }
    }
    row('first load: script and style, compressed', 'kB', [bytes / 1000], 180)
    row('first messages on screen', 'ms', full, 1000, empty)
    if (tracing) {
      const page = await reader()
      await traced(browser, page, () => open(page, ''))
      await page.context().close()
    }
  },

  async 'arriving messages'() {
    const page = await reader()
    await open(page, `#narrow/stream/${organization.Streams[0]}-stream-1/topic/Topic.200`)
    const frames = []
    const times = []
    for (let i = 0; i < 30; i++) {
      await call(2, 'POST', '/messages', { type: 'stream', to: [organization.Streams[0]], topic: 'Topic 0', content: `mark ${i}` })
      const arrival = await until(() => page.evaluate((mark) => (globalThis.arrival?.mark === mark ? globalThis.arrival : undefined), `mark ${i}`), 'it arrives')
      frames.push(arrival.frames)
      times.push(arrival.ms)
    }
    row('an arriving message is painted in the frame', 'number', frames, 2)
    row('an arriving message, after its bytes', 'ms', times, 34)
    await page.context().close()
  },

  async 'switching topics'() {
    const page = await reader()
    await open(page, `#narrow/stream/${organization.Streams[0]}-stream-1`)
    await page.locator('.topics a').nth(1).waitFor()
    const times = []
    for (let i = 0; i < 24; i++) {
      times.push(await page.evaluate(async (which) => {
        const link = document.querySelectorAll('.topics a')[which]
        const before = document.querySelector('[data-message]')
        const start = performance.now()
        link.click()
        const there = () => link.ariaCurrent && document.querySelector('.feed-rows[aria-busy=false] [data-message]') && !before.isConnected
        return (await globalThis.painted(there)) - start
      }, i % 2))
    }
    row('switching to a topic that was seen before', 'ms', times.slice(4), 100)
    await page.context().close()
  },

  async scrolling() {
    const page = await reader()
    await open(page, '')
    await page.keyboard.press('G')
    await page.locator('.to-end').waitFor({ state: 'detached' })
    if (tracing) {
      await summed(browser, page, async () => {
        const { frames, passed } = await turned(page, 10)
        console.log(`${passed} messages in ${frames.length} frames`)
      })
      await page.context().close()
      return
    }
    const still = await page.evaluateHandle((rows) => {
      const list = document.getElementById('messages')
      const still = document.createElement('div')
      still.className = 'feed'
      still.style.cssText = 'position: absolute; inset: 0; z-index: 100; display: block'
      while (still.children.length < rows) {
        for (const row of list.querySelector('.feed-rows').children) still.append(row.cloneNode(true))
      }
      list.parentElement.append(still)
      still.scrollTop = still.scrollHeight
      return still
    }, 2_000)
    const height = await still.evaluate((list) => list.scrollHeight - list.clientHeight)
    const floor = await turned(page, Math.floor(height / wheelSpeed)) // at its end nothing would be left to do
    await still.evaluate((list) => list.remove())
    const { frames, passed, took } = await turned(page, 75)
    const filled = await page.evaluate(async () => {
      const start = performance.now()
      const { top, bottom } = document.getElementById('messages').getBoundingClientRect()
      const isSeen = (row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom
      while ([...document.querySelectorAll('.blank')].some(isSeen)) await new Promise(requestAnimationFrame)
      return performance.now() - start
    })
    const over = (frames, ms) => `${(frames.filter((f) => f > ms).length / frames.length * 100).toFixed(1)} % over ${ms} ms`
    console.log(`scrolling: ${passed} messages in ${(took / 1000).toFixed(1)} s; ${frames.length} frames, ${over(frames, 34)}, ${over(frames, 50)}`)
    console.log(`as many rows that are there already: ${floor.frames.length} frames, ${over(floor.frames, 34)}, ${over(floor.frames, 50)}`)
    row('scrolling: worst frame (empty page: rows that are there already)', 'ms', [Math.max(...frames)], 50, [Math.max(...floor.frames)])
    row('scrolling: no row on screen is blank after the wheel has stopped', 'ms', [filled], 1000)
    row('scrolling: 10,000 messages', 's', [((took / 1000) * 10_000) / passed], 90)
    await page.context().close()
  },

  async typing() {
    const page = await reader()
    await open(page, `#narrow/stream/${organization.Streams[0]}-stream-1/topic/Topic.200`)
    const typed = async (field, text) => {
      const times = []
      await field.focus()
      for (const letter of text) {
        await page.evaluate(() => {
          globalThis.keyPainted = new Promise((resolve) => {
            addEventListener('keydown', () => {
              const start = performance.now()
              void globalThis.painted(() => true).then((end) => resolve(end - start))
            }, { once: true, capture: true })
          })
        })
        await page.keyboard.press(letter)
        times.push(await page.evaluate(() => globalThis.keyPainted))
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      return times
    }
    const field = page.getByRole('textbox', { name: /^Message/ })
    row('a key in a message, until it is painted', 'ms', await typed(field, 'words for others '), 100)
    row('a key in a mention, among all accounts', 'ms', await typed(field, '@person12'), 100)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    row('a key in Ctrl+K, among all accounts', 'ms', await typed(page.getByRole('dialog').getByRole('combobox'), 'person12'), 100)
    await page.context().close()
  },

  async memory() {
    const page = await reader(1)
    await open(page, '')
    const heap = async () => {
      await page.cdp.send('HeapProfiler.collectGarbage')
      return (await page.cdp.send('Runtime.getHeapUsage')).usedSize / 1e6
    }
    const before = await heap()
    await page.evaluate(() => {
      globalThis.events = 0
      const { parse } = JSON
      JSON.parse = (...args) => {
        const made = parse(...args)
        if (typeof made?.id === 'number' && typeof made.type === 'string') globalThis.events++
        return made
      }
    })
    let next = 0
    const sender = async (number) => {
      let id
      while (next++ < newEvents) {
        const i = next
        const stream = organization.Streams[i % 40]
        const kind = i % 10
        if (kind < 6 || id === undefined) id = (await call(number, 'POST', '/messages', { type: 'stream', to: [stream], topic: `Topic ${i % 7}`, content: `Event ${i} of the **hour** that this takes, with some words` })).id
        else if (kind < 8) await call(number, 'POST', `/messages/${id}/reactions`, { emoji_name: ['tada', 'heart', 'wave', 'ship', 'tea'][i % 5] }).catch(() => {})
        else if (kind < 9) await call(number, 'PATCH', `/messages/${id}`, { content: `Event ${i}, edited` })
        else await call(number, 'POST', '/typing', { op: i % 20 < 10 ? 'start' : 'stop', to: [organization.Reader.User] })
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, i) => sender(i + 2)))
    let seen = -1
    await until(async () => {
      const now = await page.evaluate(() => globalThis.events)
      const still = now === seen
      seen = now
      if (!still) await new Promise((resolve) => setTimeout(resolve, 1000))
      return still
    }, 'all events are there', 120)
    console.log(`memory: ${seen} events, ${before.toFixed(0)} MB before them`)
    row(`heap after ${seen} events`, 'MB', [await heap()], 120)
    await page.context().close()
  },
}

try {
  server = await new Server().prepare()
  await server.start()
  organization = JSON.parse(execFileSync(new URL('../../bin/fill', import.meta.url).pathname, [server.database()]))
  site = server.site.replace('localhost', 'large.localhost')
  browser = await launch()
  await call(1, 'POST', '/mark_all_as_read')
  for (const [name, measure] of Object.entries(measures)) {
    if (words.length === 0 || words.some((word) => name.includes(word))) await measure().catch((error) => console.error(error))
  }
  print()
  process.exitCode = rows.every(({ ours, reach }) => ours <= reach) ? 0 : 1
} finally {
  await browser?.close()
  await server?.stop()
}

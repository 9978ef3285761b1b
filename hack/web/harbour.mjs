// Cleo and Dario of the demo organization, each at a browser of their own, and what they do in the tests of several files.
import { after, afterEach, before } from 'node:test'
import { launch, signedIn, visitor } from './browser.mjs'
import { Server } from './server.mjs'

export const everything = 'All messages'

/** The server, the browser, and the pages of Cleo, who lets pages use the clipboard, and of Dario. */
export let server, browser, cleo, dario

/** The rules of the organization that tests change. */
const rules = { allow_message_deleting: false, allow_message_editing: true, mandatory_topics: false, video_chat_provider: 1, waiting_period_threshold: 0 }

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }

/**
 * Has the server and both pages be there for the tests of a file. A test begins wherever the one before has left the pages; after one that
 * failed, they are opened again, so that it takes no other one with it. prepare is called before the pages are opened.
 */
export function harbour(prepare = () => {}) {
  let cookies
  before(async () => {
    server = await new Server().prepare()
    await server.start()
    browser = await launch()
    await prepare()
    cleo = await signedIn(browser, server, 'Cleo Marin', clipboard)
    dario = await signedIn(browser, server, 'Dario Fuchs')
    cookies = await Promise.all([cleo, dario].map((page) => page.context().cookies()))
  })
  afterEach(async (t) => {
    if (t.passed) return
    await Promise.all([cleo, dario].map((page) => page.context().close()))
    if (server.process.exitCode !== null) await server.start()
    await server.call('ada', 'PATCH', '/realm', rules)
    for (const id of Object.keys((await server.call('cleo', 'GET', '/drafts')).drafts)) await server.call('cleo', 'DELETE', `/drafts/${id}`)
    ;[cleo, dario] = await Promise.all([again(cookies[0], clipboard), again(cookies[1])])
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })
}

/** A page of who is signed in by these cookies. */
async function again(cookies, options) {
  const page = await visitor(browser, { ...options, storageState: { cookies, origins: [] } })
  await page.goto(server.site)
  await there(page, everything)
  return page
}

/** A page on another device of Cleo's, which options describe. */
export async function another(options = {}) {
  return visitor(browser, { storageState: await cleo.context().storageState(), ...options })
}

/** The messages on screen that have a text. */
export function messages(page, text) {
  return page.getByRole('article').filter({ hasText: text })
}

/** The message on screen with an id. */
export function row(page, id) {
  return page.locator(`#message-${id}`)
}

/** The field in which messages are written. */
export function fieldOf(page) {
  return page.getByRole('textbox', { name: /^Message/ })
}

/** The sidebar's link with a name, whatever is unread there. */
export function entry(page, name) {
  return page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}( \\d+ unread)?$`) })
}

/** Opens a topic of a stream by the sidebar. */
export async function open(page, stream, topic) {
  await entry(page, stream).click()
  await page.getByRole('list', { name: `Topics of ${stream}` }).getByRole('link', { name: topic }).click()
  await there(page, `#${stream} › ${topic}`)
}

/** Opens a topic by its address. It may have no messages. */
export async function visit(page, stream, topic) {
  const { stream_id: id } = await server.call('cleo', 'GET', '/get_stream_id', { stream })
  await page.evaluate((to) => (location.hash = to), `#narrow/stream/${id}/topic/${encodeURIComponent(topic).replaceAll('.', '%2E').replaceAll('%', '.')}`)
  await page.getByRole('heading', { name: `#${stream} › ${topic}`, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
}

/** Returns once a page shows the messages of a place, by its title: the title is there before they are. */
export async function there(page, title) {
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false] [data-message]').first().waitFor()
}

/** Writes a message to what is on screen, and sends it. */
export async function send(page, text) {
  await fieldOf(page).fill(text)
  await page.keyboard.press('Control+Enter')
}

/** Sends a message as somebody, by the interface, and returns its ID. */
export async function say(name, stream, topic, content) {
  return (await server.call(name, 'POST', '/messages', { type: 'stream', to: stream, topic, content })).id
}

/** Opens the menu of a message and chooses from it. */
export async function choose(page, message, item) {
  await message.hover()
  await message.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Begins to edit a message by its button. */
export async function edit(message) {
  await message.hover()
  await message.getByRole('button', { name: 'Edit', exact: true }).click()
}

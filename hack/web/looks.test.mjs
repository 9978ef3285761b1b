// The main screens look as they did: their parts are where looks.json says, and their colours are those. Fonts, which differ between machines,
// decide neither: what is compared has no width or height by its text, and colours are means of large squares.
//
// LOOKS=write keeps how they look now.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { launch, visitor, wellBehaved } from './browser.mjs'
import { Server } from './server.mjs'

const file = new URL('looks.json', import.meta.url)
const kept = JSON.parse(readFileSync(file, 'utf8'))
const near = 6 // pixels
const alike = 24 // of 255
const parts = ['.sidebar', '.sidebar header', 'main', 'main header', '#messages', '.feed-rows > article .avatar', '.feed-rows > article .message-body', 'footer.compose']
let server, browser, session

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
})

after(async () => {
  if (process.env.LOOKS === 'write') writeFileSync(file, JSON.stringify(kept) + '\n')
  await browser.close()
  await server.stop()
})

/** Where the parts of a page are. */
function boxes(page) {
  return page.evaluate((parts) => Object.fromEntries(parts.map((part) => {
    const element = [...document.querySelectorAll(part)].find((e) => e.checkVisibility())
    const { x, width } = element?.getBoundingClientRect() ?? {}
    return [part, element ? [Math.round(x), Math.round(width)] : null]
  })), parts)
}

/** The mean colours of twelve by eight squares of a page. */
async function colours(page) {
  const picture = (await page.screenshot()).toString('base64')
  const paper = await browser.newPage()
  const means = await paper.evaluate(async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]), { resizeWidth: 12, resizeHeight: 8, resizeQuality: 'high' })
    const canvas = new OffscreenCanvas(12, 8).getContext('2d')
    canvas.drawImage(bitmap, 0, 0)
    return [...canvas.getImageData(0, 0, 12, 8).data].filter((_, i) => i % 4 < 3)
  }, picture)
  await paper.close()
  return means
}

for (const [name, options] of Object.entries({
  light: { viewport: { width: 1200, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1200, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 800 }, colorScheme: 'light', hasTouch: true },
})) {
  test(`the main screen looks as before: ${name}`, async () => {
    const page = await visitor(browser, { ...options, storageState: session })
    await page.goto(session ? server.site : server.link('Cleo Marin'))
    await page.getByRole('article').first().waitFor()
    session ??= await page.context().storageState()
    await page.goto(server.site + '/#narrow/is/private')
    await page.getByRole('article').filter({ hasText: 'Who brings the bread?' }).waitFor()
    await page.locator('.feed-rows[aria-busy=false]').waitFor()
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))))
    const looks = { boxes: await boxes(page), colours: await colours(page) }
    if (process.env.LOOKS === 'write') kept[name] = looks
    const before = kept[name]
    for (const part of parts) {
      const [is, was] = [looks.boxes[part], before.boxes[part]]
      assert.equal(is === null, was === null, `${part} is ${is ? '' : 'not '}there`)
      is?.forEach((value, i) => assert.ok(Math.abs(value - was[i]) <= near, `${part} begins at and is wide: ${is}, before ${was}`))
    }
    const apart = looks.colours.map((value, i) => Math.abs(value - before.colours[i]))
    assert.ok(Math.max(...apart) <= alike * 3 && apart.reduce((a, b) => a + b) / apart.length <= alike / 4, `colours are apart by ${Math.max(...apart)}, on average ${apart.reduce((a, b) => a + b) / apart.length}`)
    wellBehaved(page)
    await page.context().close()
  })
}

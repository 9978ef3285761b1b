// Makes the README's pictures of the client with the demo organization: services/web/pictures.
//
//   hack/web/run pictures
import { mkdirSync } from 'node:fs'
import { launch, visitor } from './browser.mjs'
import { Server } from './server.mjs'

const folder = new URL('../../services/web/pictures/', import.meta.url).pathname

/** The screens, each with who looks at what. */
const screens = [
  { name: 'light', who: 'Cleo Marin', place: ['engineering', 'winch controller'], options: { viewport: { width: 1200, height: 760 }, colorScheme: 'light' } },
  { name: 'dark', who: 'Dario Fuchs', place: ['kitchen', 'friday'], options: { viewport: { width: 1200, height: 760 }, colorScheme: 'dark' } },
  { name: 'phone', who: 'Ada Berg', place: [], options: { viewport: { width: 390, height: 760 }, colorScheme: 'light', hasTouch: true } },
]

const server = await new Server().prepare()
await server.start()
const browser = await launch()
try {
  mkdirSync(folder, { recursive: true })
  for (const { name, who, place: [stream, topic], options } of screens) {
    const page = await visitor(browser, options)
    await page.goto(server.link(who))
    await page.getByRole('article').first().waitFor()
    if (stream !== undefined) {
      await page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${stream}( |$)`) }).first().click()
      await page.getByRole('list', { name: `Topics of ${stream}` }).getByRole('link', { name: topic }).click()
      await page.getByRole('heading', { name: `#${stream} › ${topic}`, level: 1 }).waitFor()
    }
    await page.locator('.feed-rows[aria-busy=false]').waitFor()
    await page.locator('.avatar').first().waitFor()
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))))
    await page.screenshot({ path: `${folder}${name}.png` })
    await page.context().close()
  }
} finally {
  await browser.close()
  await server.stop()
}

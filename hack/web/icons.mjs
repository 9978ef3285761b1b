// Draws the icons of the manifest (services/web/src/public) as the browser draws services/web/src/icon.svg. The sign is where no platform cuts
// something off.
//
//   CHROMIUM=/usr/bin/chromium node hack/web/icons.mjs
import { readFileSync } from 'node:fs'
import { launch } from './browser.mjs'

const web = new URL('../../services/web/src/', import.meta.url).pathname
const sign = readFileSync(web + 'icon.svg', 'utf8')
const light = sign.replace('#2f6f62', '#ffffff').replace('stroke="#fff"', 'stroke="#2f6f62"')

const browser = await launch()
for (const [name, size, drawn, part, ground] of [
  ['icon-192', 192, sign, 0.94, 'transparent'],
  ['icon-512', 512, sign, 0.94, 'transparent'],
  ['icon-maskable', 512, light, 0.56, '#2f6f62'],
  ['icon-touch', 180, light, 0.66, '#2f6f62'],
]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const style = `html, body { margin: 0; height: 100%; background: ${ground}; display: grid; place-items: center } svg { width: ${part * size}px }`
  await page.setContent(`<style>${style}</style>${drawn}`)
  await page.screenshot({ path: `${web}public/${name}.png`, omitBackground: true })
  await page.close()
}
await browser.close()

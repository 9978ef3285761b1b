// An organization whose names, topics and messages try to run scripts in the pages of others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const payloads = [
  '<script>violated(1)</script>',
  '<img src=x onerror=violated(2)>',
  '"><svg onload=violated(3)>',
  "'-violated(4)-'",
  '[a](javascript:violated(5))',
  '[b](data:text/html,<script>violated(6)</script>)',
  '<iframe srcdoc="<script>parent.violated(7)</script>">',
  '</textarea><script>violated(8)</script>',
  '{{constructor.constructor("violated(9)")()}}',
  '<a href="//evil.example/" style="position:fixed;inset:0">x</a>',
  '```"><script>violated(10)</script>\nx\n```',
  '$$"><img src=x onerror=violated(11)>$$',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=violated(12)&gt;">',
  '@**<img src=x onerror=violated(13)>**',
]

let server, browser, cleo

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  for (const [i, payload] of payloads.entries()) {
    const name = payload.replace(/\s+/g, ' ').slice(0, 55)
    await server.call('ada', 'POST', '/users/me/subscriptions', { subscriptions: [{ name, description: payload }], principals: ['cleo@harbour.example'] }).catch(() => {})
    await server.call('ada', 'POST', '/messages', { type: 'stream', to: 'announcements', topic: name, content: payload })
    await server.call('ada', 'POST', '/messages', { type: 'private', to: ['cleo@harbour.example'], content: payload })
    await server.call('ada', 'POST', '/users', { email: `x${i}@harbour.example`, full_name: payload.replace(/[*`\\>"@]/g, '').slice(0, 60), password: 'seven cranes over the harbour' }).catch(() => {})
  }
})

after(async () => {
  await browser.close()
  await server.stop()
})

test('nothing of it runs, and no policy has to stop it', async () => {
  const page = await visitor(browser)
  await page.goto(server.link('Cleo Marin'))
  await page.getByRole('article').first().waitFor()
  cleo = await page.context().storageState()
  await accessible(page, 'hostile')
  const links = page.getByRole('complementary').getByRole('link')
  await until(async () => (await links.count()) > payloads.length, 'the sidebar is there')
  const places = await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  for (const place of places) {
    await page.evaluate((to) => (location.hash = to), place)
    await page.locator('.feed-rows, .recent').waitFor()
  }
  await page.evaluate(() => (location.hash = '#narrow/search/<img src=x onerror=violated(20)>'))
  await page.getByRole('combobox', { name: /^Search/ }).waitFor()
  wellBehaved(page)
})

test('names that are markup are completed as text', async () => {
  const page = await visitor(browser, { storageState: cleo })
  await page.goto(server.site)
  await page.getByRole('article').first().waitFor()
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: 'Stream' }).selectOption('general')
  await page.getByRole('combobox', { name: 'Topic' }).fill('names')
  const field = page.getByRole('textbox', { name: /^Message/ })
  for (const typed of ['@', '@<', '@im', '#', '#<', '#i', '#a', '#announcements>', '#announcements><', '#announcements>b']) {
    await field.fill('')
    await field.pressSequentially(typed)
    await accessible(page, 'hostile-completion')
    await field.press('Enter')
    await field.press('Shift+Enter')
  }
  await field.fill('')
  await field.pressSequentially('#<img')
  await page.getByRole('option', { selected: true }).filter({ hasText: '<img' }).waitFor()
  await field.press('Enter')
  await field.press('Control+Enter')
  await page.getByRole('article').locator('.content a', { hasText: 'img src=x onerror=violated(2)' }).waitFor()
  wellBehaved(page)
})

test('what the server would never send is left out, too', async () => {
  const page = await visitor(browser)
  const evil = [
    ...payloads,
    '<p onclick="violated(30)" style="color:red">p</p>',
    '<form action="https://evil.example"><input name=a><button formaction="javascript:violated(31)">b</button></form>',
    '<a href=" java\nscript:violated(32)">c</a>',
    '<img src="https://evil.example/pixel">',
    '<div class="sidebar actions" id="app">d</div>',
    '<link rel=stylesheet href="https://evil.example/x.css"><base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">',
    '<svg><use href="data:image/svg+xml,<svg id=x onload=violated(33)>#x"></svg>',
    '<template><img src=x onerror=violated(34)></template>',
    '<details open ontoggle=violated(35)>',
    '<span class="emoji emoji-110000">x</span><time datetime="nonsense">y</time>',
  ].join('')
  await page.route('**/api/v1/messages?*', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    for (const message of answer.messages ?? []) message.content = evil
    await route.fulfill({ response, json: answer })
  })
  await page.goto(server.link('Dario Fuchs'))
  const article = page.getByRole('article').first()
  await article.waitFor()
  const kept = await article.locator('.content').evaluate((content) => ({
    names: [...new Set([...content.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()))].sort(),
    tags: [...new Set([...content.querySelectorAll('*')].map((e) => e.tagName))].sort(),
    links: [...content.querySelectorAll('[href], [src]')].map((e) => e.getAttribute('href') ?? e.getAttribute('src')).filter((a) => !a.startsWith(location.origin)),
    classes: [...new Set([...content.querySelectorAll('[class]')].map((e) => e.className))].sort(),
  }))
  assert.deepEqual(kept.names.filter((name) => name.startsWith('on') || ['style', 'id', 'srcdoc', 'action', 'formaction'].includes(name)), [])
  assert.deepEqual(kept.tags.filter((tag) => ['SCRIPT', 'IFRAME', 'FORM', 'INPUT', 'BUTTON', 'LINK', 'BASE', 'META', 'TEMPLATE', 'SVG', 'svg', 'STYLE'].includes(tag)), [])
  assert.ok(kept.links.every((link) => /^https?:\/\//.test(link)), kept.links.join())
  assert.ok(!kept.classes.some((name) => /sidebar|actions/.test(name)), kept.classes.join())
  // Browsers apply the page's policy to the document that is parsed, too, in which nothing would run without it either.
  assert.deepEqual(page.wrong.filter((what) => !/^the policy stopped ((script|style)-src-(attr|elem) inline|base-uri)/.test(what)), [])
})

// The page without a network, and what comes while nobody looks at it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

let server, browser, page

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  page = await signedIn(browser, server, 'Cleo Marin', { serviceWorkers: 'allow', permissions: ['notifications'] })
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** Waits until the worker is between a page and the server. */
function controlled(page) {
  return until(() => page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker works for the page')
}

test('a link that is valid once works where the worker runs', async () => {
  const other = await signedIn(browser, server, 'Ada Berg', { serviceWorkers: 'allow' })
  await controlled(other)
  await other.goto(server.link('Dario Fuchs'))
  await other.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  const { email } = await other.evaluate(() => fetch('/api/v1/users/me').then((r) => r.json()))
  assert.equal(email, server.account('dario').email)
  wellBehaved(other)
  await other.context().close()
})

test('the page can be installed', async () => {
  const session = await page.context().newCDPSession(page)
  const { manifest, errors } = await session.send('Page.getAppManifest')
  assert.deepEqual(errors, [])
  assert.equal(manifest.startUrl, server.site + '/')
  assert.equal(manifest.name, 'Harbour Works')
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'), [])
  await session.detach()
})

test('without a server the page opens, says so, and comes back', async () => {
  await page.evaluate(() => navigator.serviceWorker.ready)
  await controlled(page)
  await server.stop()
  await page.reload()
  await page.getByRole('status').filter({ hasText: 'The server can’t be reached' }).waitFor()
  await server.start()
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor({ timeout: 60_000 })
  wellBehaved(page)
})

/** Returns what notifications are shown. */
function notices() {
  return page.evaluate(async () => {
    const shown = await (await navigator.serviceWorker.ready).getNotifications()
    return shown.map(({ title, body, data }) => ({ title, body, message: data.message }))
  })
}

/** Sends a private message, and returns its number. */
async function write(content) {
  return (await server.call('dario', 'POST', '/messages', { type: 'private', to: [server.account('cleo').email], content })).id
}

test('what is private is notified of while nobody looks, until it is read', async () => {
  // Since the server was gone, the first may come with a new state, of which nobody is notified; the second comes by an event.
  for (const content of ['While you look', 'And still look']) {
    await write(content)
    await page.getByRole('article').filter({ hasText: content }).waitFor()
  }
  assert.deepEqual(await notices(), [])
  await page.evaluate(() => {
    globalThis.sounds = 0
    const make = AudioParam.prototype.exponentialRampToValueAtTime
    AudioParam.prototype.exponentialRampToValueAtTime = function (...of) {
      globalThis.sounds++
      return make.apply(this, of)
    }
    document.hasFocus = () => false
  })
  const id = await write('The **tide** is in :wave:')
  await until(async () => (await notices()).length > 0, 'a notification')
  assert.deepEqual(await notices(), [{ title: 'Dario Fuchs', body: 'The tide is in 👋', message: id }])
  assert.equal(await page.evaluate(() => globalThis.sounds), 1)
  await until(() => page.evaluate(() => document.querySelector('link[rel=icon]').href.includes('unread')), 'the icon says so')
  await server.call('cleo', 'POST', '/messages/flags', { messages: [id], op: 'add', flag: 'read' })
  await until(async () => (await notices()).length === 0, 'no notification')
  await server.call('cleo', 'PATCH', '/settings/notifications', { enable_desktop_notifications: false, pm_content_in_desktop_notifications: false })
  await write('Nothing shows this')
  await until(() => page.evaluate(() => globalThis.sounds === 2), 'a sound')
  assert.deepEqual(await notices(), [])
  await server.call('cleo', 'PATCH', '/settings/notifications', { enable_desktop_notifications: true })
  await write('Nor this, but that there is something')
  await until(async () => (await notices()).length > 0, 'a notification')
  assert.equal((await notices())[0].body, '')
  await server.call('cleo', 'PATCH', '/settings/notifications', { pm_content_in_desktop_notifications: true, enable_sounds: false })
  wellBehaved(page)
})

test('notifications are paused for an hour, and every night', async () => {
  const pause = page.getByLabel('Pause notifications')
  const opened = async () => {
    await page.getByRole('button', { name: /^Harbour Works/ }).click()
    await page.getByRole('menuitem', { name: 'Your status' }).click()
    await pause.waitFor()
  }
  const before = (await notices()).length
  await opened()
  await pause.selectOption('For an hour')
  await until(async () => /^Paused until/.test(await pause.locator('option:checked').textContent()), 'it says until when')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /quiet until/ }).waitFor()
  const heard = async (content) => {
    await write(content)
    await until(() => page.evaluate((content) => document.body.textContent.includes(content), content), 'the message is there')
    return (await notices()).length
  }
  assert.equal(await heard('Psst'), before)
  assert.ok(await page.evaluate(() => Object.keys(localStorage).some((key) => key.endsWith('/quiet'))), 'the browser keeps it')
  await opened()
  const first = await pause.locator('option').first().textContent()
  assert.match(first, /^Paused until/)
  await pause.selectOption('Don’t pause')
  await page.getByRole('switch', { name: 'Pause them every night' }).check()
  const kept = () => page.evaluate(async () => (await caches.match('/', { cacheName: 'quiet' }))?.json())
  const hour = await page.evaluate(() => new Date().getHours())
  const nights = [hour + 18, hour + 6].map((at) => `${String(at % 24).padStart(2, '0')}:00`) // from six hours ago for twelve
  await page.getByLabel('from', { exact: true }).fill(nights[0])
  await page.getByLabel('until', { exact: true }).fill(nights[1])
  await until(async () => JSON.stringify(await kept()) === JSON.stringify({ nights }), 'the worker knows')
  await accessible(page, 'status')
  await page.keyboard.press('Escape')
  assert.equal(await heard('Still psst'), before)
  await opened()
  await page.getByRole('switch', { name: 'Pause them every night' }).uncheck()
  await page.keyboard.press('Escape')
  await write('Loud again')
  await until(async () => (await notices()).length > before, 'a notification')
  wellBehaved(page)
})

test('a first visit is notified of what comes before its worker is there, and signing out leaves nothing', async () => {
  const ada = await signedIn(browser, server, 'Ada Berg', { serviceWorkers: 'allow', permissions: ['notifications'] })
  const shown = () => ada.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ body }) => body))
  await ada.evaluate(() => (location.hash = '#narrow/is/starred')) // where the message isn't read
  await ada.getByRole('heading', { name: 'Starred', level: 1 }).waitFor()
  await ada.evaluate(() => (document.hasFocus = () => false))
  await server.call('cleo', 'POST', '/messages', { type: 'private', to: [server.account('ada').email], content: 'For you alone' })
  await until(async () => (await shown()).includes('For you alone'), 'a notification')
  await ada.getByRole('button', { name: /^Harbour Works/ }).click()
  await ada.getByRole('menuitem', { name: 'Sign out' }).click()
  await ada.getByRole('heading', { name: 'Sign in to Harbour Works' }).waitFor()
  await until(async () => (await shown()).length === 0, 'no notification')
  wellBehaved(ada)
  await ada.context().close()
})

test('a push is shown by the worker, and leads to its message', async () => {
  const session = await page.context().newCDPSession(page)
  const registered = new Promise((resolve) => session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => one && resolve(one.registrationId)))
  await session.send('ServiceWorker.enable')
  const push = async (data) => session.send('ServiceWorker.deliverPushMessage', { origin: server.site, registrationId: await registered, data: JSON.stringify(data) })
  const message = await write('Look at the log')
  const notice = { event: 'message', realm_uri: server.site, user_id: 1, message_id: message, time: 1 }
  await until(async () => (await notices()).some((one) => one.message === message), 'a notification by the page')
  const pushed = [
    { ...notice, sender_full_name: 'Dario Fuchs', recipient_type: 'private', content: 'Look at the log' },
    { ...notice, message_id: message + 1000, sender_full_name: 'Ada', recipient_type: 'stream', stream: 'general', topic: 'tides', content: 'High' },
    { ...notice, message_id: message + 1001 },
  ]
  await page.evaluate(async () => (await caches.open('quiet')).put('/', new Response(''))) // the browser lost what it kept
  await push(pushed[0]) // of a message that the page has shown
  let shown = []
  await until(async () => {
    shown = await notices() // among them may be one of the test before
    const missing = pushed.filter((data) => !shown.some((one) => one.message === data.message_id))
    for (const data of missing) await push(data) // again: now and then one that is sent by DevTools doesn't arrive
    return missing.length === 0
  }, 'notifications')
  await page.evaluate(() => caches.delete('quiet'))
  assert.equal(shown.filter((one) => one.message === message).length, 1, 'one of the page and of the push')
  assert.deepEqual(shown.find((one) => one.message === message + 1000), { title: 'Ada (#general › tides)', body: 'High', message: message + 1000 })
  assert.equal(shown.find((one) => one.message === message + 1001).title, new URL(server.site).host)
  const [worker] = page.context().serviceWorkers()
  await worker.evaluate(async (id) => {
    const [clicked] = (await registration.getNotifications()).filter((one) => one.data.message === id)
    dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification: clicked }))
  }, message)
  await page.getByRole('heading', { name: 'Dario Fuchs', level: 1 }).waitFor()
  await page.getByRole('article').filter({ hasText: 'Look at the log' }).waitFor()
  await session.detach()
  wellBehaved(page)
})

test('where the browser can’t be notified, its setting says why', async () => {
  await page.goto(server.site + '/#settings/notifications')
  const toggle = page.getByLabel('Notify me here while the page isn’t open')
  await toggle.click()
  await page.getByText('This server doesn’t notify browsers.').waitFor()
  assert.equal(await toggle.isChecked(), false)
  await accessible(page, 'settings-notifications-push')
  await page.goto(server.site + '/#message/99999999') // of a notification whose message is gone
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  wellBehaved(page)
})

test('whoever missed something is asked once whether to be notified', async () => {
  const dario = await visitor(browser)
  await dario.goto(server.link('Dario Fuchs'))
  await dario.getByRole('heading', { level: 1 }).waitFor()
  await dario.evaluate(() => (document.hasFocus = () => false))
  const question = dario.getByRole('complementary', { name: 'Notifications' })
  assert.equal(await question.count(), 0)
  await server.call('cleo', 'POST', '/messages', { type: 'private', to: [server.account('dario').email], content: 'Are you there?' })
  await question.waitFor()
  await accessible(dario, 'ask-for-notifications')
  await question.getByRole('button', { name: 'No' }).click()
  await question.waitFor({ state: 'detached' })
  wellBehaved(dario)
  await dario.context().close()
})

// What people set: the shell of settings, their own account, and what they see of others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, enter, launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const everything = 'All messages'
const password = 'seven cranes over the harbour'
let server, browser, cleo

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  cleo = await signedIn(browser, server, 'Cleo Marin')
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** Opens a page of one's own settings. */
async function openPage(page, title) {
  await page.evaluate(() => (location.hash = '#settings'))
  await page.getByRole('navigation', { name: 'Pages of settings' }).getByRole('link', { name: title }).click()
  await page.getByRole('heading', { name: title, level: 2 }).waitFor()
}

/** The field with a label, and what is said below it. */
function said(page, field) {
  return page.locator('.field', { has: page.getByLabel(field, { exact: true }) }).locator('.field-said')
}

test('settings are opened from the menu and by keys, and left for where one was', async () => {
  await cleo.getByRole('navigation').getByRole('link', { name: /^kitchen/ }).click()
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.getByRole('textbox', { name: /^Message/ }).or(cleo.getByRole('article').first()).first().waitFor()
  await cleo.evaluate(() => document.activeElement.blur())
  await cleo.keyboard.press('g')
  const menu = cleo.getByRole('menu', { name: /^Harbour Works/ })
  await menu.waitFor()
  await accessible(cleo, 'menu')
  await until(() => cleo.evaluate(() => document.activeElement.textContent === 'Your status'), 'the first item has the focus')
  await cleo.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await until(() => cleo.evaluate(() => document.activeElement.id === 'organization-menu'), 'where nothing had the focus, the button has it')
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('g')
  await menu.waitFor()
  await cleo.keyboard.press('Escape')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'messages'), 'the focus is where it was')
  await cleo.getByRole('button', { name: /^Harbour Works/ }).click()
  await cleo.keyboard.press('ArrowDown')
  await cleo.keyboard.press('Home')
  await until(() => cleo.evaluate(() => document.activeElement.textContent === 'Your status'), 'the first item has the focus')
  await cleo.getByRole('menuitem', { name: 'Settings' }).press('Enter')
  await cleo.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await until(() => cleo.evaluate(() => document.activeElement.id === 'settings'), 'the page has the focus')
  const seen = () => cleo.locator('#settings').evaluate((page) => [getComputedStyle(page).boxShadow !== 'none', getComputedStyle(page).outlineStyle])
  assert.deepEqual(await seen(), [true, 'none'], 'the focus is seen as a line')
  await cleo.emulateMedia({ forcedColors: 'active' })
  assert.deepEqual(await seen(), [false, 'solid'], 'the focus is seen where the system has colours of its own')
  await cleo.evaluate(() => (location.hash = '#settings/display'))
  assert.equal(await cleo.getByRole('combobox', { name: 'Language' }).evaluate((list) => getComputedStyle(list).appearance), 'auto', 'a list has the system’s arrow')
  assert.equal(await cleo.locator('#sidebar .here').first().evaluate((mark) => getComputedStyle(mark).forcedColorAdjust), 'none', 'who is there is a mark of its own')
  await cleo.emulateMedia({ forcedColors: null })
  await cleo.keyboard.press('Escape')
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await until(() => cleo.evaluate(() => document.activeElement.id === 'messages'), 'the messages have the focus')
  await cleo.goto(server.site + '/#settings/nowhere')
  await cleo.getByText('There is no such page').waitFor()
  await cleo.getByRole('button', { name: 'Back to messages' }).click()
  await cleo.getByRole('heading', { name: '#kitchen', level: 1 }).waitFor()
  await cleo.setViewportSize({ width: 500, height: 800 }) // where the sidebar with its button isn't shown
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('k')
  const row = cleo.locator('article:focus')
  await row.waitFor()
  const id = await row.getAttribute('id')
  for (const leave of ['Escape', 'Tab']) {
    await cleo.keyboard.press('g')
    await menu.waitFor()
    await until(() => cleo.evaluate(() => document.activeElement.textContent === 'Your status'), 'the first item has the focus')
    await cleo.keyboard.press(leave)
    await menu.waitFor({ state: 'hidden' })
    await until(() => cleo.evaluate((id) => document.activeElement.id === id, id), `the message has the focus again after ${leave}`)
  }
  await cleo.setViewportSize({ width: 1200, height: 800 })
  wellBehaved(cleo)
})

test('a choice is saved at once, here and in other windows', async () => {
  await openPage(cleo, 'Display')
  const other = await cleo.context().newPage()
  await other.goto(server.site + '/#settings/display')
  await cleo.getByRole('radio', { name: 'Dark' }).check()
  await cleo.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await until(() => other.getByRole('radio', { name: 'Dark' }).isChecked(), 'the other window shows it')
  for (const page of [cleo, other]) {
    await until(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'dark'), 'the page is dark')
  }
  await accessible(cleo, 'settings-display-dark')
  await cleo.getByRole('radio', { name: 'Light' }).check()
  await until(() => other.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'light'), 'the page is light')
  await accessible(cleo, 'settings-display')
  await other.close()
  wellBehaved(cleo)
})

test('keys of a single letter can be turned off', async () => {
  await openPage(cleo, 'Keyboard shortcuts')
  const letters = cleo.getByRole('switch', { name: 'Keys of a single letter or sign' })
  await accessible(cleo, 'settings-keys')
  await letters.click()
  await said(cleo, 'Keys of a single letter or sign').getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await cleo.locator('#settings').press('w')
  await cleo.reload()
  await letters.waitFor()
  assert.equal(await letters.isChecked(), false)
  await cleo.locator('#settings').press('Escape')
  await cleo.locator('.feed-rows[aria-busy=false] [data-message]').first().waitFor()
  await cleo.keyboard.press('?')
  await cleo.keyboard.press('ArrowUp')
  const first = await cleo.locator('article:focus').getAttribute('data-message')
  await cleo.keyboard.press('k')
  assert.equal(await cleo.locator('article:focus').getAttribute('data-message'), first)
  assert.equal(await cleo.getByRole('dialog').count(), 0)
  await openPage(cleo, 'Keyboard shortcuts')
  await letters.click()
  await until(() => letters.isChecked(), 'the keys work again')
  await cleo.locator('#settings').press('Escape')
  await cleo.locator('.feed-rows[aria-busy=false] [data-message]').first().waitFor()
  await cleo.locator('#messages').press('?')
  await cleo.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('what the server refuses is said beside its field, and the choice is as before', async () => {
  await openPage(cleo, 'Display')
  await cleo.route('**/settings/display', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not today.', code: 'BAD_REQUEST' } }))
  const wide = cleo.getByRole('switch', { name: 'Messages as wide as the window' })
  await wide.click()
  await said(cleo, 'Messages as wide as the window').getByRole('alert').filter({ hasText: 'Not today.' }).waitFor()
  assert.equal(await wide.isChecked(), false)
  await cleo.unroute('**/settings/display')
  await wide.click()
  await said(cleo, 'Messages as wide as the window').getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  assert.equal(await said(cleo, 'Messages as wide as the window').locator('.problem').textContent(), '')
  wellBehaved(cleo)
})

/** A row of a list. */
function row(page, text) {
  return page.locator('#settings').getByRole('listitem').filter({ hasText: text })
}

/** Signs a page in with the password. A busy server may ask to try again. */
async function signIn(page, email) {
  await until(async () => {
    const answer = await page.context().request.post(server.site + '/api/v1/sessions', { form: { username: email, password, client: 'website' }, headers: { Origin: server.site } })
    assert.ok([200, 503].includes(answer.status()), await answer.text())
    return answer.ok()
  }, 'the password is taken', 120)
}

/** A page of somebody with a password, on a page of settings. */
async function member(name, page) {
  const email = `${name}@harbour.example`
  await server.call('ada', 'POST', '/users', { email, full_name: `${name} quay`, password })
  const made = await visitor(browser)
  await signIn(made, email)
  await made.goto(`${server.site}/#settings/${page}`)
  await made.locator('#settings-title').waitFor()
  return made
}

test('name, picture and answers of the profile', async () => {
  await openPage(cleo, 'Profile')
  const { id } = await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Editor', hint: 'What you write with', field_type: 3, field_data: { 0: { text: 'Vim', order: '1' }, 1: { text: 'Ed', order: '2' } } })
  await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Mentor', hint: '', field_type: 6 })
  await cleo.getByRole('combobox', { name: 'Editor' }).selectOption('Ed')
  await said(cleo, 'Editor').getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await cleo.getByLabel('Mentor', { exact: true }).fill('Dario Fuchs')
  await cleo.getByRole('button', { name: 'Remove Dario Fuchs' }).waitFor()
  await accessible(cleo, 'settings-profile')
  const stored = await server.call('cleo', 'GET', '/users/me')
  assert.equal(stored.profile_data[id].value, '1')
  const name = cleo.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('C')
  await name.press('Enter')
  await said(cleo, 'Name').locator('.problem').filter({ hasText: 'Name too short!' }).waitFor()
  assert.equal(await name.inputValue(), 'C')
  await name.fill('Cleo <b>Marin</b>'.replace('>', ' '))
  await name.press('Enter')
  await said(cleo, 'Name').locator('.problem').filter({ hasText: 'Invalid characters' }).waitFor()
  await name.fill('Cleo Marín')
  await cleo.getByRole('button', { name: 'Save Name' }).click()
  await said(cleo, 'Name').getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await cleo.getByRole('button', { name: 'Harbour Works Cleo Marín' }).waitFor()
  await name.fill('Cleo Marin')
  await name.press('Enter')
  await cleo.getByRole('button', { name: 'Harbour Works Cleo Marin' }).waitFor()

  const file = cleo.locator('#settings input[type=file]')
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') })
  await cleo.locator('#settings').getByRole('alert').filter({ hasText: 'Could not decode image' }).waitFor()
  await file.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(await picture(cleo), 'base64') })
  await cleo.locator('#settings img[src*="/user_avatars/"]').waitFor()
  await cleo.getByRole('button', { name: 'Remove the picture' }).click()
  await cleo.getByRole('button', { name: 'Remove the picture' }).waitFor({ state: 'detached' })
  wellBehaved(cleo)
})

/** A picture, which the browser draws. */
function picture(page) {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 64
    canvas.getContext('2d').fillRect(8, 8, 40, 40)
    return canvas.toDataURL('image/png').split(',')[1]
  })
}

test('a password is changed, what is wrong is said beside its field', async () => {
  const nell = await member('nell', 'account')
  await accessible(nell, 'settings-account')
  const change = nell.getByRole('form', { name: 'Change the password' })
  const refused = (label) => change.locator('.field', { has: nell.getByLabel(label) }).locator('.problem')
  await change.getByLabel('Current password').fill('wrong')
  await change.getByLabel('New password').fill('eleven boats behind the mole')
  await enter(nell, refused('Current password').filter({ hasText: 'Wrong password!' }))
  assert.equal(await change.getByLabel('New password').inputValue(), 'eleven boats behind the mole')
  await change.getByLabel('Current password').fill(password)
  await change.getByLabel('New password').fill('aaaaaa')
  await change.getByRole('button', { name: 'Change the password' }).click()
  await refused('New password').filter({ hasText: 'too weak' }).waitFor()
  await change.getByLabel('New password').fill('eleven boats behind the mole')
  await enter(nell, nell.getByText('The password was changed.'))
  const address = nell.getByRole('form', { name: 'Change the address' })
  await address.getByLabel('New address').fill('cleo@harbour.example')
  await address.getByRole('button').click()
  await address.locator('.field .problem').filter({ hasText: 'Already has an account.' }).waitFor()
  assert.equal(await address.getByLabel('New address').inputValue(), 'cleo@harbour.example')
  wellBehaved(nell)
  await nell.context().close()
})

test('programs get a key, browsers are signed out, and an account is left', async () => {
  const otto = await member('otto', 'account')
  const other = await visitor(browser)
  await signIn(other, 'otto@harbour.example')
  await other.goto(server.site)
  await other.getByRole('heading', { name: everything, level: 1 }).waitFor()
  const make = otto.getByRole('form', { name: 'Make a key' })
  await make.getByLabel('Password').fill('wrong')
  await enter(otto, make.locator('.field .problem').filter({ hasText: /incorrect/ }))
  await make.getByLabel('Password').fill(password)
  await enter(otto, otto.getByRole('textbox', { name: /zuliprc/ }))
  const file = await otto.getByRole('textbox', { name: /zuliprc/ }).inputValue()
  const [, key] = /^\[api\]\nemail=otto@harbour\.example\nkey=(\S+)\nsite=http/.exec(file)
  const me = await fetch(`${server.site}/api/v1/users/me`, { headers: { Authorization: 'Basic ' + btoa(`otto@harbour.example:${key}`) } })
  assert.equal(me.status, 200)
  await accessible(otto, 'settings-key')
  await otto.reload()
  await row(otto, 'This browser').waitFor()
  await otto.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await other.getByRole('heading', { name: 'Sign in to Harbour Works' }).waitFor({ timeout: 60_000 })
  await otto.getByRole('button', { name: 'Deactivate your account' }).click()
  await otto.getByRole('alertdialog', { name: 'Deactivate your account' }).getByRole('button', { name: 'Cancel' }).click()
  await otto.getByRole('button', { name: 'Deactivate your account' }).click()
  await otto.getByRole('button', { name: 'Deactivate now' }).click()
  await otto.getByRole('heading', { name: 'Sign in to Harbour Works' }).waitFor({ timeout: 60_000 })
  for (const page of [otto, other]) {
    wellBehaved(page)
    await page.context().close()
  }
})

test('notifications are chosen for all streams and for one', async () => {
  await openPage(cleo, 'Notifications')
  await accessible(cleo, 'settings-notifications')
  const sound = cleo.getByRole('switch', { name: 'Play a sound' })
  const before = await sound.isChecked()
  await server.call('cleo', 'PATCH', '/settings/notifications', { enable_sounds: !before })
  await until(async () => (await sound.isChecked()) === !before, 'what another program changed is shown')
  await cleo.getByLabel('Find a stream to change').fill('kitch')
  await cleo.getByRole('switch', { name: 'Mail, kitchen' }).click()
  await until(async () => (await server.call('cleo', 'GET', '/users/me/subscriptions')).subscriptions.find((s) => s.name === 'kitchen').email_notifications === true, 'the stream has its own')
  await cleo.getByLabel('Find a stream to change').fill('')
  await cleo.getByRole('rowheader', { name: '#kitchen' }).waitFor()
  assert.equal(await cleo.getByRole('rowheader').count(), 2)
  const forbidden = await cleo.context().newPage()
  await forbidden.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }))
  await forbidden.goto(server.site + '/#settings/notifications')
  await forbidden.locator('.field', { has: forbidden.getByLabel('Show them on this computer') }).getByText('The browser doesn’t let this page show notifications.').waitFor()
  await forbidden.close()
  wellBehaved(cleo)
})

test('alert words, muted topics and files are listed and taken away', async () => {
  const bad = '<img src=x onerror=violated(70)>'
  await openPage(cleo, 'Alert words')
  await cleo.getByLabel('Word or phrase').fill(bad)
  await cleo.keyboard.press('Enter')
  await row(cleo, bad).getByRole('button').click()
  await row(cleo, bad).waitFor({ state: 'detached' })
  for (const word of ['anchor', 'ballast', 'cable']) {
    await cleo.getByLabel('Word or phrase').fill(word)
    await cleo.keyboard.press('Enter')
    await row(cleo, word).waitFor()
  }
  await row(cleo, 'anchor').getByRole('button').focus()
  for (const next of ['ballast', 'cable']) { // by keys, one after the other
    await cleo.keyboard.press('Enter')
    await until(() => row(cleo, next).getByRole('button').evaluate((button) => button === document.activeElement), `${next} has the focus`)
  }
  await cleo.keyboard.press('Enter')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'settings'), 'the page has the focus')
  await server.call('cleo', 'PATCH', '/users/me/subscriptions/muted_topics', { stream: 'kitchen', topic: bad, op: 'add' })
  await openPage(cleo, 'Muted topics')
  await row(cleo, `#kitchen › ${bad}`).getByRole('button').click()
  await row(cleo, bad).waitFor({ state: 'detached' })
  await openPage(cleo, 'Your files')
  await cleo.evaluate(async () => {
    const form = new FormData()
    form.set('file', new File(['x'.repeat(2000)], 'plan.txt'))
    await fetch('/api/v1/user_uploads', { method: 'POST', body: form })
    form.set('file', new File(['short'], 'note.txt'))
    await fetch('/api/v1/user_uploads', { method: 'POST', body: form })
  })
  await row(cleo, 'note.txt').getByText('5 bytes').waitFor()
  await row(cleo, 'plan.txt').getByText('2 kB').waitFor()
  await accessible(cleo, 'settings-files')
  await cleo.getByRole('button', { name: 'Delete plan.txt' }).click()
  await cleo.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await row(cleo, 'plan.txt').waitFor({ state: 'detached' })
  wellBehaved(cleo)
})

test('a tablet has room for a page of settings', async () => {
  const tablet = await visitor(browser, { viewport: { width: 768, height: 1024 }, storageState: await cleo.context().storageState() })
  await tablet.goto(server.site + '/#settings/notifications')
  const page = tablet.locator('.settings-page')
  await page.getByRole('heading', { name: 'Notifications', level: 2 }).waitFor()
  assert.ok((await page.boundingBox()).width > 450, 'the page is narrow')
  await accessible(tablet, 'settings-tablet')
  wellBehaved(tablet)
  await tablet.close()
})

test('a phone shows the list of pages, then a page', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, storageState: await cleo.context().storageState(), hasTouch: true })
  await phone.goto(server.site + '/#settings')
  const list = phone.getByRole('navigation', { name: 'Pages of settings' })
  await list.waitFor()
  await accessible(phone, 'settings-phone-list')
  await list.getByRole('link', { name: 'Display' }).click()
  await phone.getByRole('heading', { name: 'Display', level: 2 }).waitFor()
  await list.waitFor({ state: 'hidden' })
  await accessible(phone, 'settings-phone')
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  await phone.getByRole('link', { name: '‹ Settings' }).click()
  await list.waitFor()
  await list.getByRole('link', { name: 'Notifications' }).click()
  const name = phone.getByRole('rowheader', { name: 'All streams' })
  assert.ok(await name.evaluate((th) => th.clientWidth > 80), 'words are in pieces')
  assert.ok(await phone.locator('.wide-table').evaluate((around) => around.scrollWidth <= around.clientWidth), 'the table is too wide')
  await phone.getByRole('link', { name: '‹ Settings' }).click()
  await list.waitFor()
  wellBehaved(phone)
  await phone.close()
})

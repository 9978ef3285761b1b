// Who people are, who is there, and what they say of themselves.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, signedIn, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const hostile = '<img src=x onerror=violated(80)>'
let server, browser, cleo, dario, session

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  cleo = await signedIn(browser, server, 'Cleo Marin', { viewport: { width: 1400, height: 800 } })
  dario = await signedIn(browser, server, 'Dario Fuchs')
  const ada = await signedIn(browser, server, 'Ada Berg')
  session = await ada.context().storageState() // of an administrator
  await ada.context().close()
})

after(async () => {
  await browser.close()
  await server.stop()
})

/** Goes to a topic in which somebody wrote. */
async function open(page, stream, topic) {
  await page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${stream}`) }).click()
  await page.getByRole('list', { name: `Topics of ${stream}` }).getByRole('link', { name: topic }).click()
  await page.getByRole('heading', { name: `#${stream} › ${topic}`, level: 1 }).waitFor()
  await page.locator('.feed-rows[aria-busy=false]').waitFor()
}

test('a name shows who somebody is, with links to them', async () => {
  const { id: site } = await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Home page', hint: '', field_type: 5 })
  const { id: note } = await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Note', hint: '', field_type: 1 })
  const { id: since } = await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Since', hint: '', field_type: 4 })
  await server.call('dario', 'PATCH', '/users/me/profile_data', { data: [{ id: site, value: 'https://fuchs.example/' }, { id: note, value: hostile }, { id: since, value: '2020-02-29' }] })
  await server.call('ada', 'POST', '/user_groups/create', { name: 'crane crew', description: hostile, members: [server.account('dario').user_id, server.account('cleo').user_id] })
  await server.call('dario', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: 'Ask @**Cleo Marin** or @*crane crew* please' })
  await open(cleo, 'engineering', 'crane 4')
  const message = cleo.getByRole('article').filter({ hasText: 'please' })
  await cleo.getByRole('article').getByRole('button', { name: 'Dario Fuchs', exact: true }).last().click()
  const card = cleo.getByRole('dialog', { name: 'Dario Fuchs' })
  await card.getByText('February 29, 2020').waitFor()
  await card.getByText(hostile).waitFor()
  assert.equal(await card.getByRole('link', { name: 'https://fuchs.example/' }).getAttribute('rel'), 'noopener noreferrer')
  await accessible(cleo, 'card')
  await cleo.evaluate(() => (navigator.clipboard.write = () => Promise.resolve()))
  await card.getByRole('button', { name: 'Copy the address' }).click()
  await card.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
  await cleo.evaluate(() => (navigator.clipboard.write = () => Promise.reject(new Error('Not now'))))
  await card.getByRole('button', { name: 'Copy the address' }).click()
  const refused = card.getByRole('alert').filter({ hasText: 'The browser doesn’t let the page copy' })
  await refused.getByRole('button', { name: 'Close' }).click()
  await refused.waitFor({ state: 'detached' })
  await card.getByRole('button', { name: 'crane crew' }).click()
  const crew = cleo.getByRole('dialog', { name: 'crane crew' })
  await crew.getByText('2 members').waitFor()
  await crew.getByText(hostile).waitFor()
  await accessible(cleo, 'group')
  await cleo.keyboard.press('Escape')
  await crew.waitFor({ state: 'detached' })
  await message.getByRole('button', { name: '@crane crew' }).click()
  await crew.getByRole('button', { name: 'Dario Fuchs' }).click()
  await card.getByRole('button', { name: 'Mention' }).click()
  await until(async () => (await cleo.getByRole('textbox', { name: /^Message/ }).inputValue()) === '@**Dario Fuchs** ', 'the mention is written')
  await cleo.getByRole('textbox', { name: /^Message/ }).fill('')
  await server.call('edda', 'POST', '/messages', { type: 'stream', to: 'engineering', topic: 'crane 4', content: 'My last day' })
  const last = cleo.getByRole('article').filter({ hasText: 'My last day' })
  await last.waitFor()
  await server.call('ada', 'DELETE', `/users/${server.account('edda').user_id}`)
  await last.getByText('deactivated').waitFor()
  await last.getByRole('button', { name: 'Edda Lund', exact: true }).click()
  const left = cleo.getByRole('dialog', { name: 'Edda Lund' })
  await left.getByText('This account was deactivated.').waitFor()
  assert.equal(await left.getByRole('button', { name: 'Mention' }).count(), 0) // it would be text
  await cleo.keyboard.press('Escape')
  await server.call('ada', 'POST', `/users/${server.account('edda').user_id}/reactivate`)
  await last.getByText('deactivated').waitFor({ state: 'detached' })
  await message.getByRole('button', { name: '@Cleo Marin' }).click()
  await cleo.getByRole('dialog', { name: 'Cleo Marin' }).getByRole('link', { name: 'Profile' }).click()
  await cleo.getByRole('heading', { name: 'Profile', level: 2 }).waitFor()
  await cleo.keyboard.press('Escape')
  await message.waitFor()
  wellBehaved(cleo)
})

test('administrators come from a card to the account, and from a stream to what it is', async () => {
  const ada = await visitor(browser, { storageState: session })
  await ada.goto(server.site)
  await server.call('cleo', 'POST', '/messages', { type: 'stream', to: 'general', topic: 'tidy up', content: 'Who looks after this?' })
  await open(ada, 'general', 'tidy up')
  const card = ada.getByRole('dialog', { name: 'Cleo Marin' })
  await ada.getByRole('article').getByRole('button', { name: 'Cleo Marin', exact: true }).first().click()
  const manage = card.getByRole('button', { name: 'Manage the account' })
  await manage.click()
  const role = ada.getByLabel('Role')
  await role.selectOption('Guest')
  await until(async () => (await server.call('ada', 'GET', `/users/${server.account('cleo').user_id}`)).user.is_guest, 'it is saved')
  await role.selectOption('Member')
  await until(async () => !(await server.call('ada', 'GET', `/users/${server.account('cleo').user_id}`)).user.is_guest, 'it is saved')
  await accessible(ada, 'card-account')
  await ada.keyboard.press('Escape')
  await role.waitFor({ state: 'detached' })
  assert.ok(await manage.evaluate((button) => button === document.activeElement), 'the focus is where it came from')
  await card.getByRole('link', { name: 'Messages sent' }).click()
  await ada.getByRole('heading', { name: 'Search: sender:"Cleo Marin"', level: 1 }).waitFor()
  await ada.keyboard.press('q')
  await ada.getByRole('dialog', { name: 'All streams' }).getByRole('button', { name: /^#?kitchen/ }).click()
  await ada.getByRole('button', { name: 'Edit the stream' }).click()
  await ada.getByRole('textbox', { name: 'Description' }).fill('Who cooks')
  await ada.getByRole('button', { name: 'Save' }).click()
  await until(async () => (await server.call('ada', 'GET', '/streams')).streams.some((s) => s.description === 'Who cooks'), 'it is saved')
  wellBehaved(ada)
  await ada.context().close()
})

test('what one says of oneself is seen by others', async () => {
  await dario.getByRole('button', { name: /^Harbour Works/ }).click()
  await dario.getByRole('menuitem', { name: 'Your status' }).click()
  const status = dario.getByRole('dialog', { name: 'Your status' })
  await status.waitFor()
  await accessible(dario, 'status')
  await status.getByRole('button', { name: 'On holiday' }).click()
  await status.getByLabel('What you are doing').fill('🌴 On holiday & far')
  await dario.route('**/users/me/status', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'Not now.', code: 'BAD_REQUEST' } }))
  await status.getByRole('button', { name: 'Save' }).click()
  await status.getByText('Not now.').waitFor()
  assert.equal(await status.getByLabel('What you are doing').inputValue(), '🌴 On holiday & far')
  await dario.unroute('**/users/me/status')
  await status.getByRole('button', { name: 'Save' }).click()
  await status.waitFor({ state: 'detached' })
  await cleo.getByRole('complementary', { name: 'People' }).getByText('🌴 On holiday & far').waitFor()
  wellBehaved(dario)
})

test('people are listed with who is there, and found by keys', async () => {
  const list = cleo.getByRole('complementary', { name: 'People' })
  await list.getByRole('link', { name: /^there now Dario Fuchs/ }).waitFor()
  await accessible(cleo, 'people')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('w')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'find-people'), 'the field has the focus')
  await cleo.keyboard.type('nobody at all')
  await list.getByText('Nobody is called that.').waitFor()
  await list.getByRole('searchbox').fill('ÉDDA')
  await until(async () => (await list.getByRole('link').count()) === 1, 'one person is found')
  await cleo.keyboard.press('Enter')
  await cleo.getByRole('heading', { name: 'Edda Lund', level: 1 }).waitFor()
  await until(() => cleo.evaluate(() => document.activeElement.id === 'compose'), 'one can write to her')
  const hour = new Date().getUTCHours()
  const zone = (at) => `"Etc/GMT${at <= hour ? '+' : '-'}${Math.abs(at - hour)}"` // east of London it is minus
  const known = (timezone) => server.call('edda', 'PATCH', '/settings/display', { timezone })
  await known(zone(hour < 12 ? 3 : 21) === '"Etc/GMT+0"' ? zone(hour < 12 ? 4 : 22) : zone(hour < 12 ? 3 : 21))
  await cleo.locator('.compose').getByText(/^It is .+ where Edda Lund is\.$/).waitFor()
  await accessible(cleo, 'late')
  await known(zone(12) === '"Etc/GMT+0"' ? zone(13) : zone(12))
  await cleo.locator('.compose').getByText(/^It is/).waitFor({ state: 'detached' })
  await server.call('edda', 'POST', '/users/me/status', { status_text: 'In a meeting' })
  await cleo.locator('.compose').getByText('Edda Lund: In a meeting').waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('c') // a message to another place is begun, and she is found again
  await cleo.getByRole('combobox', { name: 'Stream' }).selectOption('general')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('w')
  await list.getByRole('searchbox').fill('EDDA')
  await cleo.keyboard.press('Enter')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'compose' && document.activeElement.placeholder.includes('Edda Lund')), 'one can write to her again')
  await server.call('ada', 'POST', '/users', { email: 'zed@harbour.example', full_name: 'Zed Zander', password: 'seven cranes over the harbour' })
  await list.getByRole('link', { name: 'Zed Zander' }).waitFor()
  await list.getByRole('link', { name: 'Zed Zander' }).click()
  await cleo.locator('#compose').waitFor()
  await server.call('ada', 'DELETE', `/users/${(await server.call('ada', 'GET', '/users')).members.find((m) => m.full_name === 'Zed Zander').user_id}`)
  await list.getByRole('link', { name: 'Zed Zander' }).waitFor({ state: 'detached' })
  await cleo.getByRole('alert').filter({ hasText: 'The account of Zed Zander is deactivated' }).waitFor()
  await cleo.locator('#compose').waitFor({ state: 'detached' }) // what was typed would be refused
  wellBehaved(cleo)
})

test('who stays is there, although no event says so', async () => {
  const seen = async () => (await server.call('cleo', 'GET', '/users/edda@harbour.example/presence')).presence.aggregated.timestamp
  const report = () => server.call('edda', 'POST', '/users/me/presence', { status: 'active', ping_only: true })
  await report()
  const first = await seen()
  const context = await browser.newContext({ storageState: await cleo.context().storageState(), viewport: { width: 1400, height: 800 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.clock.install()
  await page.addInitScript(() => { // the server's time goes on with the page's
    const { get } = Headers.prototype
    Headers.prototype.get = function (name) {
      return name === 'Date' ? new Date().toUTCString() : get.call(this, name)
    }
  })
  await page.goto(server.site)
  const edda = page.getByRole('complementary', { name: 'People' }).getByRole('link', { name: /^there now Edda Lund/ })
  await edda.waitFor()
  await until(async () => (await report(), (await seen()) >= first + 8), 'Edda reports again')
  const asked = page.waitForResponse(async (r) => r.url().endsWith('/users/me/presence') && (await r.json()).presences !== undefined)
  await page.clock.pauseAt((first + 145) * 1000) // what was known of her is forgotten by now
  await asked
  await page.clock.pauseAt((first + 146) * 1000) // and the list is drawn again
  await edda.waitFor()
  await page.clock.pauseAt((first + 300) * 1000)
  await edda.waitFor({ state: 'detached' })
  await context.close()
})

test('whose clock is some minutes wrong sees who is there, and what can still be changed', async () => {
  await server.call('ada', 'PATCH', '/realm', { allow_message_editing: true, message_content_edit_limit_seconds: 600 })
  await server.call('cleo', 'POST', '/messages', { type: 'stream', to: 'kitchen', topic: 'clocks', content: 'Is it late?' })
  const context = await browser.newContext({ storageState: await cleo.context().storageState(), viewport: { width: 1400, height: 800 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.clock.install({ time: Date.now() + 300_000 })
  await page.goto(server.site)
  await page.getByRole('complementary', { name: 'People' }).getByRole('link', { name: /^there now Dario Fuchs/ }).waitFor()
  const message = page.getByRole('article').filter({ hasText: 'Is it late?' })
  await message.hover()
  await message.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('timer').filter({ hasText: /^[5-9]:\d\d left/ }).waitFor()
  await context.close()
})

test('a phone has the list over the messages', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 1300 }, storageState: await cleo.context().storageState(), hasTouch: true })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  await phone.getByRole('button', { name: 'Menu', exact: true }).click()
  const organization = phone.getByRole('button', { name: /^Harbour Works/ })
  await organization.click()
  await phone.getByRole('menuitem', { name: 'People', exact: true }).waitFor()
  const besideMenu = [200, 1250] // far from the menu and from all that leads elsewhere, which fingers hit from nearby, too
  await until(async () => (await phone.touchscreen.tap(...besideMenu), await phone.getByRole('menu').count()) === 0, 'the menu closes')
  await until(() => organization.evaluate((button) => button === document.activeElement), 'the menu’s button has the focus')
  await organization.click() // the sidebar is still there
  await phone.getByRole('menuitem', { name: 'People', exact: true }).click()
  const list = phone.getByRole('complementary', { name: 'People' })
  await until(() => phone.evaluate(() => document.activeElement.id === 'people'), 'the list has the focus, and no field that brings up a keyboard')
  await list.getByRole('button', { name: 'Profile of Dario Fuchs' }).click()
  const card = phone.getByRole('dialog', { name: 'Dario Fuchs' })
  await card.waitFor()
  await accessible(phone, 'card-phone')
  const groups = await card.locator('dd button').evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().toJSON()))
  const touch = (a, b) => a.left < b.right + 2 && b.left < a.right + 2 && a.top < b.bottom + 2 && b.top < a.bottom + 2
  assert.ok(groups.length > 1 && !groups.some((a, i) => groups.slice(i + 1).some((b) => touch(a, b))), JSON.stringify(groups))
  await phone.keyboard.press('Escape')
  await list.getByRole('link', { name: /Dario Fuchs/ }).click()
  await phone.getByRole('heading', { name: 'Dario Fuchs', level: 1 }).waitFor()
  await list.waitFor({ state: 'detached' })
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide')
  wellBehaved(phone)
})

test('a message under the sidebar, the list or a dialog is unread until these are closed', async () => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 800 }, hasTouch: true, storageState: session })
  await phone.goto(server.site)
  await phone.getByRole('article').first().waitFor()
  const covers = [
    [() => phone.getByRole('button', { name: 'Menu', exact: true }).click(), phone.getByRole('complementary', { name: 'Menu' })],
    [() => phone.keyboard.press('w'), phone.getByRole('complementary', { name: 'People' })],
    [() => phone.keyboard.press('?'), phone.getByRole('dialog', { name: 'Keyboard shortcuts' })],
  ]
  for (const [i, [open, cover]] of covers.entries()) {
    await open()
    await cover.waitFor()
    const { id } = await server.call('dario', 'POST', '/messages', { type: 'private', to: [server.account('ada').email], content: `Under it ${i}` })
    const isRead = async () => (await server.call('ada', 'GET', '/messages', { anchor: String(id), num_before: 0, num_after: 0 })).messages[0].flags.includes('read')
    await phone.locator(`#message-${id}`).waitFor({ state: 'attached' })
    await phone.waitForTimeout(1_500) // what was seen is marked within 400 ms
    assert.equal(await isRead(), false, `message ${i} was read`)
    await phone.keyboard.press('Escape')
    await until(isRead, `message ${i} is read`)
  }
  wellBehaved(phone)
})

test('two people of one name are told apart by their addresses', async () => {
  await server.call('ada', 'POST', '/users', { email: 'edda2@harbour.example', full_name: 'edda Lund', password: 'seven cranes over the harbour' })
  const page = await visitor(browser, { storageState: await dario.context().storageState() })
  const twins = (await server.call('ada', 'GET', '/users')).members.filter((one) => one.full_name.toLowerCase() === 'edda lund')
  for (const { user_id: id } of twins) await server.call('dario', 'POST', '/messages', { type: 'private', to: [id], content: `To ${id}` })
  await page.goto(server.site)
  const names = twins.map((one) => `${one.full_name} (${one.delivery_email ?? one.email})`)
  for (const [i, name] of names.entries()) {
    await page.getByRole('navigation').getByRole('link', { name: new RegExp(`^([a-z ]+ )?${name.replace(/[().]/g, '\\$&')}`) }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByRole('article').filter({ hasText: `To ${twins[i].user_id}` }).waitFor()
    await page.getByRole('textbox', { name: `Message ${name}` }).waitFor()
  }
  await page.locator('#messages').focus()
  await page.keyboard.press('/')
  await page.keyboard.type('sender:edda2')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Search: sender:edda2@harbour.example', level: 1 }).waitFor()
  await accessible(page, 'twins')
  wellBehaved(page)
  await page.context().close()
})

// What administrators do with the organization, and what members see of that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessible, launch, visitor, wellBehaved } from './browser.mjs'
import { Server, until } from './server.mjs'

const password = 'seven cranes over the harbour'
/** A picture of a single point. */
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const hostile = '<img src=x onerror=violated(1)>'
let server, browser, ada, cleo

before(async () => {
  server = await new Server().prepare()
  await server.start()
  browser = await launch()
  ada = await signedIn('Ada Berg')
  cleo = await signedIn('Cleo Marin')
})

after(async () => {
  await browser.close()
  await server.stop()
})

async function signedIn(name) {
  const page = await visitor(browser)
  await page.goto(server.link(name))
  await page.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  return page
}

/** Opens a page of the organization. */
async function open(page, path, title) {
  await page.evaluate((to) => (location.hash = '#organization/' + to), path)
  await page.getByRole('heading', { name: title, level: 2, exact: true }).waitFor()
}

/** The pages of the organization that somebody is offered. */
async function offered(page) {
  await page.evaluate(() => (location.hash = '#organization'))
  const list = page.getByRole('navigation', { name: 'Pages of settings' })
  await list.waitFor()
  return list.getByRole('link').allTextContents()
}

/** Answers a question. */
function answer(page, what) {
  return page.getByRole('alertdialog').getByRole('button', { name: what, exact: true }).click()
}

/** What is said to be wrong with a field. */
function wrong(page, label) {
  const whole = page.page?.() ?? page // page may be a part of it
  return page.locator('.field', { has: whole.locator('input, textarea, select').and(whole.getByLabel(label, { exact: true })) }).locator('.problem')
}

/** Closes the dialog on top. */
async function close(page) {
  const dialogs = page.locator('dialog[open]')
  const before = await dialogs.count()
  await page.keyboard.press('Escape')
  await until(async () => (await dialogs.count()) < before, 'a dialog is closed')
}

test('every page of the organization can be used by everybody', async () => {
  const pages = {
    general: 'Name and pictures',
    rules: 'Rules',
    exports: 'Archives',
    people: 'Accounts',
    invitations: 'Invitations',
    groups: 'Groups',
    fields: 'Profile questions',
    streams: 'Streams',
    defaults: 'Streams of newcomers',
    emoji: 'Emoji',
    linkifiers: 'Automatic links',
    bots: 'Bots',
    integrations: 'Integrations',
  }
  assert.deepEqual(await offered(ada), Object.values(pages))
  for (const [path, title] of Object.entries(pages)) {
    await open(ada, path, title)
    await ada.locator('.settings-page').getByRole('button').or(ada.locator('.settings-page select')).first().waitFor()
    await accessible(ada, `organization-${path}`)
  }
  wellBehaved(ada)
})

test('members see what they may do, and nothing else', async () => {
  const own = ['Invitations', 'Groups', 'Emoji', 'Bots', 'Integrations']
  assert.deepEqual(await offered(cleo), own)
  await cleo.evaluate(() => (location.hash = '#organization/rules'))
  await cleo.getByText('There is no such page').waitFor()
  await open(cleo, 'invitations', 'Invitations')
  const roles = await cleo.getByLabel('They join as').getByRole('option').allTextContents()
  assert.deepEqual(roles, ['Member', 'Guest'])
  assert.equal(await cleo.getByRole('button', { name: 'Make a link' }).count(), 0)
  await open(cleo, 'bots', 'Bots')
  await cleo.getByRole('table', { name: 'Bots' }).getByRole('button', { name: 'Harbour Helper' }).waitFor()
  assert.equal(await cleo.getByRole('button', { name: 'Pier Watch' }).count(), 0) // Dario's
  await open(ada, 'rules', 'Rules')
  await ada.getByLabel('Who invites').selectOption('Administrators')
  await ada.getByLabel('Who makes bots').selectOption('Administrators')
  await ada.getByLabel('Who adds emoji').selectOption('Administrators')
  await until(async () => (await offered(cleo)).join() === 'Groups,Bots', 'the pages are gone')
  await open(cleo, 'bots', 'Bots')
  assert.equal(await cleo.getByRole('button', { name: 'Add a bot' }).count(), 0)
  await ada.getByLabel('Who invites').selectOption('All members')
  await ada.getByLabel('Who makes bots').selectOption('All members')
  await ada.getByLabel('Who adds emoji').selectOption('All members')
  await until(async () => (await offered(cleo)).length === own.length, 'the pages are back')
  wellBehaved(cleo)
})

test('settings are saved one by one, and are shown to others at once', async () => {
  const dario = await signedIn('Dario Fuchs')
  await open(dario, 'bots', 'Bots')
  await dario.getByRole('button', { name: 'Pier Watch' }).waitFor()
  await server.call('ada', 'PATCH', `/users/${server.account('dario').user_id}`, { role: 200 })
  await dario.getByRole('button', { name: 'Harbour Helper' }).waitFor() // administrators see all bots
  for (const page of [ada, dario]) await open(page, 'rules', 'Rules')
  await ada.getByLabel('How long messages can be edited').selectOption('1 hour')
  await ada.getByRole('switch', { name: 'Change their own name' }).click()
  await until(async () => (await dario.getByLabel('How long messages can be edited').locator('option:checked').textContent()) === '1 hour', 'the limit is shown')
  await until(async () => !(await dario.getByRole('switch', { name: 'Change their own name' }).isChecked()), 'the switch is shown')
  assert.equal(await dario.getByLabel('How long messages are kept').isDisabled(), true) // for owners
  await ada.getByLabel('How long messages are kept').selectOption('Another time…')
  const days = ada.getByRole('spinbutton', { name: 'How long messages are kept, in days' })
  await days.fill('45')
  await days.press('Enter')
  await until(async () => (await dario.getByLabel('How long messages are kept').locator('option:checked').textContent()) === '45 days', 'the days are shown')
  await ada.getByLabel('How long messages are kept').selectOption('For ever')
  await until(async () => (await dario.getByLabel('How long messages are kept').locator('option:checked').textContent()) === 'For ever', 'nothing is deleted')
  await ada.getByText('Domains', { exact: true }).click()
  await ada.getByLabel('Another domain').fill('nodots')
  await ada.getByRole('button', { name: 'Add the domain' }).click()
  await wrong(ada, 'Another domain').filter({ hasText: 'at least one dot' }).waitFor()
  assert.equal(await ada.getByLabel('Another domain').inputValue(), 'nodots')
  await ada.getByLabel('Another domain').fill('elsewhere.example')
  await ada.keyboard.press('Enter')
  await dario.getByText('Domains', { exact: true }).click()
  await dario.getByRole('button', { name: 'Delete elsewhere.example' }).click()
  await until(async () => (await ada.getByRole('button', { name: 'Delete elsewhere.example' }).count()) === 0, 'the domain is gone')
  await open(ada, 'general', 'Name and pictures')
  await ada.getByRole('textbox', { name: 'Name', exact: true }).fill(hostile)
  await ada.getByRole('textbox', { name: 'Name', exact: true }).press('Enter')
  await dario.getByRole('button', { name: hostile }).waitFor()
  await ada.getByRole('textbox', { name: 'Description', exact: true }).fill('Boats and **cranes**')
  await ada.getByRole('button', { name: 'Preview' }).click()
  await ada.locator('.preview strong', { hasText: 'cranes' }).waitFor()
  await ada.getByRole('form', { name: 'Description' }).getByRole('button', { name: 'Save' }).click()
  await ada.getByLabel('Upload Icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await ada.locator('.picture', { hasText: 'Icon' }).locator('.problem').filter({ hasText: /\S/ }).waitFor()
  await ada.getByLabel('Upload Icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: picture })
  await ada.getByRole('button', { name: 'Remove Icon' }).click()
  await ada.getByRole('button', { name: 'Remove Icon' }).waitFor({ state: 'detached' })
  await ada.getByText('Deactivate the organization', { exact: true }).first().click()
  await ada.getByLabel(`Type ${hostile} to confirm`).fill('Harbour')
  await ada.getByRole('button', { name: 'Deactivate the organization' }).click()
  await ada.getByText('This isn’t the name of the organization.').waitFor()
  await accessible(ada, 'organization-end')
  await server.call('ada', 'PATCH', '/realm', { name: '"Harbour Works"' })
  wellBehaved(dario)
  await dario.context().close()
})

test('people are found, changed, deactivated and activated', async () => {
  await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Editor', field_type: 3, field_data: { 0: { text: 'Vim', order: '1' }, 1: { text: 'Emacs', order: '2' } } })
  await open(ada, 'people', 'Accounts')
  await ada.getByRole('button', { name: 'Add an account' }).click()
  await ada.getByLabel('Name', { exact: true }).fill('Nell <b>Quay')
  await ada.getByLabel('Address', { exact: true }).fill('nell@harbour.example')
  await ada.getByLabel('Password', { exact: true }).fill('aaaaaaaa')
  await ada.getByRole('button', { name: 'Add the account' }).click()
  await wrong(ada, 'Name').filter({ hasText: /Invalid characters/ }).waitFor()
  await ada.getByLabel('Name', { exact: true }).fill('Nell <b Quay')
  await ada.keyboard.press('Enter')
  await wrong(ada, 'Password').filter({ hasText: /weak/ }).waitFor()
  await accessible(ada, 'organization-new-person')
  await ada.getByLabel('Password', { exact: true }).fill(password)
  await ada.keyboard.press('Enter')
  await ada.getByRole('dialog').waitFor({ state: 'detached' })
  await ada.getByPlaceholder('Find somebody by name or address').fill('NELL@')
  await ada.getByText('1 account', { exact: true }).waitFor()
  await ada.getByRole('button', { name: 'Nell <b Quay' }).click()
  const nell = ada.getByRole('dialog', { name: 'Nell <b Quay' })
  await nell.getByLabel('Role').selectOption('Administrator')
  await nell.getByLabel('Editor').selectOption('Emacs')
  await nell.getByRole('textbox', { name: 'Name' }).fill('Nell Quay')
  await nell.getByRole('textbox', { name: 'Name' }).press('Enter')
  await ada.getByRole('dialog', { name: 'Nell Quay' }).waitFor()
  await ada.getByRole('row', { name: /Nell Quay.*Administrator/ }).waitFor()
  await accessible(ada, 'organization-person')
  await ada.getByRole('button', { name: 'Deactivate the account' }).click()
  await accessible(ada, 'organization-question')
  await answer(ada, 'Deactivate the account')
  await ada.getByText('0 accounts').waitFor()
  await ada.getByRole('button', { name: 'Activate the account again' }).click()
  await ada.getByText('1 account', { exact: true }).waitFor()
  await close(ada)
  const { members } = await server.call('ada', 'GET', '/users', { include_custom_profile_fields: true })
  const stored = members.find((one) => one.full_name === 'Nell Quay')
  assert.deepEqual([stored.is_admin, Object.values(stored.profile_data)[0].value], [true, '1'])
  wellBehaved(ada)
})

test('somebody who is invited by a link joins, and addresses that can’t be invited are named', async () => {
  await open(ada, 'invitations', 'Invitations')
  const addresses = ada.getByLabel('Mail addresses')
  await addresses.fill('finn@elsewhere.example, cleo@harbour.example')
  await ada.getByRole('button', { name: 'Send invitations' }).click()
  await ada.getByText('cleo@harbour.example: Already has an account.').waitFor()
  assert.equal(await addresses.inputValue(), 'finn@elsewhere.example, cleo@harbour.example')
  await accessible(ada, 'organization-refused-invitation')
  await addresses.fill('gail@elsewhere.example')
  await ada.getByRole('button', { name: 'Send invitations' }).click()
  await ada.getByText('The invitations are on their way.').waitFor()
  const sent = ada.getByRole('listitem').filter({ hasText: 'gail@elsewhere.example' })
  await sent.getByRole('button', { name: 'Send again' }).click()
  await sent.getByText('It was sent again.').waitFor()
  await sent.getByRole('button', { name: 'Revoke' }).click()
  await answer(ada, 'Revoke')
  await sent.waitFor({ state: 'detached' })
  await ada.getByLabel('They join as').selectOption('Guest')
  await ada.getByRole('button', { name: 'Remove announcements' }).click()
  await ada.getByRole('button', { name: 'Make a link' }).click()
  const link = await ada.getByRole('textbox', { name: 'New link' }).inputValue()
  const guest = await visitor(browser)
  await guest.goto(link)
  await guest.locator('input[type=email]').waitFor()
  await ada.getByRole('list', { name: 'Open links' }).getByRole('button', { name: 'Revoke' }).click()
  await answer(ada, 'Revoke')
  await ada.getByRole('list', { name: 'Open links' }).waitFor({ state: 'detached' })
  assert.equal((await guest.goto(link)).ok(), false)
  await guest.context().close()
  wellBehaved(ada)
})

test('a bot is made, and what posts to the address that was copied is a message', async () => {
  await ada.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(ada, 'integrations', 'Integrations')
  await ada.getByRole('button', { name: 'Make an address for Hello World' }).click()
  await ada.getByLabel('Name of its bot').fill('Pier Watch')
  await ada.getByRole('dialog').getByRole('button', { name: 'Make an address' }).click()
  await wrong(ada, 'Name of its bot').filter({ hasText: /already in use/ }).waitFor()
  await ada.getByLabel('Name of its bot').fill('Crane & Watch')
  await ada.keyboard.press('Enter')
  await ada.getByLabel('Stream', { exact: true }).selectOption('#general')
  await ada.getByLabel('Topic').fill('tides & <b>')
  await accessible(ada, 'organization-webhook')
  await ada.getByRole('button', { name: 'Copy Webhook address' }).click()
  await ada.getByText('Copied').waitFor()
  const address = await ada.evaluate(() => navigator.clipboard.readText())
  const answered = await fetch(address, { method: 'POST', body: JSON.stringify({ featured_title: 'Tides', featured_url: 'https://tides.example/' }) })
  assert.equal((await answered.json()).result, 'success')
  await cleo.evaluate(() => (location.hash = '#'))
  await cleo.getByRole('article', { name: /Crane & Watch/ }).or(cleo.getByRole('article').filter({ hasText: 'Crane & Watch' })).first().waitFor()
  await cleo.getByRole('link', { name: 'tides & <b>' }).first().waitFor()
  await close(ada)
  wellBehaved(ada)
  wellBehaved(cleo)
})

test('a bot of one’s own has a key for programs, is handed on, and ends', async () => {
  await open(cleo, 'bots', 'Bots')
  await cleo.getByRole('button', { name: 'Add a bot' }).click()
  await cleo.getByLabel('Kind').selectOption('Outgoing webhook')
  await cleo.getByLabel('Name', { exact: true }).fill('Lift')
  await cleo.getByLabel('Address that is called').fill('https://lift.example/')
  await cleo.getByLabel('Short name').fill('not a name')
  await cleo.getByRole('button', { name: 'Add the bot' }).click()
  await wrong(cleo, 'Short name').filter({ hasText: /Bad name or username/ }).waitFor()
  assert.equal(await cleo.getByLabel('Address that is called').inputValue(), 'https://lift.example/')
  await accessible(cleo, 'organization-new-bot')
  await cleo.getByLabel('Short name').fill('')
  await cleo.getByRole('button', { name: 'Add the bot' }).click()
  const rc = await cleo.getByLabel('zuliprc').inputValue()
  assert.match(rc, /^\[api\]\nemail=lift-bot@\S+\nkey=\w{32}\nsite=http:\/\/localhost:\d+\n$/)
  const downloading = cleo.waitForEvent('download')
  await cleo.getByRole('button', { name: 'Download zuliprc' }).click()
  assert.equal((await downloading).suggestedFilename(), 'zuliprc')
  await close(cleo)
  await open(ada, 'bots', 'Bots')
  await ada.getByRole('button', { name: 'Lift' }).click()
  await ada.getByLabel('Owner').selectOption('Dario Fuchs')
  await cleo.getByRole('button', { name: 'Lift' }).waitFor({ state: 'detached' })
  await ada.getByLabel('Choose a picture').setInputFiles({ name: 'lift.png', mimeType: 'image/png', buffer: picture })
  await ada.getByRole('button', { name: 'Make a new key' }).click()
  await answer(ada, 'Make a new key')
  assert.match(await ada.getByLabel('zuliprc').inputValue(), /\ntoken=\w+\n$/)
  await accessible(ada, 'organization-bot')
  await ada.getByRole('button', { name: 'Deactivate the bot' }).click()
  await answer(ada, 'Deactivate the bot')
  await ada.getByRole('button', { name: 'Activate the bot again' }).waitFor()
  await close(ada)
  wellBehaved(ada)
  wellBehaved(cleo)
})

test('groups, streams, questions, emoji and links are kept, and names are text', async () => {
  await open(cleo, 'groups', 'Groups')
  await cleo.getByRole('button', { name: 'Add a group' }).click()
  await cleo.getByLabel('Name', { exact: true }).fill(hostile)
  await cleo.getByRole('combobox', { name: 'Members' }).fill('Edda Lund')
  await cleo.getByRole('button', { name: 'Remove Edda Lund' }).waitFor()
  await cleo.getByRole('button', { name: 'Add the group' }).click()
  await cleo.getByText('2 members').waitFor()
  await cleo.getByRole('button', { name: 'Add a group' }).click()
  await cleo.getByLabel('Name', { exact: true }).fill(hostile)
  await cleo.getByRole('button', { name: 'Add the group' }).click()
  await wrong(cleo, 'Name').filter({ hasText: /already exists/ }).waitFor()
  await accessible(cleo, 'organization-group')
  await close(cleo)

  await open(ada, 'streams', 'Streams')
  await ada.getByPlaceholder('Find a stream').fill('kitch')
  await ada.getByRole('button', { name: 'kitchen' }).click()
  const stream = ada.getByRole('dialog', { name: '#kitchen' })
  await stream.getByRole('textbox', { name: 'Name' }).fill('general')
  await stream.getByRole('textbox', { name: 'Name' }).press('Enter')
  await wrong(stream, 'Name').filter({ hasText: /already taken|already exists|in use/ }).waitFor()
  await stream.getByRole('textbox', { name: 'Name' }).fill('galley <b>')
  await stream.getByRole('textbox', { name: 'Name' }).press('Enter')
  await cleo.getByRole('complementary').getByRole('link', { name: 'galley <b>' }).waitFor()
  const galley = ada.getByRole('dialog', { name: '#galley <b>' })
  await galley.locator('summary', { hasText: 'Members' }).click()
  await galley.getByText('3 members').waitFor()
  await galley.getByRole('button', { name: 'Unsubscribe Cleo Marin' }).click()
  await cleo.getByRole('complementary').getByRole('link', { name: 'galley <b>' }).waitFor({ state: 'detached' })
  await galley.getByText('2 members').waitFor()
  await galley.getByLabel('Subscribe others').fill('Cleo Marin')
  await galley.getByRole('button', { name: 'Subscribe them' }).click()
  await galley.getByText('3 members').waitFor()
  await galley.getByRole('switch', { name: 'Newcomers are subscribed to it' }).click()
  await accessible(ada, 'organization-stream')
  await close(ada)
  await ada.getByPlaceholder('Find a stream').fill('galley')
  await ada.getByRole('row', { name: /galley <b>.*for newcomers/ }).waitFor()

  await open(ada, 'fields', 'Profile questions')
  await ada.getByRole('button', { name: 'Add a question' }).click()
  await ada.getByLabel('Kind of answer').selectOption('Choice')
  await ada.getByLabel('Question', { exact: true }).fill('Editor')
  await ada.getByLabel('Choice 1').fill('Vim')
  await ada.getByRole('button', { name: 'Add the question' }).click()
  await wrong(ada, 'Question').filter({ hasText: /already exists/ }).waitFor()
  await accessible(ada, 'organization-field')
  await ada.getByLabel('Question', { exact: true }).fill('Boat')
  await ada.getByRole('button', { name: 'Add the question' }).click()
  await ada.getByRole('button', { name: 'Move Boat up' }).click()
  await until(async () => (await ada.getByRole('list', { name: 'Questions' }).locator('strong').allTextContents()).join() === 'Boat,Editor', 'the order is another')
  await ada.getByRole('button', { name: 'Edit Boat' }).click()
  await ada.getByLabel('Choice 1').fill('Sail')
  await ada.getByRole('button', { name: 'Save' }).click()
  const { custom_fields: fields } = await until(async () => {
    const all = await server.call('ada', 'GET', '/realm/profile_fields')
    return all.custom_fields[0].field_data.includes('Sail') && all
  }, 'the choice is renamed')
  assert.deepEqual(JSON.parse(fields[0].field_data), { 0: { text: 'Sail', order: '1' } })

  await open(ada, 'linkifiers', 'Automatic links')
  await ada.getByLabel('Pattern').fill('(')
  await ada.getByLabel('Address').fill('https://t.example/%(id)s')
  await ada.getByRole('button', { name: 'Add a link' }).click()
  await wrong(ada, 'Pattern').filter({ hasText: /Invalid filter pattern/ }).waitFor()
  await accessible(ada, 'organization-refused-link')
  await ada.getByLabel('Pattern').fill('#(?P<id>[0-9]+)')
  await ada.getByRole('button', { name: 'Add a link' }).click()
  await ada.getByRole('button', { name: 'Edit #(?P<id>[0-9]+)' }).click()
  const change = ada.getByRole('form', { name: 'Save' })
  await change.getByLabel('Address').fill('not an address')
  await change.getByRole('button', { name: 'Save' }).click()
  await change.getByText(/valid URL|Invalid URL/).waitFor()
  await change.getByLabel('Address').fill('https://u.example/%(id)s')
  await change.getByRole('button', { name: 'Save' }).click()
  await ada.getByRole('list', { name: 'Automatic links' }).getByText('https://u.example/').waitFor()

  await open(ada, 'emoji', 'Emoji')
  await ada.getByLabel('Choose an image').setInputFiles({ name: 'Big Crane.png', mimeType: 'image/png', buffer: picture })
  assert.equal(await ada.getByLabel('Name of the emoji').inputValue(), 'big_crane')
  await ada.getByLabel('Name of the emoji').fill('BIG!')
  await ada.getByRole('button', { name: 'Add the emoji' }).click()
  await wrong(ada, 'Name of the emoji').filter({ hasText: /Invalid characters/ }).waitFor()
  await ada.getByLabel('Name of the emoji').fill('crane')
  await ada.getByRole('button', { name: 'Add the emoji' }).click()
  await ada.getByText(':crane:').waitFor()
  await ada.getByRole('button', { name: 'Delete crane' }).click()
  await answer(ada, 'Delete')
  await ada.getByText('The organization has no emoji of its own.').waitFor()
  wellBehaved(ada)
  wellBehaved(cleo)
})

test('ten thousand accounts are a table of which little is in the page', async () => {
  const page = await visitor(browser, { storageState: await ada.context().storageState() })
  await page.route('**/api/v1/register', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    const [somebody] = answer.realm_users
    const more = Array.from({ length: 10_000 }, (_, i) => ({ ...somebody, user_id: 100_000 + i, full_name: `Person ${String(i).padStart(5, '0')}`, email: `p${i}@harbour.example` }))
    await route.fulfill({ response, json: { ...answer, realm_users: [...answer.realm_users, ...more] } })
  })
  await page.goto(server.site)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await open(page, 'people', 'Accounts')
  const rows = page.getByRole('table', { name: 'Accounts' }).getByRole('row')
  await page.getByRole('button', { name: 'Person 00000' }).waitFor()
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows`)
  await page.locator('.settings-page').evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await page.getByRole('button', { name: 'Person 09999' }).waitFor()
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows`)
  await page.getByPlaceholder('Find somebody by name or address').fill('p7777@')
  await page.getByText('1 account', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Person 07777' }).click()
  await page.getByRole('dialog', { name: 'Person 07777' }).waitFor()
  await page.keyboard.press('Escape')
  await until(() => page.evaluate(() => document.activeElement.textContent === 'Person 07777'), 'the focus is where it was')
  wellBehaved(page)
  await page.context().close()
})

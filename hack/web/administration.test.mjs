// What administrators do with the organization, and what members see of that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, signedIn, visitor, wellBehaved } from './browser.mjs'
import { ada, answer, browser, cleo, close, council, open, picture, server, wrong } from './council.mjs'
import { until } from './server.mjs'

const hostile = '<img src=x onerror=violated(1)>'

council()

/** The pages of the organization that somebody is offered. */
async function offered(page) {
  await page.evaluate(() => (location.hash = '#organization'))
  const list = page.getByRole('navigation', { name: 'Pages of settings' })
  await list.waitFor()
  return list.getByRole('link').allTextContents()
}

/** Waits until something has the focus. */
function focused(what) {
  return until(() => what.evaluate((element) => element === document.activeElement), `the focus is on ${what}`)
}

test('every page of the organization can be used by everybody', async () => {
  const pages = {
    general: 'Name and pictures',
    rules: 'Rules',
    exports: 'Export and import',
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
    const entry = ada.getByRole('navigation', { name: 'Pages of settings' }).getByRole('link', { name: title, exact: true })
    assert.ok((await entry.boundingBox()).height < 40, `${title} has two lines`)
  }
  wellBehaved(ada)
})

test('beside the sidebar of a tablet, tables are whole', async () => {
  await ada.setViewportSize({ width: 1024, height: 768 })
  for (const [path, title] of [['people', 'Accounts'], ['streams', 'Streams'], ['bots', 'Bots']]) {
    await open(ada, path, title)
    await ada.getByRole('cell').first().waitFor()
    const cells = await ada.locator('[role=cell], [role=cell] button').evaluateAll((all) => all.map((one) => [one.textContent, one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]))
    assert.deepEqual(cells.filter(([, wide, high]) => wide > 1 || high > 3), [], title)
    const heights = await ada.locator('.rows .row:not(.heading)').evaluateAll((all) => [...new Set(all.map((one) => one.offsetHeight))])
    assert.equal(heights.length, 1, `rows of ${title} are ${heights} pixels high`)
    const lines = (cell) => [...cell.childNodes].map((part) => {
      const range = document.createRange()
      range.selectNodeContents(part)
      return [part.textContent, range.getClientRects().length]
    })
    const parts = (await Promise.all((await ada.locator('[role=cell].soft').all()).map((cell) => cell.evaluate(lines)))).flat()
    assert.deepEqual(parts.filter(([part, count]) => part.includes('@') && count > 1), [], 'addresses are broken anywhere')
  }
  await accessible(ada, 'organization-tablet')
  await ada.setViewportSize({ width: 1200, height: 800 })
})

test('members see what they may do, and nothing else', async () => {
  const own = ['Invitations', 'Groups', 'Emoji', 'Bots', 'Integrations']
  assert.deepEqual(await offered(cleo), own)
  await cleo.evaluate(() => (location.hash = '#organization/rules'))
  await cleo.getByText('There is no such page').waitFor()
  await cleo.getByRole('heading', { name: 'Organization', level: 2, exact: true }).waitFor()
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
  const dario = await signedIn(browser, server, 'Dario Fuchs')
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
  await days.waitFor()
  assert.equal(await ada.locator('.field', { has: ada.getByRole('combobox', { name: 'How long messages are kept' }) }).getByRole('status').textContent(), '') // nothing is saved yet
  await days.fill('45')
  await days.press('Enter')
  await until(async () => (await dario.getByLabel('How long messages are kept').locator('option:checked').textContent()) === '45 days', 'the days are shown')
  await days.waitFor({ state: 'detached' })
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
  const [name, button] = await Promise.all([ada.getByRole('textbox', { name: 'Name', exact: true }), ada.getByRole('button', { name: 'Upload Icon' })].map((one) => one.boundingBox()))
  assert.equal(button.x, name.x)
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

test('groups, streams, questions, emoji and links are kept, and names are text', async () => {
  await open(cleo, 'groups', 'Groups')
  await cleo.getByRole('button', { name: 'Add a group' }).click()
  await focused(cleo.getByLabel('Name', { exact: true }))
  await cleo.getByLabel('Name', { exact: true }).fill(hostile)
  await cleo.getByRole('combobox', { name: 'Members' }).fill('Edda Lunt')
  await wrong(cleo, 'Members').filter({ hasText: 'Choose from the list' }).waitFor()
  await cleo.getByRole('button', { name: 'Add the group' }).click() // not without her
  await focused(cleo.getByRole('combobox', { name: 'Members' }))
  await cleo.getByRole('combobox', { name: 'Members' }).fill('Edda Lund')
  await cleo.getByRole('button', { name: 'Remove Edda Lund' }).waitFor()
  await cleo.getByRole('combobox', { name: 'Members' }).press('Enter')
  await cleo.getByRole('button', { name: 'Remove Edda Lund' }).waitFor() // the form wasn't sent
  await cleo.getByRole('button', { name: 'Add the group' }).click()
  await cleo.getByRole('listitem').filter({ hasText: hostile }).getByText('2 members').waitFor()
  await cleo.getByRole('button', { name: 'Add a group' }).click()
  await cleo.getByLabel('Name', { exact: true }).fill(hostile)
  await cleo.getByRole('button', { name: 'Add the group' }).click()
  await wrong(cleo, 'Name').filter({ hasText: /already exists/ }).waitFor()
  await accessible(cleo, 'organization-group')
  await close(cleo)

  await cleo.route('**/user_groups/*/members', (route) => setTimeout(() => void route.continue(), 300)) // who chooses is quicker than that
  await cleo.getByRole('button', { name: `Edit ${hostile}` }).click()
  const members = cleo.getByRole('combobox', { name: 'Members' })
  for (const name of ['Dario Fuchs', 'Ada Berg']) {
    await members.fill(name)
    await members.press('Enter')
  }
  await cleo.getByRole('button', { name: 'Remove Edda Lund' }).click()
  const wanted = ['ada', 'cleo', 'dario'].map((name) => server.account(name).user_id).sort().join()
  await until(async () => (await server.call('cleo', 'GET', '/user_groups')).user_groups.find((group) => group.name === hostile).members.sort().join() === wanted, 'all of it is saved')
  await cleo.getByRole('listitem').filter({ hasText: hostile }).getByText('3 members').waitFor()
  assert.equal(await wrong(cleo, 'Members').textContent(), '')
  for (const name of ['Ada Berg', 'Dario Fuchs']) await cleo.getByRole('button', { name: `Remove ${name}` }).waitFor()
  assert.equal(await cleo.getByRole('button', { name: 'Remove Edda Lund' }).count(), 0)
  await cleo.unroute('**/user_groups/*/members')
  await close(cleo)

  await open(ada, 'streams', 'Streams')
  await ada.getByRole('row', { name: /^board Members Its members$/ }).getByRole('button', { name: 'board' }).click()
  assert.equal(await ada.getByLabel('Who posts').locator('option:checked').textContent(), 'Its members')
  await close(ada)
  await ada.getByRole('button', { name: 'New stream' }).click()
  await ada.getByRole('dialog', { name: 'New stream' }).getByLabel('Name').fill('lighthouse')
  await ada.getByRole('button', { name: 'Create' }).click()
  await ada.getByRole('row', { name: /^lighthouse/ }).waitFor() // and one is still there
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
  await galley.getByRole('button', { name: 'Remove Cleo Marin' }).click()
  await cleo.getByRole('complementary').getByRole('link', { name: 'galley <b>' }).waitFor({ state: 'detached' })
  await galley.getByText('2 members').waitFor()
  await galley.getByRole('combobox', { name: 'Add people' }).fill('Cleo Marin')
  await galley.getByRole('button', { name: 'Add', exact: true }).click()
  await galley.getByText('3 members').waitFor()
  await galley.getByRole('switch', { name: 'Newcomers are subscribed to it' }).click()
  await accessible(ada, 'organization-stream')
  await close(ada)
  await ada.getByPlaceholder('Find a stream').fill('galley')
  await ada.getByRole('row', { name: /galley <b>.*for newcomers/ }).waitFor()

  await open(ada, 'defaults', 'Streams of newcomers')
  await ada.getByRole('button', { name: 'Remove galley <b>' }).click()
  await ada.getByRole('button', { name: 'Remove galley <b>' }).waitFor({ state: 'detached' })
  await ada.getByRole('button', { name: 'Add a set' }).click()
  await ada.getByLabel('Name', { exact: true }).fill('crane crew')
  await ada.getByRole('combobox', { name: 'Streams of the set' }).fill('engineering')
  await ada.getByRole('button', { name: 'Add the set' }).click()
  await ada.getByRole('button', { name: 'Edit the set crane crew' }).click()
  await accessible(ada, 'organization-set')
  await ada.getByRole('button', { name: 'Delete the set' }).click()
  await answer(ada, 'Delete')
  await ada.getByRole('button', { name: 'Edit the set crane crew' }).waitFor({ state: 'detached' })

  await server.call('ada', 'POST', '/realm/profile_fields', { name: 'Editor', field_type: 1 })
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
  await ada.getByLabel('Choice 1').fill('Sails')
  const boat = (await server.call('ada', 'GET', '/realm/profile_fields')).custom_fields[0]
  await server.call('ada', 'PATCH', `/realm/profile_fields/${boat.id}`, { name: boat.name, hint: boat.hint, field_data: { ...JSON.parse(boat.field_data), 7: { text: 'Barge', order: '2' } } }) // as others may
  await until(async () => (await ada.getByLabel('Choice 2').inputValue()) === 'Barge', 'what others add is there')
  assert.equal(await ada.getByLabel('Choice 1').inputValue(), 'Sails')
  await ada.getByLabel('Choice 1').fill('Sail')
  await ada.getByRole('button', { name: 'Save' }).click()
  const { custom_fields: fields } = await until(async () => {
    const all = await server.call('ada', 'GET', '/realm/profile_fields')
    return all.custom_fields[0].field_data.includes('Sail') && all
  }, 'the choice is renamed')
  assert.deepEqual(Object.values(JSON.parse(fields[0].field_data)).map((choice) => choice.text).sort(), ['Barge', 'Sail'])
  await server.call('ada', 'POST', '/realm/profile_fields', { field_type: 7, field_data: { subtype: 'github' } })
  await ada.getByRole('button', { name: 'Delete GitHub username' }).waitFor()
  assert.equal(await ada.getByRole('button', { name: 'Edit GitHub username' }).count(), 0)

  await open(ada, 'linkifiers', 'Automatic links')
  await ada.getByLabel('Pattern').fill('(')
  await ada.getByLabel('Address').fill('https://t.example/%(id)s')
  await ada.getByRole('button', { name: 'Add a link' }).click()
  await wrong(ada, 'Pattern').filter({ hasText: /Invalid filter pattern/ }).waitFor()
  await accessible(ada, 'organization-refused-link')
  await ada.getByLabel('Pattern').fill('#(?P<id>[0-9]+)')
  await ada.getByRole('button', { name: 'Add a link' }).click()
  const edit = ada.getByRole('button', { name: 'Edit #(?P<id>[0-9]+)' })
  const change = ada.getByRole('form', { name: 'Save' })
  await edit.press('Enter')
  await focused(change.getByLabel('Pattern'))
  await change.getByRole('button', { name: 'Cancel' }).press('Enter')
  await focused(edit)
  await edit.press('Enter')
  await change.getByLabel('Address').fill('not an address')
  await change.getByRole('button', { name: 'Save' }).click()
  await change.getByText(/valid URL|Invalid URL/).waitFor()
  await change.getByLabel('Address').fill('https://u.example/%(id)s')
  await change.getByRole('button', { name: 'Save' }).click()
  await ada.getByRole('list', { name: 'Automatic links' }).getByText('https://u.example/').waitFor()
  let added = 0
  await ada.route('**/realm/filters', (route) => (++added === 2 ? route.fulfill({ status: 500, json: { result: 'error', msg: 'Not now', code: 'INTERNAL' } }) : route.continue()))
  await edit.press('Enter')
  await change.getByLabel('Address').fill('https://v.example/%(id)s')
  await change.getByRole('button', { name: 'Save' }).click()
  await ada.getByRole('alert').filter({ hasText: 'Not now' }).first().waitFor()
  await ada.getByRole('list', { name: 'Automatic links' }).getByText('https://u.example/').waitFor()
  await until(async () => (await server.call('ada', 'GET', '/realm/filters')).filters.some(([, format]) => format.startsWith('https://u.example/')), 'the old one is there again')
  await ada.unroute('**/realm/filters')

  await open(ada, 'emoji', 'Emoji')
  await ada.getByLabel('Choose an image').setInputFiles({ name: 'Big Crane.png', mimeType: 'image/png', buffer: picture })
  assert.equal(await ada.getByLabel('Name of the emoji').inputValue(), 'big_crane')
  await ada.getByLabel('Name of the emoji').fill('BIG!')
  await ada.getByRole('button', { name: 'Add the emoji' }).click()
  await wrong(ada, 'Name of the emoji').filter({ hasText: /Invalid characters/ }).waitFor()
  await ada.getByLabel('Name of the emoji').fill('crane')
  await wrong(ada, 'Name of the emoji').filter({ hasText: /\S/ }).waitFor({ state: 'detached' }) // nobody has refused this name
  await ada.getByRole('button', { name: 'Add the emoji' }).click()
  await ada.getByText(':crane:').waitFor()
  await ada.getByRole('button', { name: 'Delete crane' }).click()
  await answer(ada, 'Delete')
  await ada.getByText('The organization has no emoji of its own.').waitFor()
  wellBehaved(ada)
  wellBehaved(cleo)
})

test('an archive is made, and can be downloaded', async () => {
  await open(ada, 'exports', 'Export and import')
  await ada.getByText(/an export of Slack, by the command chatserver import/).waitFor()
  await ada.getByRole('button', { name: 'Make an archive' }).click()
  const archive = ada.getByRole('list', { name: 'Archives' }).getByRole('listitem')
  await archive.getByText('Ready').waitFor()
  const downloading = ada.waitForEvent('download')
  await archive.getByRole('link', { name: /^Download/ }).click()
  assert.match((await downloading).suggestedFilename(), /\.tar\.gz$/)
  await archive.getByRole('button', { name: /^Delete/ }).click()
  await answer(ada, 'Delete')
  await ada.getByText('There is no archive.').waitFor()
  wellBehaved(ada)
})

test('ten thousand accounts are a table of which little is in the page', async () => {
  const page = await visitor(browser, { storageState: await ada.context().storageState() })
  await page.route('**/api/v1/register', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    const [somebody] = answer.realm_users
    const more = Array.from({ length: 10_000 }, (_, i) => ({ ...somebody, user_id: 100_000 + i, full_name: `Person ${String(i).padStart(5, '0')}`, email: `p${i}@harbour.example` }))
    const crew = { id: 900, name: 'crew', description: 'Everybody', members: more.map((one) => one.user_id), is_system_group: false }
    await route.fulfill({ response, json: { ...answer, realm_users: [...answer.realm_users, ...more], realm_user_groups: [...answer.realm_user_groups, crew] } })
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
  await page.getByPlaceholder('Name or address').fill('p7777@')
  await page.getByText('1 account', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Person 07777' }).click()
  await page.getByRole('dialog', { name: 'Person 07777' }).waitFor()
  await page.keyboard.press('Escape')
  await until(() => page.evaluate(() => document.activeElement.textContent === 'Person 07777'), 'the focus is where it was')
  await open(page, 'groups', 'Groups')
  await page.getByRole('button', { name: 'Edit crew' }).click()
  const crew = page.getByRole('dialog', { name: '@crew' })
  const members = crew.getByRole('list', { name: 'Members' }).getByRole('listitem')
  await crew.getByRole('button', { name: '9,900 more' }).click()
  assert.equal(await members.count(), 201) // and what shows more
  await crew.getByRole('combobox', { name: 'Members' }).pressSequentially('person 0777')
  await crew.getByRole('button', { name: 'Remove Person 07770' }).waitFor()
  assert.equal(await members.count(), 10)
  wellBehaved(page)
  await page.context().close()
})

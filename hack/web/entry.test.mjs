// How people come in: by invitations, passwords, identity providers and links in mail, and what nobody comes in by.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { accessible, enter, launch, visitor, wellBehaved } from './browser.mjs'
import { freePort, Server, until } from './server.mjs'

const host = 'chat.test'
const password = 'seven cranes over the harbour'
const another = 'another crane below the pier'
const local = new URL('../../.local/web/', import.meta.url).pathname
let server, browser, provider, ada

before(async () => {
  const port = await freePort()
  const providers = local + 'entry-providers.json'
  server = await new Server({ IDENTITY_PROVIDERS_FILE: providers, ORGANIZATION_SIGNUP: 'true' }, host).prepare()
  writeFileSync(providers, JSON.stringify({ idp_1: { issuer: `http://127.0.0.1:${port}`, client_id: 'chat', client_secret: 'hush', display_name: 'Harbour office' } }))
  provider = spawn('node', [local + 'provider/provider.mjs', String(port), server.site + '/accounts/complete/idp_1'], { stdio: ['ignore', 'pipe', 'ignore'] })
  await Promise.all([server.start(), new Promise((resolve) => provider.stdout.once('data', resolve))])
  browser = await launch(`--host-resolver-rules=MAP *.${host} 127.0.0.1, MAP ${host} 127.0.0.1`)
  ada = await visitor(browser)
  await ada.goto(server.link('Ada Berg'))
  await inside(ada)
  await call(ada, 'PATCH', '/realm', { authentication_methods: { Email: true, idp_1: true } })
})

after(async () => {
  await browser?.close()
  provider?.kill()
  await server?.stop()
})

/** What a page has that shows messages. */
function everything(page) {
  return page.getByRole('heading', { name: 'All messages', level: 1 })
}

/** Waits until a page shows messages. */
async function inside(page) {
  await everything(page).waitFor()
}

/** Sends a page's form with a new password, the last of the fields, until it is taken: a busy server answers late, and may ask to try again. */
async function submit(page, fields) {
  await until(async () => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
    const [answer] = await Promise.all([page.waitForNavigation({ timeout: 120_000 }), page.keyboard.press('Enter')])
    return answer.status() !== 503
  }, 'the password is taken', 300)
}

/** Waits until whoever has chosen a password is in. A busy server may ask them to sign in with it. */
async function signedIn(page, email, chosen) {
  const later = page.getByText('Sign in with your password')
  await everything(page).or(later).waitFor()
  if (await later.isVisible()) {
    await page.getByRole('link', { name: /^Go to/ }).click()
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(chosen)
    await enter(page, everything(page))
  }
}

/** Calls the interface as who is signed in on a page. */
async function call(page, method, path, params) {
  const answer = await page.evaluate(
    ([method, path, params]) => fetch('/api/v1' + path, { method, body: new URLSearchParams(params) }).then((r) => r.json()),
    [method, path, Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]))],
  )
  assert.equal(answer.result, 'success', JSON.stringify(answer))
  return answer
}

/** Follows the link in the newest mail to somebody. */
async function openMail(page, to, link) {
  const mail = page.getByRole('article').filter({ hasText: to }).filter({ has: page.getByRole('link', { name: link }) })
  await until(async () => {
    await page.goto(server.site + '/mailbox')
    return (await mail.count()) > 0
  }, `mail to ${to}`)
  const address = await mail.first().getByRole('link', { name: link }).getAttribute('href')
  await page.goto(address)
  return address
}

async function invite(email) {
  const { stream_id: stream } = await ada.evaluate(() => fetch('/api/v1/get_stream_id?stream=general').then((r) => r.json()))
  await call(ada, 'POST', '/invites', { invitee_emails: email, stream_ids: [stream] })
}

test('who is invited joins with a name and a password, and is in', async () => {
  await invite('nell@harbour.example')
  const page = await visitor(browser)
  const address = await openMail(page, 'nell@harbour.example', '/join/')
  await page.getByRole('heading', { name: 'Join' }).waitFor()
  assert.equal(await page.getByLabel('You sign in as').inputValue(), 'nell@harbour.example')
  await accessible(page, 'join')
  await page.getByLabel('Your name').fill('Nell Quay')
  await page.getByLabel('A password').fill('nell quay')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('alert').filter({ hasText: 'too weak' }).waitFor()
  assert.equal(await page.getByLabel('A password').getAttribute('aria-invalid'), 'true')
  assert.equal(await page.getByLabel('Your name').inputValue(), 'Nell Quay')
  await accessible(page, 'join-refused')
  await submit(page, { 'A password': password })
  await signedIn(page, 'nell@harbour.example', password)
  await page.goto(address)
  await page.getByText('ask whoever invited you').waitFor()
  await accessible(page, 'join-twice')
  await page.getByRole('link', { name: 'Go to Harbour Works' }).click()
  await inside(page)
  wellBehaved(page)
  await page.context().close()
})

test('a forgotten password is replaced by mail, which ends other sessions', async () => {
  const elsewhere = await visitor(browser)
  await elsewhere.goto(server.site)
  await elsewhere.getByLabel('Email address').fill('nell@harbour.example')
  await elsewhere.getByLabel('Password').fill(password)
  await enter(elsewhere, everything(elsewhere))
  const page = await visitor(browser)
  await page.goto(server.site)
  await page.getByRole('link', { name: 'Forgotten your password?' }).click()
  await page.getByLabel('Your email address').fill('nell@harbour.example')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  await accessible(page, 'reset-sent')
  await openMail(page, 'nell@harbour.example', '/reset/')
  assert.equal(await page.getByLabel('You sign in as').inputValue(), 'nell@harbour.example')
  await accessible(page, 'reset')
  await submit(page, { 'New password': another })
  await signedIn(page, 'nell@harbour.example', another)
  await elsewhere.getByText('Your session has ended. Sign in to go on where you were.').waitFor()
  await accessible(elsewhere, 'ended')
  await elsewhere.context().close()
  await page.goBack()
  await page.reload()
  await page.getByRole('link', { name: 'Send another link' }).waitFor()
  wellBehaved(page)
  await page.context().close()
})

/** Signs in at the provider as somebody, and agrees to all that it asks. */
async function atProvider(page, name) {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an identity provider signs in, and leads to where somebody wanted to go', async () => {
  await invite('wren@harbour.example')
  const page = await visitor(browser)
  await page.goto(server.site + '/#narrow/is/starred')
  await page.getByLabel('Email address').waitFor()
  await accessible(page, 'sign-in-ways')
  await page.getByRole('link', { name: 'Continue with Harbour office' }).click()
  await atProvider(page, 'wren')
  await page.getByText('There is no account with your email address').waitFor()
  await accessible(page, 'provider-no-account')
  await page.getByRole('link', { name: 'Make an account' }).click()
  await page.getByRole('heading', { name: 'Starred', level: 1 }).waitFor()
  assert.equal(page.url(), server.site + '/#narrow/is/starred')
  const hint = page.getByText('Star a message to find it here.')
  await hint.waitFor()
  const { y, height } = await page.locator('#messages').boundingBox()
  const { y: at } = await hint.boundingBox()
  assert.ok(at > y + height / 4 && at < y + (height * 3) / 4, `what is said in place of messages is at ${at} of ${y} to ${y + height}`)
  wellBehaved(page)
  await page.context().close()
})

test('who is let in by nobody reads why, and what to do', async () => {
  const page = await visitor(browser)
  await page.goto(server.site + '/accounts/login/social/idp_1')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('alert').filter({ hasText: 'You didn’t sign in' }).or(page.getByText("You didn't sign in")).first().waitFor()
  await accessible(page, 'provider-cancelled')
  await page.getByRole('link', { name: 'Back to signing in' }).click()
  await page.getByLabel('Email address').fill('nell..quay@harbour.example')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('#username-problem').filter({ hasText: 'valid email address' }).waitFor()
  assert.equal(await page.getByLabel('Password').inputValue(), password)
  await page.getByLabel('Email address').fill('nell@harbour.example')
  await enter(page, page.locator('#password-problem').filter({ hasText: 'incorrect' }))
  await accessible(page, 'sign-in-refused')
  await page.getByRole('link', { name: 'No account yet?' }).click()
  await page.getByText('for invited people').waitFor()
  await page.goto(server.site.replace(host, 'nowhere.' + host))
  await page.getByRole('heading', { name: 'There is no organization at this address.' }).waitFor()
  await accessible(page, 'no-organization')
  wellBehaved(page)
  await page.context().close()
})

test('a way to sign in is switched off and on, and the last one stays', async () => {
  const inRules = (name) => ada.getByRole('switch', { name })
  const ways = async (page) => {
    await page.goto(server.site)
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
    return [await page.getByLabel('Password').count(), await page.getByRole('link', { name: 'Continue with Harbour office' }).count()]
  }
  const saved = (what) => ada.waitForResponse((r) => r.url().endsWith('/api/v1/realm') && r.request().method() === 'PATCH').then((r) => assert.equal(r.ok(), what))
  const page = await visitor(browser)
  await call(ada, 'PATCH', '/realm', { authentication_methods: { Dev: false } }) // the links that are printed
  assert.deepEqual(await ways(page), [1, 1])
  await ada.evaluate(() => (location.hash = '#organization/rules'))
  await inRules('With an address and a password').waitFor()
  await Promise.all([saved(true), inRules('With an address and a password').click()])
  assert.deepEqual(await ways(page), [0, 1])
  await Promise.all([saved(false), inRules('Harbour office').click()])
  await ada.locator('.problem', { hasText: 'enabled' }).waitFor()
  await accessible(ada, 'ways-to-sign-in')
  assert.equal(await inRules('Harbour office').isChecked(), true)
  await Promise.all([saved(true), inRules('With an address and a password').click()])
  await Promise.all([saved(true), inRules('Harbour office').click()])
  assert.deepEqual(await ways(page), [1, 0])
  await Promise.all([saved(true), inRules('Harbour office').click()])
  assert.deepEqual(await ways(page), [1, 1])
  await call(ada, 'PATCH', '/realm', { authentication_methods: { Dev: true } })
  wellBehaved(ada)
  await page.context().close()
})

test('an organization is signed up', async () => {
  const page = await visitor(browser)
  await page.goto(server.site + '/new/')
  await page.getByLabel('Your email address').fill('eve@mill.example')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  await openMail(page, 'eve@mill.example', '/new/')
  await page.getByLabel('The organization').fill('The Mill')
  await page.getByLabel('Its name in the address').fill('-mill')
  await page.getByLabel('Your name').fill('Eve Miller')
  await page.getByLabel('A password').fill(password)
  await page.keyboard.press('Enter')
  await page.locator('#subdomain-problem').filter({ hasText: 'cannot start' }).waitFor()
  assert.equal(await page.getByLabel('The organization').inputValue(), 'The Mill')
  await accessible(page, 'found')
  await page.getByLabel('Its name in the address').fill('mill')
  await submit(page, { 'A password': password })
  await page.getByRole('link', { name: 'Go there' }).click()
  assert.equal(await page.getByLabel('You sign in as').inputValue(), 'eve@mill.example')
  await accessible(page, 'enter')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await inside(page)
  await page.getByText('There is nothing to read yet.').waitFor()
  await accessible(page, 'nothing-yet')
  await page.getByRole('link', { name: 'Recent conversations' }).click()
  await page.getByRole('region', { name: 'Recent conversations' }).getByText('There is nothing to read yet.').waitFor()
  await accessible(page, 'nothing-recent')
  await page.evaluate(() => (location.hash = '#settings/files'))
  await page.getByText('What you attach to messages is listed here').waitFor()
  await page.evaluate(() => (location.hash = '#'))
  await page.getByText('There is nothing to read yet.').waitFor()
  await page.getByRole('button', { name: /^The Mill/ }).click()
  assert.equal(await page.getByRole('menuitem', { name: 'Invite people' }).getAttribute('href'), '#organization/invitations')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Invite people' }).click()
  await page.getByRole('heading', { name: 'Invitations', level: 2 }).waitFor()
  wellBehaved(page)
  await page.context().close()
})

test('organizations are side by side, and one is left without the other', async () => {
  const page = await ada.context().newPage()
  page.wrong = ada.wrong
  const opener = () => page.getByRole('button', { name: /^(Harbour Works|The Mill)/ })
  await page.goto(server.site)
  await inside(page)
  await opener().click()
  await page.getByRole('menuitem', { name: 'Another organization' }).click()
  const field = page.getByRole('dialog').getByRole('textbox')
  await field.fill('mill.chat.test.evil.test')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'no organization of chat.test' }).waitFor()
  await accessible(page, 'organization-add')
  assert.equal(await field.inputValue(), 'mill.chat.test.evil.test')
  await field.fill('mill')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sign in to The Mill' }).waitFor()
  await page.getByLabel('Email address').fill('eve@mill.example')
  await page.getByLabel('Password').fill(password)
  await enter(page, everything(page))
  await page.keyboard.press('Control+1')
  await page.waitForURL(server.site + '/')
  await inside(page)
  await opener().click()
  await accessible(page, 'organizations')
  await page.getByRole('menuitem', { name: 'The Mill' }).click()
  await inside(page)
  assert.equal(new URL(page.url()).host, 'mill.' + new URL(server.site).host)
  await opener().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to The Mill' }).waitFor()
  execFileSync('psql', ['--quiet', '--command', `UPDATE organizations SET deactivated = true WHERE subdomain = 'mill'`, server.database()])
  await page.reload()
  await page.getByText('This organization was deactivated. Nobody can sign in.').waitFor()
  assert.equal(await page.getByRole('textbox').or(page.getByRole('link')).count(), 0)
  await accessible(page, 'deactivated')
  await page.goto(server.site)
  await inside(page)
  await opener().click()
  assert.equal(await page.getByRole('menuitem', { name: 'The Mill' }).count(), 0)
  wellBehaved(page)
  await page.close()
})

/** Opens a page of another website, with a body. */
async function elsewhere(page, body) {
  await page.route('http://evil.test/**', (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto('http://evil.test/')
}

test('no other website frames the pages, or signs its visitors in', async () => {
  const page = await visitor(browser)
  const frames = ['/', '/reset/', '/register', '/accounts/complete/idp_1'].map((path) => `<iframe src="${server.site}${path}"></iframe>`)
  await elsewhere(page, frames.join(''))
  await until(async () => page.frames().length === frames.length + 1 && page.frames().slice(1).every((f) => f.url() === 'chrome-error://chromewebdata/'), 'no frame shows anything')
  for (const [path, fields] of Object.entries({ '/api/v1/sessions': { username: 'nell@harbour.example', password: another }, '/reset/': { email: 'nell@harbour.example' } })) {
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
    await page.unroute('http://evil.test/**')
    await elsewhere(page, `<form method="post" action="${server.site}${path}">${inputs.join('')}<button>Win</button></form>`)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.getByText('CSRF').waitFor()
    assert.deepEqual((await page.context().cookies(server.site)).filter((c) => c.name.includes('session')), [])
  }
  await page.context().close()
})

test('an address at which there is no page says so, and leads back', async () => {
  const page = await visitor(browser, { locale: 'de-DE' })
  for (const path of ['/nowhere', '/login/', '/user_uploads']) {
    assert.equal((await page.goto(server.site + path)).status(), 404)
    await page.getByRole('heading', { name: 'Diese Seite gibt es nicht' }).waitFor()
    await accessible(page, 'unknown')
  }
  await page.getByRole('link', { name: 'Zu den Nachrichten' }).click()
  await page.getByRole('button', { name: 'Anmelden' }).waitFor()
  for (const [path, accepted] of [['/nowhere', '*/*'], ['/assets/index-old.js', '*/*'], ['/api/v2/messages', 'text/html']]) { // what asks is a program
    const code = await page.evaluate(async ([path, accepted]) => (await (await fetch(path, { headers: { Accept: accepted } })).json()).code, [path, accepted])
    assert.equal(code, 'NOT_FOUND', path)
  }
  wellBehaved(page)
  await page.context().close()
})

test('signing in leads to no other website', async () => {
  for (const next of ['//evil.test/', 'https://evil.test/', '/\\evil.test/', 'javascript:violated(1)']) {
    const page = await visitor(browser)
    await page.goto(`${server.site}/accounts/login/social/idp_1?next=${encodeURIComponent(next)}`)
    await atProvider(page, 'wren')
    await inside(page)
    assert.equal(new URL(page.url()).host, new URL(server.site).host, next)
    wellBehaved(page)
    await page.context().close()
  }
})

test('a login that was started elsewhere signs nobody in', async () => {
  const mallory = await visitor(browser)
  await mallory.goto(server.site + '/accounts/login/social/idp_1')
  await mallory.context().clearCookies({ name: 'signin' }) // so that the code isn't used up
  await atProvider(mallory, 'wren')
  await mallory.getByText('You began in another browser').waitFor()
  const victim = await visitor(browser)
  await victim.goto(server.site + '/accounts/login/social/idp_1')
  await victim.goto(mallory.url())
  await victim.getByText('You began in another browser').waitFor()
  assert.deepEqual((await victim.context().cookies(server.site)).filter((c) => c.name.includes('session')), [])
  await Promise.all([mallory, victim].map((page) => page.context().close()))
})

// The session of a browser on a server that is reached by TLS, beside hosts of others. Browsers trust hosts below localhost as if they had TLS.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { launch, visitor } from './browser.mjs'
import { Server } from './server.mjs'

const host = 'chat.localhost'
let server, browser

before(async () => {
  server = await new Server({ EXTERNAL_SCHEME: 'https' }, host).prepare()
  await server.start()
  browser = await launch()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Returns the address of the account that a browser is signed in to; undefined: to none. */
async function account(page) {
  await page.goto(server.site)
  return (await page.evaluate(() => fetch('/api/v1/users/me', { headers: { 'X-Requested-With': 'fetch' } }).then((r) => r.json()))).email
}

test('a page of a neighbouring host signs nobody in, and replaces no session', async () => {
  const page = await visitor(browser)
  await page.goto(server.link('Ada Berg'))
  const [own] = (await page.context().cookies(server.site)).filter((c) => c.name.includes('session'))
  assert.deepEqual([own.name, own.domain, own.path, own.secure, own.httpOnly, own.sameSite], ['__Host-session', host, '/', true, true, 'Strict'])
  const before = await account(page)
  assert.notEqual(before, undefined)

  const mallory = await visitor(browser)
  await mallory.goto(server.link('Cleo Marin'))
  const [{ value: key }] = (await mallory.context().cookies(server.site)).filter((c) => c.name === '__Host-session')
  const toss = async (victim) => {
    const evil = `http://evil.${host}:${server.port}/`
    await victim.route(evil, (route) => route.fulfill({ contentType: 'text/html', body: 'Win a crane' }))
    await victim.goto(evil)
    await victim.evaluate(
      ([key, host]) => {
        for (const name of ['session', '__Host-session', '__host-session', '__Secure-session']) {
          for (const path of ['/', '/api/v1/users/me', '/api']) document.cookie = `${name}=${key}; Domain=${host}; Path=${path}; Secure`
          document.cookie = `=${name}=${key}; Domain=${host}; Path=/; Secure` // a value without a name
        }
      },
      [key, host],
    )
    assert.match(await victim.evaluate(() => document.cookie), /session=/, 'nothing was set, so nothing is tried')
  }
  await toss(page)
  assert.equal(await account(page), before)
  const newcomer = await visitor(browser)
  await toss(newcomer)
  assert.equal(await account(newcomer), undefined)
  await Promise.all([page, mallory, newcomer].map((one) => one.context().close()))
})

test('the next user of a browser sees no file that it has kept', async () => {
  const page = await visitor(browser)
  await page.goto(server.link('Dario Fuchs'))
  const call = (method, path, body) => page.evaluate(([method, path, body]) => {
    const form = new FormData()
    form.append('file', new Blob([body]), 'plan.txt')
    return fetch(path, { method, body: body && form, cache: 'force-cache' }).then(async (r) => [r.status, await r.text()])
  }, [method, path, body])
  const { uri } = JSON.parse((await call('POST', '/api/v1/user_uploads', 'the plan'))[1])
  assert.deepEqual(await call('GET', uri), [200, 'the plan'])
  const { sessions } = JSON.parse((await call('GET', '/api/v1/sessions'))[1])
  assert.equal((await call('DELETE', `/api/v1/sessions/${sessions.find((one) => one.current).id}`))[0], 200)
  assert.equal((await call('GET', uri))[0], 401)
  await page.context().close()
})

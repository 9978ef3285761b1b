// What is done by keys alone, and where they lead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, signedIn, wellBehaved } from './browser.mjs'
import { another, browser, cleo, everything, fieldOf, harbour, messages, open, say, server, there, visit } from './harbour.mjs'
import { until } from './server.mjs'

harbour()

/** Presses keys, each as soon as what the one before changes is rendered, and before a frame is; what is at a field types. Returns where the last one led. */
function press(page, ...keys) {
  return page.evaluate(async (keys) => {
    for (const key of keys) {
      const at = document.activeElement
      const goesOn = at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      if (goesOn && at.matches('input, textarea')) document.execCommand('insertText', false, key)
      for (let i = 0; i < 30; i++) await undefined
    }
    const { id, value } = document.activeElement
    return [id, value]
  }, keys)
}

test('everything by keys', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('Escape')
  await there(cleo, everything)
  const focused = () => cleo.evaluate(() => document.activeElement.matches('.selected') && Number(document.activeElement.dataset.message))
  await cleo.keyboard.press('Home') // j alone would begin with the newest message where there is nothing to read
  const first = await until(focused, 'a message is selected')
  await cleo.keyboard.press('j')
  await until(async () => (await focused()) > first, 'the message after it is selected')
  await cleo.keyboard.press('k')
  await until(async () => (await focused()) === first, 'the first one is selected again')
  await cleo.keyboard.press('Escape')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('j')
  await until(async () => (await focused()) === first, 'it has the focus again')
  await cleo.keyboard.press('End')
  await until(async () => (await focused()) > first, 'the newest one is selected')
  await cleo.keyboard.press('Escape')
  const top = () => cleo.getByRole('article').last().evaluate((row) => row.getBoundingClientRect().top) // whatever is made above it
  await until(() => cleo.evaluate(() => document.querySelector('#messages article').getBoundingClientRect().bottom < 0), 'messages above the screen are made')
  const before = await top()
  await cleo.keyboard.press('/')
  await cleo.keyboard.press('Tab')
  await until(async () => (await focused()) > first, 'Tab leads to a message on screen')
  assert.ok(Math.abs((await top()) - before) <= 2, `it was at ${before}, and is at ${await top()}`)
  await cleo.keyboard.press('?')
  const keys = cleo.getByRole('dialog', { name: 'Keyboard shortcuts' })
  assert.deepEqual(await keys.getByRole('heading', { level: 3 }).allTextContents(), ['Everywhere', 'Among messages', 'To other places', 'Writing', 'The selected message'])
  await accessible(cleo, 'keys')
  await cleo.keyboard.press('Escape')
  await cleo.keyboard.press('c')
  await cleo.getByRole('combobox', { name: 'Stream' }).selectOption('general')
  const topic = cleo.getByRole('combobox', { name: 'Topic' })
  await topic.focus()
  for (let i = 0; i < 61; i++) await cleo.keyboard.insertText('🚢')
  assert.equal(await topic.inputValue(), '🚢'.repeat(60))
  await topic.fill('by keys')
  await fieldOf(cleo).fill('No mouse here')
  await accessible(cleo, 'new-topic')
  await cleo.keyboard.press('Control+Enter')
  await there(cleo, '#general › by keys')
  await messages(cleo, 'No mouse here').waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('a')
  await there(cleo, everything)
  await cleo.getByRole('heading', { name: '#general by keys', level: 3, exact: true }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('j')
  await until(focused, 'a message is selected')
  await cleo.keyboard.press('r')
  await fieldOf(cleo).fill('Nor here')
  await cleo.keyboard.press('Control+Enter')
  await until(focused, 'the focus is back at the message')
  wellBehaved(cleo)
})

test('a message that is begun as soon as a view is there is begun', async () => {
  await cleo.evaluate(
    () =>
      new Promise((done) => {
        new MutationObserver((_, observer) => {
          observer.disconnect()
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true, cancelable: true }))
          done()
        }).observe(document.querySelector('h1'), { childList: true, characterData: true, subtree: true })
        location.hash = '#narrow/is/starred'
      }),
  )
  await cleo.getByRole('heading', { name: 'Starred', level: 1 }).waitFor()
  await cleo.getByRole('combobox', { name: 'To' }).waitFor()
  await cleo.keyboard.press('Escape')
  await cleo.evaluate(async () => { // two keys, before the browser says that the address has changed
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    press('a')
    for (let i = 0; i < 10; i++) await undefined // what the first one changes is rendered
    press('x')
  })
  await cleo.getByRole('heading', { name: everything, level: 1 }).waitFor()
  await cleo.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  await cleo.getByRole('combobox', { name: 'To' }).waitFor()
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('whoever types fast meets what the keys before led to', async () => {
  await open(cleo, 'engineering', 'crane 4')
  const list = cleo.locator('#messages')
  const settled = () => cleo.evaluate(() => new Promise((done) => setTimeout(done, 100)))
  const leave = async () => {
    await fieldOf(cleo).fill('')
    await cleo.keyboard.press('Escape')
    await list.focus()
  }
  await list.focus()
  await cleo.keyboard.press('End')
  await cleo.locator('.message.selected:focus').waitFor()
  assert.deepEqual(await press(cleo, 'r', 'o', 'n'), ['compose', 'on'])
  await leave()
  await cleo.keyboard.press('k')
  await cleo.locator('.message.selected:focus').waitFor()
  assert.deepEqual(await press(cleo, 'R', 'o', 'n'), ['compose', 'on'])
  await leave()
  assert.deepEqual(await press(cleo, 'c', 'q'), ['new-topic', 'q'])
  await cleo.getByRole('combobox', { name: 'Topic' }).fill('')
  await cleo.keyboard.press('Escape')
  await list.focus()
  assert.deepEqual(await press(cleo, 'x', 'e'), ['new-place', 'e'])
  await cleo.getByRole('combobox', { name: 'To' }).fill('')
  await cleo.keyboard.press('Escape')
  await list.focus()
  for (const [key, name] of [['q', 'All streams'], ['d', 'Drafts']]) {
    const dialog = cleo.getByRole('dialog', { name })
    for (const keys of [[key], ['a', key]]) { // the first time it is loaded
      await press(cleo, ...keys)
      await dialog.waitFor()
      await settled()
      assert.equal(await dialog.count(), 1, `${keys} closes what it opens`)
      if (key === 'q') await dialog.getByRole('searchbox').fill('kit') // which the key doesn't empty first
      await cleo.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await open(cleo, 'engineering', 'crane 4')
    await list.focus()
  }
  await press(cleo, 'k', 'k', 'i')
  await settled()
  assert.equal(await cleo.evaluate(() => document.activeElement.role), 'menuitem')
  await cleo.keyboard.press('Escape')
  await press(cleo, 'D', 'c') // by a link
  await settled()
  assert.equal(await cleo.evaluate(() => document.activeElement.id), 'new-topic')
  await cleo.keyboard.press('Escape')
  await open(cleo, 'engineering', 'crane 4')
  await list.focus()
  const people = cleo.getByRole('complementary', { name: 'People' })
  await cleo.keyboard.press('w')
  await people.waitFor()
  await cleo.keyboard.press('Escape')
  await list.focus()
  assert.deepEqual(await press(cleo, 'a', 'w', 'n', 'o'), ['find-people', 'no'])
  await settled()
  assert.equal(await people.count(), 1)
  await people.getByRole('searchbox').fill('')
  await cleo.keyboard.press('Escape')
  await open(cleo, 'engineering', 'crane 4')
  await list.focus()
  assert.deepEqual(await press(cleo, 'a', '/', 'n', 'o'), ['search', 'no'])
  await settled()
  assert.equal(await cleo.getByRole('combobox', { name: /^Search/ }).inputValue(), 'no')
  await cleo.getByRole('combobox', { name: /^Search/ }).fill('')
  await cleo.keyboard.press('Escape')
  wellBehaved(cleo)
})

test('keys that are pressed while a dialog is loaded are for the dialog', async () => {
  const page = await another()
  const held = []
  let isHeld = false
  await page.route('**/assets/*.js', (route) => (isHeld ? void held.push(route) : route.continue()))
  const release = () => {
    isHeld = false
    for (const route of held.splice(0)) void route.continue()
  }
  await page.goto(server.site)
  await there(page, everything)
  await page.locator('#messages').focus()
  await page.keyboard.press('End')
  await page.locator('.message.selected:focus').waitFor()
  isHeld = true
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Control+k') // it seems to do nothing
  await until(() => held.length > 0, 'the dialog is loaded')
  await page.keyboard.type('kitq')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('chen')
  release()
  const goTo = page.getByRole('dialog', { name: 'Go to' })
  await until(async () => (await goTo.getByRole('combobox').inputValue()) === 'kitchen', 'what was typed is in the dialog')
  assert.equal(await page.getByRole('dialog').count(), 1, 'no key has opened another one')
  await page.keyboard.press('Enter')
  await there(page, '#kitchen')
  await page.locator('#messages').focus()

  isHeld = true
  await page.keyboard.press('q')
  await until(() => held.length > 0, 'the dialog is loaded')
  await page.keyboard.type('kit')
  await page.keyboard.press('Escape') // which gives it up
  await page.keyboard.press('c')
  await until(() => page.evaluate(() => document.activeElement.id === 'new-topic'), 'keys are for the page again')
  release()
  await page.keyboard.type('ropes')
  assert.equal(await page.getByRole('combobox', { name: 'Topic' }).inputValue(), 'ropes')
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('Escape')

  await page.keyboard.press('End')
  await page.locator('.message.selected:focus').waitFor()
  isHeld = true
  await page.keyboard.press('u')
  await until(() => held.length > 0, 'the profile is loaded')
  await page.keyboard.press('c')
  release()
  await page.locator('dialog.person').waitFor()
  assert.equal(await page.locator('#new-topic').count(), 0, 'the key was for the profile')
  await page.keyboard.press('Escape')

  isHeld = true
  await page.keyboard.press('w')
  await page.keyboard.type('Edda')
  await page.keyboard.press('Enter')
  release()
  await page.getByRole('heading', { name: 'Edda Lund', level: 1 }).waitFor()
  await page.locator('#compose:focus').waitFor() // to write to her
  await page.keyboard.press('Escape')
  await page.keyboard.press('w')
  await until(() => page.evaluate(() => document.activeElement.id === 'find-people' && document.activeElement.value === ''), 'everybody is listed again')

  await page.locator('#messages').focus()
  await page.keyboard.press('a')
  await there(page, everything)
  await page.keyboard.press('End')
  await page.locator('.message.selected:focus').waitFor()
  isHeld = true
  await page.keyboard.press(':')
  await until(() => held.length > 0, 'the emoji are loaded')
  await page.keyboard.type('octop')
  await page.keyboard.press('Enter')
  release()
  await page.locator('.message.selected').getByRole('button', { name: 'You reacted with octopus' }).waitFor()
  await page.locator('.message.selected:focus').waitFor()
  wellBehaved(page)
  await page.context().close()
})

test('Tab and Enter lead through a dialog that is loaded while they are pressed', async () => {
  const ada = await signedIn(browser, server, 'Ada Berg')
  const held = []
  await ada.keyboard.press('q')
  await ada.getByRole('dialog', { name: 'All streams' }).getByRole('button', { name: /^#?kitchen/ }).click()
  const edit = ada.getByRole('button', { name: 'Edit the stream' })
  await edit.waitFor()
  let isHeld = true
  await ada.route('**/assets/*.js', (route) => (isHeld ? void held.push(route) : route.continue()))
  await edit.press('Enter')
  await until(() => held.length > 0, 'the dialog is loaded')
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'a', 'Enter', 'b', 'Shift+Tab', 'g']) await ada.keyboard.press(key)
  isHeld = false
  for (const route of held) await route.continue()
  const name = ada.getByRole('textbox', { name: 'Name' })
  await until(async () => (await name.inputValue()) === 'g', 'a field that is come to by Tab is typed over')
  assert.equal(await ada.getByRole('textbox', { name: 'Description' }).inputValue(), 'a\nbWho eats what, and when.')
  wellBehaved(ada)
  await ada.context().close()
})

test('a key that belongs to a character that is being composed closes nothing', async () => {
  await cleo.keyboard.press('Escape')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('x')
  const place = cleo.getByRole('combobox', { name: 'To' })
  await place.waitFor()
  const field = cleo.getByRole('textbox', { name: 'Message' })
  await field.evaluate((e) => e.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, cancelable: true })))
  await cleo.evaluate(() => new Promise(requestAnimationFrame))
  assert.equal(await place.count(), 1)
  await field.press('Escape')
  await place.waitFor({ state: 'detached' })
})

test('a sign is a key however a keyboard has it', async () => {
  await open(cleo, 'engineering', 'crane 4')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('k')
  await cleo.locator('.message.selected').waitFor()
  const sender = await cleo.locator('.message.selected .sender bdi').textContent()
  const press = (key) => cleo.evaluate((key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true })), key)
  assert.equal(await press('r'), true, 'a letter with Alt belongs to the browser')
  assert.equal(await press('@'), false)
  const field = fieldOf(cleo)
  await until(async () => (await field.inputValue()) === `@**${sender}** `, 'the sender is mentioned')
  await field.fill('')
  await field.press('Escape')
})

test('the focus stays among the messages when others come', async () => {
  await visit(cleo, 'general', 'hello')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('k')
  await until(() => cleo.evaluate(() => document.activeElement.localName === 'article'), 'a message has the focus')
  await cleo.keyboard.press('a')
  await cleo.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  await cleo.locator('.feed-rows[aria-busy=false]').waitFor()
  await until(() => cleo.evaluate(() => document.activeElement.closest('#messages') !== null), 'the focus is among the messages') // at the one that was selected there, if one was
})

test('whoever deletes messages by keys goes on at the next one', async () => {
  await say('cleo', 'general', 'leaves', 'The first leaf')
  await visit(cleo, 'general', 'leaves')
  await server.call('ada', 'PATCH', '/realm', { allow_message_deleting: true })
  for (const word of ['second', 'third', 'fourth']) await say('cleo', 'general', 'leaves', `The ${word} leaf`)
  await messages(cleo, 'fourth leaf').waitFor() // and she may delete by then
  const focused = (text) => cleo.locator('article.selected:focus').filter({ hasText: text }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('Home')
  await cleo.keyboard.press('j')
  await focused('second leaf')
  await cleo.keyboard.press('i')
  await cleo.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await cleo.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await messages(cleo, 'second leaf').waitFor({ state: 'detached' })
  await focused('third leaf')
  await cleo.keyboard.press('j')
  await focused('fourth leaf')
  await cleo.locator('#compose').focus()
  const { messages: [last] } = await server.call('cleo', 'GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow: [{ operator: 'topic', operand: 'leaves' }] })
  await server.call('ada', 'DELETE', `/messages/${last.id}`)
  await server.call('ada', 'PATCH', '/realm', { allow_message_deleting: false })
  await cleo.locator('article.selected').filter({ hasText: 'third leaf' }).waitFor()
  assert.equal(await cleo.evaluate(() => document.activeElement.id), 'compose')
  wellBehaved(cleo)
})

test('a new topic begins in the stream on screen', async () => {
  await cleo.getByRole('navigation').getByRole('link', { name: /^engineering/ }).click()
  await cleo.getByRole('heading', { name: '#engineering', level: 1, exact: true }).waitFor()
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('c')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'new-topic'), 'the topic has the focus')
  assert.equal(await cleo.getByRole('combobox', { name: 'Stream' }).locator('option:checked').textContent(), 'engineering')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('a')
  await cleo.getByRole('heading', { name: 'All messages', level: 1 }).waitFor()
  for (const time of ['first', 'second']) {
    await cleo.locator('#messages').focus()
    await cleo.keyboard.press('c')
    await until(() => cleo.evaluate(() => document.activeElement.id.startsWith('new-')), `the key works the ${time} time`)
  }
  const last = await say('dario', 'kitchen', 'tides', 'High at noon')
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('End')
  await cleo.locator(`[data-message="${last}"].selected:focus`).waitFor()
  await cleo.keyboard.press('c')
  await until(() => cleo.evaluate(() => document.activeElement.id === 'new-topic'), 'the stream is that of the selected message')
  assert.equal(await cleo.getByRole('combobox', { name: 'Stream' }).locator('option:checked').textContent(), 'kitchen')
  await visit(cleo, 'engineering', 'crane 4')
  const leave = { key: () => cleo.keyboard.press('Escape'), button: () => cleo.locator('.compose').getByRole('button', { name: 'Cancel' }).click() }
  for (const [how, left] of Object.entries(leave)) {
    await cleo.locator('#messages').focus()
    await cleo.keyboard.press('c')
    await cleo.getByRole('combobox', { name: 'Topic' }).fill('another one')
    await cleo.getByRole('textbox', { name: 'Message #engineering › another one' }).fill('Kept')
    await accessible(cleo, 'new-topic')
    await left()
    await cleo.getByRole('textbox', { name: 'Message #engineering › crane 4' }).waitFor()
    await until(() => cleo.evaluate(() => document.activeElement.id === 'messages'), `the ${how} leads to the messages`)
  }
  await cleo.keyboard.press('c')
  assert.equal(await fieldOf(cleo).inputValue(), 'Kept')
  const beginIn = async (stream) => {
    await cleo.getByRole('navigation').getByRole('link', { name: new RegExp(`^${stream}`) }).hover()
    await cleo.getByRole('button', { name: `What to do with #${stream}` }).first().click()
    await cleo.getByRole('menuitem', { name: 'New topic' }).click()
  }
  await cleo.getByRole('combobox', { name: 'Topic' }).fill('third one')
  await cleo.getByRole('textbox', { name: 'Message #engineering › third one' }).fill('A third topic')
  await cleo.keyboard.press('Control+Enter')
  await cleo.getByRole('heading', { name: '#engineering › third one', level: 1 }).waitFor()
  await cleo.locator('#compose:focus').waitFor() // to write on
  await cleo.locator('#messages').focus()
  await cleo.keyboard.press('c')
  await cleo.getByRole('combobox', { name: 'Topic' }).fill('another one')
  await cleo.getByRole('textbox', { name: 'Message #engineering › another one' }).fill('Kept')
  await beginIn('engineering')
  await cleo.getByRole('textbox', { name: 'Message #engineering › another one' }).waitFor()
  await beginIn('kitchen')
  const topic = cleo.getByRole('combobox', { name: 'Topic' })
  await until(async () => (await topic.inputValue()) === '', 'another topic is begun')
  assert.equal(await fieldOf(cleo).inputValue(), '')
  await cleo.keyboard.press('Escape')
  await visit(cleo, 'engineering', 'another one')
  assert.equal(await fieldOf(cleo).inputValue(), 'Kept')
  await fieldOf(cleo).fill('')
  await cleo.keyboard.press('Escape')
})

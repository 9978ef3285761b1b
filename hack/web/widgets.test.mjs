// Polls and lists of tasks, to which everybody can add.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessible, wellBehaved } from './browser.mjs'
import { cleo, dario, harbour, row, say, send, server, visit } from './harbour.mjs'

harbour()

/** Adds a part to a message, as somebody. */
function part(name, message, says) {
  return server.call(name, 'POST', '/submessage', { message_id: message, msg_type: 'widget', content: typeof says === 'string' ? says : JSON.stringify(says) })
}

test('a poll is asked, voted in by two, and added to', async () => {
  await visit(cleo, 'general', 'polls')
  await visit(dario, 'general', 'polls')
  await send(cleo, '/poll When is tea?\n- at four\n* at five')
  const mine = cleo.getByRole('region', { name: 'When is tea?' })
  const theirs = dario.getByRole('region', { name: 'When is tea?' })
  await dario.getByRole('log').getByText('Cleo Marin: Poll: When is tea?').waitFor()
  await theirs.getByRole('button', { name: '0 votes: at five' }).click()
  await mine.getByRole('button', { name: '1 vote: at five Dario Fuchs', pressed: false }).focus()
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('button', { name: '2 votes: at five You and Cleo Marin', pressed: true }).click()
  await mine.getByRole('button', { name: '1 vote: at five You', pressed: true }).waitFor()
  await mine.getByRole('textbox', { name: 'Another option' }).fill('never')
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('button', { name: '0 votes: never' }).waitFor()
  assert.equal(await mine.getByRole('textbox', { name: 'Another option' }).inputValue(), '')
  assert.equal(await theirs.getByRole('button', { name: 'Change the question' }).count(), 0)
  await mine.getByRole('button', { name: 'Change the question' }).click()
  await accessible(cleo, 'poll')
  await mine.getByRole('textbox', { name: 'Question' }).fill('When is coffee?')
  await cleo.keyboard.press('Enter')
  await dario.getByRole('region', { name: 'When is coffee?' }).waitFor()
  wellBehaved(cleo)
  wellBehaved(dario)
})

test('tasks are added and ticked', async () => {
  await send(cleo, '/todo\n- Oil the winch\n- Rest: an hour')
  const mine = cleo.getByRole('region', { name: 'To do' })
  const theirs = dario.getByRole('region', { name: 'To do' })
  await mine.getByRole('textbox', { name: 'Another task' }).fill('Paint the crane: yellow')
  await cleo.keyboard.press('Enter')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow' }).click()
  await mine.getByRole('checkbox', { name: 'Paint the crane yellow', checked: true }).focus()
  await accessible(cleo, 'todo')
  await cleo.keyboard.press('Space')
  await theirs.getByRole('checkbox', { name: 'Paint the crane yellow', checked: false }).waitFor()
  await theirs.getByRole('checkbox', { name: 'Rest an hour' }).click()
  await mine.getByRole('checkbox', { name: 'Rest an hour', checked: true }).waitFor()
  await mine.getByRole('checkbox', { name: 'Oil the winch', checked: false }).waitFor()
  await send(cleo, '/todo Slipway\nSweep')
  await dario.getByRole('region', { name: 'Slipway' }).getByRole('checkbox', { name: 'Sweep' }).waitFor()
  wellBehaved(cleo)
})

test('what is added one after the other on a bad line is all there', async () => {
  const poll = cleo.getByRole('region', { name: 'When is coffee?' })
  const list = cleo.getByRole('region', { name: 'Slipway' })
  const fields = [poll.getByRole('textbox', { name: 'Another option' }), list.getByRole('textbox', { name: 'Another task' })]
  let release
  const held = new Promise((resolve) => (release = resolve))
  await cleo.route('**/api/v1/submessage', async (route) => {
    await held
    await route.continue()
  })
  for (const field of fields) {
    for (const one of ['before six', 'after six']) {
      await field.pressSequentially(one)
      await field.press('Enter')
    }
    await field.pressSequentially('half')
  }
  release()
  for (const one of ['before six', 'after six']) {
    await poll.getByRole('button', { name: `0 votes: ${one}` }).waitFor()
    await list.getByRole('checkbox', { name: one }).waitFor()
  }
  for (const field of fields) {
    assert.equal(await field.inputValue(), 'half')
    await field.fill('')
  }
  await cleo.unroute('**/api/v1/submessage')
})

test('what is typed in a poll or a list stays while its message is out of the page', async () => {
  const poll = cleo.getByRole('region', { name: 'When is coffee?' })
  const list = cleo.getByRole('region', { name: 'Slipway' })
  await poll.getByRole('textbox', { name: 'Another option' }).fill('at noon')
  await list.getByRole('textbox', { name: 'Another task' }).fill('Paint')
  await poll.getByRole('button', { name: 'Change the question' }).click()
  await poll.getByRole('textbox', { name: 'Question' }).fill('When is lunch')
  await visit(cleo, 'general', 'elsewhere')
  assert.equal(await poll.count(), 0)
  await visit(cleo, 'general', 'polls')
  assert.equal(await poll.getByRole('textbox', { name: 'Another option' }).inputValue(), 'at noon')
  assert.equal(await list.getByRole('textbox', { name: 'Another task' }).inputValue(), 'Paint')
  assert.equal(await poll.getByRole('textbox', { name: 'Question' }).inputValue(), 'When is lunch')
  await poll.getByRole('textbox', { name: 'Question' }).press('Escape')
  await poll.getByRole('button', { name: 'Change the question' }).waitFor()
  await poll.getByRole('textbox', { name: 'Another option' }).fill('')
  await cleo.emulateMedia({ media: 'print' })
  for (const part of ['.poll .one-field', '.poll .icon']) assert.equal(await cleo.locator(part).first().isVisible(), false, `${part} on paper`)
  await cleo.emulateMedia({ media: null })
  await list.getByRole('textbox', { name: 'Another task' }).press('Enter')
  await list.getByRole('checkbox', { name: 'Paint' }).waitFor()
  assert.equal(await list.getByRole('textbox', { name: 'Another task' }).inputValue(), '')
})

test('a part that is refused says why, and what was typed stays', async () => {
  const field = cleo.getByRole('region', { name: 'When is coffee?' }).getByRole('textbox', { name: 'Another option' })
  await cleo.route('**/api/v1/submessage', (route) => route.fulfill({ status: 400, json: { result: 'error', msg: 'There is no room for another one.', code: 'BAD_REQUEST' } }))
  await field.fill('maybe')
  await field.press('Enter')
  await cleo.getByRole('alert').filter({ hasText: 'no room' }).waitFor()
  assert.equal(await field.inputValue(), 'maybe')
  await cleo.unroute('**/api/v1/submessage')
})

test('parts that others make up change nothing', async () => {
  const plain = await say('cleo', 'general', 'polls', 'Nothing to vote on')
  await part('dario', plain, { widget_type: 'poll', extra_data: { question: 'Hijacked?', options: ['yes'] } })
  const poll = await say('cleo', 'general', 'polls', '/poll <img src=x onerror=violated(60)>\n<svg onload=violated(61)>')
  for (const says of ['null', '[[]]', '"x"', { type: 'question', question: 'Hijacked!' }, { type: 'vote', key: '__proto__', vote: 1 }, { type: 'new_option', idx: {}, option: 1 }]) await part('dario', poll, says)
  await part('dario', poll, { type: 'new_option', idx: 1, option: '"><script>violated(62)</script>' })
  const region = row(dario, poll).getByRole('region', { name: '<img src=x onerror=violated(60)>' })
  await region.getByRole('button', { name: '0 votes: "><script>violated(62)</script>' }).waitFor()
  assert.equal(await region.getByRole('button', { name: /votes?:/ }).count(), 2)
  await row(dario, plain).getByText('Nothing to vote on').waitFor()
  wellBehaved(dario)
})

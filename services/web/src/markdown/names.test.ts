import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileLinkOf, groupMentionOf, mentionedIn, mentionOf, mentionsEverybody, streamLinkOf } from './names'

test('a mention has the ID only where the name may mean somebody else', () => {
  assert.equal(mentionOf('Cleo Marin', 12, false), '@**Cleo Marin**')
  assert.equal(mentionOf('Cleo Marin', 12, true), '@**Cleo Marin|12**')
  assert.equal(mentionOf('all', 12, false), '@**all|12**')
})

test('names that would be markup are links, or not offered', () => {
  assert.equal(streamLinkOf('boiler room', undefined, '#a'), '#**boiler room**')
  assert.equal(streamLinkOf('boiler room', 'a > b', '#a'), '#**boiler room>a > b**')
  assert.equal(streamLinkOf('a**b](x)', undefined, '#a'), '[#a__b_(x)](#a)')
  assert.equal(streamLinkOf('a>b', 't', '#a'), '[#a_b _ t](#a)')
  assert.equal(groupMentionOf('cranes'), '@*cranes*')
  assert.equal(groupMentionOf('cra*nes'), undefined)
})

test('the name of a file is text, whatever it is', () => {
  assert.equal(fileLinkOf('plan.pdf', '/user_uploads/1/x'), '[plan.pdf](/user_uploads/1/x)')
  assert.equal(fileLinkOf('](http://evil)\n`<b>*.png', '/user_uploads/1/x'), '[_(http://evil)___b__.png](/user_uploads/1/x)')
})

test('everybody is mentioned by what is said, and not by code and quotes', () => {
  for (const said of ['@**all** lunch', 'lunch, @**everyone**', '```\ncode\n```\n@**stream**', '```spoiler lunch\n@**all**\n```', '`` ` `` @**all**', '`@**all**']) {
    assert.ok(mentionsEverybody(said), said)
  }
  for (const said of ['@_**all**', '@all', '@**allan**', '`@**all**`', '``a ` @**all**``', '> @**all**', '```\n@**all**\n```', '~~~~ quote\n~~~\n@**all**\n~~~\n~~~~', '```quote\n```spoiler\n@**all**\n```\n```']) {
    assert.ok(!mentionsEverybody(said), said)
  }
})

test('people are mentioned by what is said, with the ID where it is written', () => {
  const said = 'Ask @**Cleo Marin**, @**Dario|7** or @_**Ada Berg**\n> @**Edda Lund**\n`@**Gus**` @*cranes* @**\n**'
  assert.deepEqual(mentionedIn(said), [{ name: 'Cleo Marin', id: undefined }, { name: 'Dario', id: 7 }])
})

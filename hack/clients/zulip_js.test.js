// The npm package zulip-js: each function that its documentation lists, and the three ways to sign in.
// test_js.py runs this with people and a stream of its own, and with the endpoints that are missing.
const assert = require('node:assert/strict');
const { writeFileSync } = require('node:fs');
const { test } = require('node:test');
const zulipInit = require('zulip-js');

const { site, owner, person, password, other, stream, topic, folder, notYet } = JSON.parse(process.env.CLIENTS_TEST);

const tested = new Set();
const client = (account) => zulipInit({ username: account.email, apiKey: account.api_key, realm: site });

// Returns an answer that has to be a success.
function ok(answer) {
  if (answer.code === 'NOT_FOUND' || answer.code === 'METHOD_NOT_ALLOWED') {
    throw Object.assign(new Error(JSON.stringify(answer)), { missing: true });
  }
  assert.equal(answer.result, 'success', JSON.stringify(answer));
  return answer;
}

// Tests functions, which are named with blanks between them, and what they need. As long as that is missing they have to fail.
function check(names, needs, run) {
  names.split(' ').forEach((name) => tested.add(name));
  test(names, async () => {
    const zulip = await client(person);
    if (needs.some((endpoint) => notYet.includes(endpoint))) {
      await assert.rejects(run(zulip), { missing: true });
    } else {
      await run(zulip);
    }
  });
}

const send = async (zulip, content) => ok(await zulip.messages.send({ type: 'stream', to: stream.name, topic, content })).id;
const find = async (zulip, id) => {
  const found = ok(await zulip.messages.retrieve({ anchor: id, num_before: 0, num_after: 0, apply_markdown: false }));
  assert.equal(found.messages[0]?.id, id);
  return found.messages[0];
};

test('an API key, a password and a file', async () => {
  const byPassword = await zulipInit({ username: person.email, password, realm: site });
  assert.equal(ok(await byPassword.users.me.getProfile()).email, person.email);
  const zuliprc = `${folder}/zuliprc`;
  writeFileSync(zuliprc, `[api]\nemail=${person.email}\nkey=${person.api_key}\nsite=${site}\n`);
  assert.equal(ok(await (await zulipInit({ zuliprc })).users.me.getProfile()).email, person.email);
});

check('accounts.retrieve', [], async () => {
  const zulip = await zulipInit({ username: person.email, password, apiKey: 'none', realm: site });
  assert.match(ok(await zulip.accounts.retrieve()).api_key, /^\w{32}$/);
});
check('server.settings', [], async (zulip) => {
  assert.equal(ok(await zulip.server.settings()).zulip_feature_level, 27);
});
check('callEndpoint users.me.getProfile', [], async (zulip) => {
  const profile = ok(await zulip.users.me.getProfile());
  assert.equal(profile.email, person.email);
  assert.equal(ok(await zulip.callEndpoint('/users/me', 'GET')).user_id, profile.user_id);
});
check('users.retrieve', [], async (zulip) => {
  assert.ok(ok(await zulip.users.retrieve()).members.some((u) => u.email === person.email));
});
check('users.create', [], async (zulip) => {
  const email = 'made-by-js@harbour.example';
  ok(await (await client(owner)).users.create({ email, password, full_name: 'Made by JS', short_name: 'js' }));
  assert.ok(ok(await zulip.users.retrieve()).members.some((u) => u.email === email));
});
check('users.me.alertWords.retrieve', [], async (zulip) => {
  ok(await zulip.callEndpoint('/users/me/alert_words', 'POST', { alert_words: ['anchor'] }));
  assert.deepEqual(ok(await zulip.users.me.alertWords.retrieve()).alert_words, ['anchor']);
});
check('streams.retrieve streams.getStreamId', [], async (zulip) => {
  assert.ok(ok(await zulip.streams.retrieve()).streams.some((s) => s.stream_id === stream.id));
  assert.equal(ok(await zulip.streams.getStreamId(stream.name)).stream_id, stream.id);
});
check('streams.subscriptions.retrieve users.me.subscriptions.add users.me.subscriptions.remove', [], async (zulip) => {
  const subscribed = async () => ok(await zulip.streams.subscriptions.retrieve()).subscriptions.map((s) => s.name);
  ok(await zulip.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: 'js dock' }]) }));
  assert.ok((await subscribed()).includes('js dock'));
  ok(await zulip.users.me.subscriptions.remove({ subscriptions: JSON.stringify(['js dock']) }));
  assert.ok(!(await subscribed()).includes('js dock'));
});
check('streams.topics.retrieve', [], async (zulip) => {
  const last = await send(zulip, 'a topic');
  const [newest] = ok(await zulip.streams.topics.retrieve({ stream_id: stream.id })).topics;
  assert.equal(newest.name, topic);
  assert.ok(newest.max_id >= last);
});
check('streams.deleteById', [], async (zulip) => {
  const admin = await client(owner);
  ok(await admin.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: 'js gone' }]) }));
  const id = ok(await admin.streams.getStreamId('js gone')).stream_id;
  ok(await admin.streams.deleteById({ stream_id: id }));
  assert.ok(!ok(await zulip.streams.retrieve()).streams.some((s) => s.stream_id === id));
});
check('messages.send messages.retrieve', [], async (zulip) => {
  const id = await send(zulip, 'hello from JS');
  const narrow = [{ operator: 'stream', operand: stream.name }, { operator: 'topic', operand: topic }];
  const page = ok(await zulip.messages.retrieve({ anchor: 'newest', num_before: 50, num_after: 0, narrow }));
  assert.equal(page.messages.find((m) => m.id === id)?.content, '<p>hello from JS</p>');
  const written = ok(await zulip.messages.send({ type: 'private', to: [other.email], content: 'only for you' })).id;
  assert.equal((await find(await client(other), written)).content, 'only for you');
});
check('messages.render', [], async (zulip) => {
  assert.equal(ok(await zulip.messages.render('**foo**')).rendered, '<p><strong>foo</strong></p>');
});
check('messages.update messages.getHistoryById messages.getById', [], async (zulip) => {
  const id = await send(zulip, 'first');
  ok(await zulip.messages.update({ message_id: id, content: 'second' }));
  assert.equal(ok(await zulip.messages.getById({ message_id: id })).raw_content, 'second');
  assert.equal(ok(await zulip.messages.getHistoryById({ message_id: id })).message_history.length, 2);
});
check('messages.flags.add messages.flags.remove', [], async (zulip) => {
  const id = await send(zulip, 'a star');
  ok(await zulip.messages.flags.add({ messages: [id], flag: 'starred' }));
  assert.ok((await find(zulip, id)).flags.includes('starred'));
  ok(await zulip.messages.flags.remove({ messages: [id], flag: 'starred' }));
  assert.ok(!(await find(zulip, id)).flags.includes('starred'));
});
check('messages.deleteById', [], async (zulip) => {
  const id = await send(zulip, 'soon gone');
  ok(await (await client(owner)).messages.deleteById({ message_id: id }));
  assert.equal((await zulip.messages.getById({ message_id: id })).msg, 'Invalid message(s)');
});
check('reactions.add reactions.remove messages.deleteReactionById', [], async (zulip) => {
  const id = await send(zulip, 'well?');
  const reaction = { message_id: id, emoji_name: 'octopus', emoji_code: '1f419', reaction_type: 'unicode_emoji' };
  for (const remove of [zulip.reactions.remove, zulip.messages.deleteReactionById]) {
    ok(await zulip.reactions.add(reaction));
    assert.deepEqual((await find(zulip, id)).reactions.map((r) => r.emoji_name), ['octopus']);
    ok(await remove(reaction));
    assert.deepEqual((await find(zulip, id)).reactions, []);
  }
});
check('queues.register queues.deregister events.retrieve', [], async (zulip) => {
  const queue = ok(await zulip.queues.register({ event_types: ['message'] }));
  const id = await send(zulip, 'an event');
  const { queue_id, last_event_id } = queue;
  const { events } = ok(await zulip.events.retrieve({ queue_id, last_event_id, dont_block: false }));
  assert.deepEqual(events.map((e) => e.message.id), [id]);
  ok(await zulip.queues.deregister({ queue_id }));
  assert.equal((await zulip.events.retrieve({ queue_id, last_event_id, dont_block: true })).code, 'BAD_EVENT_QUEUE_ID');
});
check('typing.send', [], async (zulip) => {
  const reader = await client(other);
  const { queue_id, last_event_id } = ok(await reader.queues.register({ event_types: ['typing'] }));
  ok(await zulip.typing.send({ to: [other.user_id, owner.user_id], op: 'start' }));
  const { events } = ok(await reader.events.retrieve({ queue_id, last_event_id, dont_block: false }));
  assert.equal(events[0].sender.email, person.email);
});
check('emojis.retrieve', [], async (zulip) => {
  assert.equal(typeof ok(await zulip.emojis.retrieve()).emoji, 'object');
});
check('filters.retrieve', ['GET /realm/filters'], async (zulip) => {
  assert.ok(Array.isArray(ok(await zulip.filters.retrieve()).filters));
});
// Level 23 removed these.
check('users.me.pointer.retrieve users.me.pointer.update', [], async (zulip) => {
  assert.equal((await zulip.users.me.pointer.retrieve()).code, 'NOT_FOUND');
  assert.equal((await zulip.users.me.pointer.update(1)).code, 'NOT_FOUND');
});

// The loop never ends, so this is a process of its own: test_js.py starts it.
tested.add('callOnEachEvent');

test('every function is tested', async () => {
  const all = [];
  const walk = (object, path) => Object.entries(object).forEach(([name, value]) => {
    if (typeof value === 'function') all.push([...path, name].join('.'));
    else if (name !== 'config') walk(value, [...path, name]);
  });
  walk(await client(person), []);
  assert.deepEqual(all.filter((name) => !tested.has(name)), []);
});

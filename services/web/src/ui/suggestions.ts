import type { Client } from '../client'
import type { Emoji } from '../emoji'
import { emojiOf, groupMentionOf, mentionOf, streamLinkOf, wildcardOf, wildcards } from '../markdown/names'
import type { User } from '../state/model'
import { narrowTo } from '../state/narrow'
import { text } from '../text/text'
import { codes } from './codes'
import { folded, rank, type Offer, type Typed } from './completion'

/** How many suggestions are shown at most. */
const most = 8

/** How many of the newest messages of the view say who is talking. */
const recent = 100

/** The emoji that most people want. */
export const popular = ['+1', 'heart', 'tada', 'smile', 'joy', 'eyes', 'check', 'rocket', 'octopus', 'cry']

/** One that can be chosen. */
export interface Suggestion extends Offer {
  readonly key: string
  /** What is written for it. */
  readonly markdown: string
  /** What is shown of it, and beside it. */
  readonly label: string
  readonly detail: string
  /** The code of an emoji, or where its picture is. */
  readonly code?: string
  readonly source?: string
}

/** Returns the suggestions for what is being typed; table has the emoji. */
export function suggestionsFor(client: Client, typed: Typed, table: readonly Emoji[]): readonly Suggestion[] {
  switch (typed.kind) {
    case 'person':
      return mentions(client, typed.query, typed.silent)
    case 'stream':
      return rank(streams(client), typed.query, most)
    case 'topic':
      return topics(client, typed.stream, typed.query)
    case 'command':
      return rank(commands(), typed.query, most)
    case 'code':
      return rank(languages(), typed.query, most)
    case 'emoji':
      return rank(emoji(client, table), typed.query, most)
  }
}

/** Returns the stream that a topic is typed for; undefined: there is none. */
export function streamNamed(client: Client, name: string): number | undefined {
  const wanted = folded(name)
  return [...client.state.streams.value.values()].find((s) => folded(s.name) === wanted)?.stream_id
}

/** What messages can begin with. */
function commands(): readonly Suggestion[] {
  const words = text.reading.commands
  return (['me', 'poll', 'todo'] as const).map((name, order) => ({ key: `command-${name}`, names: [name], order, markdown: `/${name}`, label: `/${name}`, detail: words[name] }))
}

/** What code is written in. The line ends behind it. */
function languages(): readonly Suggestion[] {
  return codes.map((names) => ({ key: `code-${names[0]}`, names, order: 0, markdown: `${names[0]}\n`, label: names[0] ?? '', detail: names.slice(1).join(', ') }))
}

interface Person extends Offer {
  readonly user: User
}

/** Returns those who can be mentioned. There may be thousands of people, and this is done with each key: only those who are found become suggestions. */
function mentions(client: Client, query: string, silent: boolean): readonly Suggestion[] {
  const found = rank<Person | Suggestion>([...people(client), ...(silent ? [] : [...groups(client), ...everybody()])], query, most)
  return found.map((one) => ('user' in one ? mention(one, client.state.isShared(one.user.full_name), silent) : one))
}

function people(client: Client): readonly Person[] {
  const { state } = client
  const { value: self } = state.self
  const { value: inactive } = state.inactive
  const ids = client.view.value?.ids.value?.slice(-recent) ?? []
  const senders = [...new Set(ids.map((id) => state.message(id)?.peek().sender_id ?? 0).reverse())]
  const places = new Map(senders.map((id, at) => [id, at]))
  const orderOf = (user: User) => (user.user_id === self ? senders.length + 2 : (places.get(user.user_id) ?? senders.length + (user.is_bot ? 2 : 0)))
  return [...state.users.value.values()]
    .filter((user) => !inactive.has(user.user_id) && !user.is_cross_realm_bot)
    .map((user) => ({ names: [user.full_name, user.email], order: orderOf(user), user }))
}

function mention({ user, names, order }: Person, ambiguous: boolean, silent: boolean): Suggestion {
  const written = mentionOf(user.full_name, user.user_id, ambiguous)
  return {
    key: `person-${user.user_id}`,
    names,
    order,
    markdown: silent ? written.replace('@', '@_') : written,
    label: user.full_name,
    detail: user.is_bot ? text.bot : user.email,
  }
}

function groups(client: Client): readonly Suggestion[] {
  return [...client.state.groups.value.values()].flatMap((group) => {
    const markdown = groupMentionOf(group.name)
    const detail = group.description === '' ? text.userGroup : group.description
    return markdown === undefined ? [] : [{ key: `group-${group.id}`, names: [group.name], order: recent + 3, markdown, label: group.name, detail }]
  })
}

function everybody(): readonly Suggestion[] {
  return wildcards.map((name) => ({ key: `wildcard-${name}`, names: [name], order: recent + 4, markdown: wildcardOf(name), label: name, detail: text.wildcard }))
}

function streams(client: Client): readonly Suggestion[] {
  const { state } = client
  return [...state.streams.value.values()].map((stream) => ({
    key: `stream-${stream.stream_id}`,
    names: [stream.name],
    order: state.subscriptions.value.has(stream.stream_id) ? 0 : 1,
    markdown: streamLinkOf(stream.name, undefined, client.address({ narrow: [{ operator: 'stream', operand: stream.stream_id }] })),
    label: `#${stream.name}`,
    detail: stream.description,
  }))
}

/** Returns those of a stream's topics that match. There may be a hundred thousand: only those that are found become suggestions. */
function topics(client: Client, name: string, query: string): readonly Suggestion[] {
  const { state } = client
  const stream = streamNamed(client, name)
  const all = stream === undefined ? undefined : state.topics.value.get(stream)
  if (stream === undefined || all === undefined) {
    return []
  }
  const found = rank(all.map((topic, order) => ({ names: [topic.name], order, topic: topic.name })), query, most)
  return found.map(({ names, order, topic }) => ({
    key: `topic-${order}`,
    names,
    order,
    markdown: streamLinkOf(state.streamName(stream), topic, client.address({ narrow: narrowTo({ kind: 'topic', stream, topic }) })),
    label: topic,
    detail: `#${state.streamName(stream)}`,
  }))
}

function emoji(client: Client, table: readonly Emoji[]): readonly Suggestion[] {
  const own = [...client.state.emoji.value.values()].filter((e) => !e.deactivated)
  const names = new Set(own.map((e) => e.name))
  return [
    ...own.map((e) => ({ key: `emoji-${e.id}`, names: [e.name], order: 0, markdown: emojiOf(e.name), label: e.name, detail: '', source: e.source_url })),
    ...table.filter((e) => !names.has(e.name)).map((e) => ({
      key: `emoji-${e.code}`,
      names: [e.name, ...e.names.split(/[ ,]/).filter((n) => n !== '' && n !== e.name)],
      order: popular.includes(e.name) ? popular.indexOf(e.name) : popular.length,
      markdown: emojiOf(e.name),
      label: e.name,
      detail: '',
      code: e.code,
    })),
  ]
}

import type { Client } from '../client'
import type { Emoji } from '../emoji'
import { emojiOf, groupMentionOf, mentionOf, streamLinkOf, wildcardOf, wildcards } from '../markdown/names'
import { narrowTo } from '../state/narrow'
import { text } from '../text/text'
import { folded, rank, type Offer, type Typed } from './completion'
import { popular } from './picker'

/** How many suggestions are shown at most. */
const most = 8

/** How many of the newest messages of the view say who is talking. */
const recent = 100

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
      return rank([...people(client, typed.silent), ...(typed.silent ? [] : [...groups(client), ...everybody()])], typed.query, most)
    case 'stream':
      return rank(streams(client), typed.query, most)
    case 'topic':
      return rank(topics(client, typed.stream), typed.query, most)
    case 'command':
      return rank(commands(), typed.query, most)
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

function people(client: Client, silent: boolean): readonly Suggestion[] {
  const { state } = client
  const users = [...state.users.value.values()].filter((u) => !state.inactive.value.has(u.user_id) && !u.is_cross_realm_bot)
  const names = Map.groupBy(users, (u) => u.full_name.toLowerCase())
  const ids = client.view.value?.ids.value?.slice(-recent) ?? []
  const senders = [...new Set(ids.map((id) => state.message(id)?.peek().sender_id ?? 0).reverse())]
  return users.map((user) => {
    const at = senders.indexOf(user.user_id)
    const written = mentionOf(user.full_name, user.user_id, (names.get(user.full_name.toLowerCase())?.length ?? 0) > 1)
    return {
      key: `person-${user.user_id}`,
      names: [user.full_name, user.email],
      order: user.user_id === state.self.value ? senders.length + 2 : at >= 0 ? at : senders.length + (user.is_bot ? 2 : 0),
      markdown: silent ? written.replace('@', '@_') : written,
      label: user.full_name,
      detail: user.is_bot ? text.bot : user.email,
    }
  })
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

function topics(client: Client, name: string): readonly Suggestion[] {
  const { state } = client
  const stream = streamNamed(client, name)
  if (stream === undefined) {
    return []
  }
  return (state.topics.value.get(stream) ?? []).map((topic, i) => ({
    key: `topic-${i}`,
    names: [topic.name],
    order: i,
    markdown: streamLinkOf(state.streamName(stream), topic.name, client.address({ narrow: narrowTo({ kind: 'topic', stream, topic: topic.name }) })),
    label: topic.name,
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

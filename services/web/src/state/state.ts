import { batch, computed, signal, type Signal } from '@preact/signals'
import { text } from '../text/text'
import { alertsOf } from './alerts'
import { placeOf, privatePlace, topicKey, type Place, type TopicPlace } from './conversation'
import { messageOf, type Message, type Registration, type OwnFile, type Stream, type Subscription, type User, type UserGroup } from './model'
import { keyOfNarrow, matches, narrowTo, streamOfNarrow, type Narrow } from './narrow'
import { Organization } from './organization'
import { Unread } from './unread'
import { View } from './view'

/** Settings of the organization and the server: the keys of the registration that begin with realm_, and a few more. */
export type Settings = Readonly<Record<string, unknown>>

/** A topic of a stream, with its newest message. */
export interface Topic {
  readonly name: string
  readonly max_id: number
}

/** When somebody was seen, in Unix seconds; 0: never. */
export interface Presence {
  readonly active: number
  readonly idle: number
}

/** What somebody says of themselves, and whether they want to look away. */
export interface Status {
  readonly text: string
  readonly away: boolean
}

/** A topic that the account muted, and when, in Unix seconds. */
export interface MutedTopic {
  readonly stream: number
  readonly topic: string
  readonly since: number
}

/** A custom emoji of the organization. */
export interface CustomEmoji {
  readonly id: string
  readonly name: string
  readonly source_url: string
  readonly deactivated: boolean
  /** Who added it. */
  readonly author_id: number
}

/** A message with the registration since which events have kept it. */
interface Kept {
  readonly message: Signal<Message>
  since: number
}

/** Where the picture of an account is from that uploaded it. */
export const uploaded = 'U'

/** How many views are kept, besides the one on screen. */
const keptViews = 30

/** How many messages are kept, and how many there may be until those beyond are forgotten at once. */
const keptMessages = 10_000
const mostMessages = 12_000

/** How many of the views that were used last are kept whatever they have, and how many messages of each: they may be on screen, one until the other is there. */
const shownViews = 2
const keptOfView = 2_500

/**
 * Everything that the client knows of the organization. POST /register fills it, events change it (see the folder events), and
 * nothing else does. It knows nothing of the page.
 */
export class State {
  /** Own account. */
  readonly self = signal(0)
  readonly isAdmin = signal(false)
  readonly settings = signal<Settings>({})
  readonly organization = new Organization()
  readonly users = signal<ReadonlyMap<number, User>>(new Map())
  /** Accounts that were deactivated. */
  readonly inactive = signal<ReadonlySet<number>>(new Set())
  readonly subscriptions = signal<ReadonlyMap<number, Subscription>>(new Map())
  /** All streams that are known, subscribed or not. */
  readonly streams = signal<ReadonlyMap<number, Stream>>(new Map())
  /** What streams were called when they could be seen, or as their messages say: these may stay on screen. */
  private readonly formerNames = signal<ReadonlyMap<number, string>>(new Map())
  /** Who is subscribed to the streams of which that was asked for. */
  readonly members = signal<ReadonlyMap<number, ReadonlySet<number>>>(new Map())
  /** The account's files, once somebody has asked for them; undefined: they have to be fetched. */
  readonly files = signal<readonly OwnFile[] | undefined>(undefined)
  /** Topics that don't want attention, by their keys. */
  readonly mutedTopics = signal<ReadonlyMap<string, MutedTopic>>(new Map())
  readonly emoji = signal<ReadonlyMap<string, CustomEmoji>>(new Map())
  readonly groups = signal<ReadonlyMap<number, UserGroup>>(new Map())
  readonly presences = signal<ReadonlyMap<number, Presence>>(new Map())
  /** What people say of themselves. */
  readonly statuses = signal<ReadonlyMap<number, Status>>(new Map())
  readonly starred = signal<ReadonlySet<number>>(new Set())
  readonly mentions = signal<ReadonlySet<number>>(new Set())
  /** Words of which the account wants to hear. */
  readonly alertWords = signal<readonly string[]>([])
  readonly unread = new Unread()
  /** Who is typing where, by the conversation's key, each with the time until which that holds, in milliseconds. */
  readonly typing = signal<ReadonlyMap<string, ReadonlyMap<number, number>>>(new Map())
  /** Private conversations by the people in them, with their newest message, the newest first. */
  readonly conversations = signal<readonly { readonly people: readonly number[]; readonly newest: number }[]>([])
  /** Topics of the streams whose topics were asked for, the newest first. */
  readonly topics = signal<ReadonlyMap<number, readonly Topic[]>>(new Map())
  /** The version of the server that registered this client. */
  readonly version = signal('')

  /** The newest message that was ever known; 0: none. */
  newest = 0

  private readonly messages = new Map<number, Kept>()
  private readonly views = new Map<string, View>()
  /** The messages that each of those collects who watch. */
  private readonly watches = new Set<Set<number>>()
  /** Views that can't say themselves whether a message belongs to them ask by this. */
  readonly undecided = signal<readonly { readonly view: View; readonly id: number }[]>([])

  /** Views that lack messages among those that they have: no event brings these. */
  readonly lacking = signal<readonly View[]>([])

  /** Private conversations whose newest message was deleted: only the server knows which one is the newest now, if any. */
  readonly emptied = signal<readonly (readonly number[])[]>([])

  /** How many events of each type there were. */
  readonly heard = new Map<string, number>()
  /** How many registrations there were. What was fetched before the last one may lack changes. */
  readonly registrations = signal(0)

  /** What finds the words of which the account wants to hear. */
  readonly alerts = computed(() => alertsOf(this.alertWords.value))

  /** Whether the account uploaded a picture. */
  readonly ownPicture = signal(false)

  /** People and bots by name, without who was deactivated. */
  readonly active = computed(() =>
    [...this.users.value.values()]
      .filter((user) => !this.inactive.value.has(user.user_id))
      .map((user) => ({ user, key: user.full_name.normalize('NFD').toLowerCase() })) // a collator takes ten times as long for thousands
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ user }) => user),
  )

  /** The names that several accounts have, in small letters. */
  private readonly sharedNames = computed(() => {
    const seen = new Set<string>()
    const shared = new Set<string>()
    for (const { full_name } of this.users.value.values()) {
      const name = full_name.toLowerCase()
      ;(seen.has(name) ? shared : seen).add(name)
    }
    return shared
  })

  /** Those of them who are no bots. */
  readonly activePeople = computed(() => this.active.value.filter((user) => !user.is_bot))

  readonly me = computed(() => this.users.value.get(this.self.value))

  /** How many messages of each stream are unread, of its muted topics only where the whole stream is muted. */
  readonly unreadOfStreams = computed(() => {
    const counts = new Map<number, number>()
    for (const { place, count } of this.unread.places()) {
      if (place.kind === 'topic' && (this.subscriptions.value.get(place.stream)?.is_muted || !this.isMuted(place))) {
        counts.set(place.stream, (counts.get(place.stream) ?? 0) + count)
      }
    }
    return counts
  })

  /**
   * Fills the state from a registration. Messages that were fetched before stay on screen until they are fetched again, since their
   * events may be lost.
   */
  fill(from: Registration): void {
    batch(() => {
      this.self.value = from.user_id ?? 0
      this.isAdmin.value = from.is_admin ?? false
      this.version.value = from.service_version
      this.settings.value = from as unknown as Settings
      this.ownPicture.value = from.avatar_source === uploaded
      this.organization.fill(from)
      const inactive = from.realm_non_active_users ?? []
      this.users.value = byId([...(from.realm_users ?? []), ...inactive, ...(from.cross_realm_bots ?? [])], (u) => u.user_id)
      this.inactive.value = new Set(inactive.map((u) => u.user_id))
      this.subscriptions.value = byId(from.subscriptions ?? [], (s) => s.stream_id)
      const others = [...(from.never_subscribed ?? []), ...(from.unsubscribed ?? []), ...(from.subscriptions ?? [])]
      this.streams.value = byId<Stream>(others, (s) => s.stream_id)
      this.files.value = undefined
      this.mutedTopics.value = mutedOf(from.muted_topics ?? [])
      this.emoji.value = new Map(Object.entries(from.realm_emoji ?? {}))
      this.groups.value = byId(from.realm_user_groups ?? [], (g) => g.id)
      this.presences.value = presencesOf(from.presences ?? {})
      this.statuses.value = new Map(Object.entries(from.user_status ?? {}).map(([id, status]) => [Number(id), { text: status.status_text ?? '', away: status.away ?? false }]))
      this.starred.value = new Set(from.starred_messages)
      this.alertWords.value = from.alert_words ?? []
      this.typing.value = new Map()
      this.topics.value = new Map()
      this.members.value = new Map()
      this.fillUnread(from)
      this.fillConversations(from)
      this.views.clear()
      this.registrations.value++
    })
  }

  private fillUnread(from: Registration): void {
    const { pms = [], streams = [], huddles = [], mentions = [] } = from.unread_msgs ?? {}
    this.unread.clear()
    this.mentions.value = new Set(mentions)
    for (const one of pms) {
      this.unread.add(privatePlace([one.sender_id], this.self.value), one.unread_message_ids)
    }
    for (const one of streams) {
      this.unread.add({ kind: 'topic', stream: one.stream_id, topic: one.topic }, one.unread_message_ids)
    }
    for (const one of huddles) {
      this.unread.add(privatePlace(one.user_ids_string.split(',').map(Number), this.self.value), one.unread_message_ids)
    }
  }

  /** The server names only the newest conversations: those with unread messages must be found, however old they are. */
  private fillConversations(from: Registration): void {
    const named = (from.recent_private_conversations ?? []).map((c) => ({ people: privatePlace(c.user_ids, this.self.value).people, newest: c.max_message_id }))
    const known = new Set(named.map((c) => c.people.join()))
    const older = [...this.unread.places()].flatMap(({ place, newest }) => (place.kind === 'private' && !known.has(place.people.join()) ? [{ people: place.people, newest }] : []))
    this.conversations.value = [...named, ...older.sort((a, b) => b.newest - a.newest)]
  }

  /** Returns the view of a narrow. It may be empty, and then has to be fetched. */
  view(narrow: Narrow): View {
    const key = keyOfNarrow(narrow)
    const view = this.views.get(key) ?? new View(narrow)
    this.views.delete(key) // the one that was used last is the last
    this.views.set(key, view)
    for (const old of [...this.views.keys()].slice(0, -keptViews)) {
      this.views.delete(old)
    }
    return view
  }

  /** Keeps a view of another registration, whose messages are to be fetched again. Others that come wait for these. */
  renew(view: View): void {
    view.isOld = true
    this.views.set(keyOfNarrow(view.narrow), view)
  }

  /** Forgets what a view shows, if it is kept. */
  forget(view: View): void {
    this.views.delete(keyOfNarrow(view.narrow))
  }

  /** Returns a message as it changes; undefined: it isn't known. */
  message(id: number): Signal<Message> | undefined {
    return this.messages.get(id)?.message
  }

  /** Keeps a message. One that is known already stays as it is if events have kept it. */
  keep(message: Message): void {
    if (message.stream_id !== undefined && typeof message.display_recipient === 'string') {
      this.keepName(message.stream_id, message.display_recipient)
    }
    const kept = this.messages.get(message.id)
    this.newest = Math.max(this.newest, message.id)
    if (kept === undefined) {
      this.messages.set(message.id, { message: signal(message), since: this.registrations.peek() })
    } else if (kept.since !== this.registrations.peek() || !this.hasEvents(kept.message.peek().stream_id)) {
      const { local_id: local } = kept.message.peek() // its row in the page is known by that
      kept.message.value = local === undefined ? message : { ...message, local_id: local }
      kept.since = this.registrations.peek()
    }
  }

  /** Whether there are events of a stream; undefined: of private conversations. */
  private hasEvents(stream: number | undefined): boolean {
    return stream === undefined || this.subscriptions.peek().has(stream)
  }

  /** Collects the messages that events change or delete, known or not, until the function is called that it returns. */
  watch(): { readonly changed: ReadonlySet<number>; readonly end: () => void } {
    const changed = new Set<number>()
    this.watches.add(changed)
    return { changed, end: () => this.watches.delete(changed) }
  }

  private note(id: number): void {
    for (const changed of this.watches) {
      changed.add(id)
    }
  }

  /** Changes a message, if it is known. */
  change(id: number, how: (message: Message) => Message): void {
    this.note(id)
    const kept = this.messages.get(id)
    if (kept !== undefined) {
      kept.message.value = how(kept.message.peek())
    }
  }

  /** Changes the flags of all messages that are known, of those that are given, or of none. */
  flag(ids: readonly number[] | 'all', flag: string, on: boolean): void {
    for (const id of ids === 'all' ? new Set([...this.messages.keys(), ...this.unread.ids()]) : ids) {
      this.change(id, (message) =>
        message.flags.includes(flag) === on ? message : { ...message, flags: on ? [...message.flags, flag] : message.flags.filter((f) => f !== flag) },
      )
    }
  }

  /**
   * Forgets the oldest messages that are in no view, where there are too many, and the views that would hold too many. What is counted as
   * unread stays counted. Whoever has put messages into views calls it.
   */
  tidy(): void {
    if (this.messages.size <= mostMessages) {
      return
    }
    const used = new Set<number>()
    batch(() => {
      for (const [i, [key, view]] of [...this.views].reverse().entries()) {
        if (i < shownViews) {
          view.cut(keptOfView)
        } else if (used.size + (view.ids.peek()?.length ?? 0) + view.waiting.size > keptMessages) {
          this.views.delete(key) // it is fetched again when somebody looks at it
          continue
        }
        view.ids.peek()?.forEach((id) => used.add(id))
      }
    })
    const unused = [...this.messages.keys()].filter((id) => !used.has(id)).sort((a, b) => a - b)
    for (const id of unused.slice(0, this.messages.size - keptMessages)) {
      this.messages.delete(id)
    }
  }

  /** Forgets messages that no longer exist. */
  drop(ids: readonly number[]): void {
    const gone = new Set(ids)
    for (const view of this.views.values()) {
      view.remove(gone)
    }
    for (const id of ids) {
      this.note(id)
      this.messages.delete(id)
    }
    this.unread.remove(ids)
    this.starred.value = without(this.starred.value, gone)
    this.mentions.value = without(this.mentions.value, gone)
    const emptied = this.conversations.peek().filter(({ newest }) => gone.has(newest)).map(({ people }) => people)
    if (emptied.length > 0) {
      this.emptied.value = [...this.emptied.peek(), ...emptied]
    }
  }

  /** Notes the newest message that the server has of a private conversation, as the newest was deleted that was known; undefined: none is left. */
  settle(people: readonly number[], newest: number | undefined): void {
    const rest = this.conversations.value.filter((c) => c.people.join() !== people.join())
    const all = newest === undefined ? rest : [...rest, { people, newest }]
    this.conversations.value = all.sort((a, b) => b.newest - a.newest)
  }

  /** Puts a message that is kept into the views that it belongs to, and takes it out of the others. */
  place(id: number): void {
    const message = this.messages.get(id)?.message.peek()
    if (message === undefined) {
      return
    }
    for (const view of this.views.values()) {
      const matched = matches(view.narrow, message, this.self.value)
      if (matched === undefined) {
        this.undecided.value = [...this.undecided.peek(), { view, id }]
      } else if (matched) {
        this.show(view, id)
      } else {
        view.remove(new Set([id]))
      }
    }
  }

  /** Puts a message into a view to which it belongs, unless there may be others between it and those that are known. */
  show(view: View, id: number): void {
    if (view.ids.peek()?.includes(id)) {
      return
    }
    if (!view.reaches(id)) {
      view.await(id)
    } else if (this.messages.has(id)) {
      view.insert([id])
    } else if (!this.lacking.peek().includes(view)) {
      this.lacking.value = [...this.lacking.peek(), view]
    }
  }

  /** Puts those of some messages that were never fetched into the views that may have them now. */
  gain(may: (narrow: Narrow) => boolean, ids: readonly number[]): void {
    const unknown = ids.filter((id) => !this.messages.has(id))
    for (const view of this.views.values()) {
      if (may(view.narrow)) {
        unknown.forEach((id) => this.show(view, id))
      }
    }
  }

  /** Notes by the flags of a message whether it counts as a mention: those of everybody don't where they are muted, and what was read doesn't. */
  mention(id: number, flags: readonly string[]): void {
    const place = this.unread.placeOf(id)
    const counts = place !== undefined && (flags.includes('mentioned') || (flags.includes('wildcard_mentioned') && !this.isMuted(place)))
    if (counts) {
      this.mentions.value = new Set(this.mentions.value).add(id)
    } else {
      this.mentions.value = without(this.mentions.value, new Set([id]))
    }
  }

  /** Notes a message that is in a private conversation now, as its newest, or in a topic, whose newest it may be. */
  touch(place: Place, id: number): void {
    if (place.kind === 'private') {
      const rest = this.conversations.value.filter((c) => c.people.join() !== place.people.join())
      this.conversations.value = [{ people: place.people, newest: id }, ...rest]
      return
    }
    const known = this.topics.value.get(place.stream)
    const before = known?.find((t) => topicKey(t.name) === topicKey(place.topic))
    if (known === undefined || (before !== undefined && before.max_id >= id)) {
      return
    }
    const rest = known.filter((t) => t !== before)
    const at = rest.findIndex((t) => t.max_id < id)
    this.topics.value = new Map(this.topics.value).set(place.stream, rest.toSpliced(at < 0 ? rest.length : at, 0, { name: place.topic, max_id: id }))
  }

  /**
   * Has the view of a topic that is moved as a whole go with it, so that its list stays as it is. Where others may be in either topic, or it is
   * long and more events follow, the views stay where they are.
   */
  rename(from: TopicPlace, to: TopicPlace, ids: readonly number[]): void {
    const [before, now] = [keyOfNarrow(narrowTo(from)), keyOfNarrow(narrowTo(to))]
    const view = this.views.get(before)
    const moved = new Set(ids)
    const isNew = this.topics.peek().get(to.stream)?.every((t) => topicKey(t.name) !== topicKey(to.topic)) === true
    if (view !== undefined && isNew && !this.views.has(now) && view.ids.peek()?.every((id) => moved.has(id))) {
      view.narrow = narrowTo(to)
      this.views.delete(before)
      this.views.set(now, view)
    }
  }

  /** Notes that messages of a topic are gone from it: all of them, maybe in several events, or some. All of it is gone with its newest message, unless there is a newer one by then. */
  leave(stream: number, topic: string, ids: readonly number[], all: boolean): void {
    const topics = this.topics.value.get(stream)
    const left = topics?.find((t) => topicKey(t.name) === topicKey(topic))
    if (topics === undefined || left === undefined || !ids.includes(left.max_id)) {
      return
    }
    const changed = new Map(this.topics.value)
    if (all) {
      changed.set(stream, topics.filter((t) => t !== left))
    } else {
      changed.delete(stream) // whether something older is left only the server knows
    }
    this.topics.value = changed
  }

  /** Notes that the events of a stream begin: what is known of it may lack what came before. */
  follow(stream: number): void {
    const changed = new Map(this.topics.value)
    if (changed.delete(stream)) {
      this.topics.value = changed
    }
    for (const kept of this.messages.values()) {
      if (kept.message.peek().stream_id === stream) {
        kept.since = 0
      }
    }
    const views = [...this.views.values()].filter((view) => streamOfNarrow(view.narrow) === stream && view.ids.peek() !== undefined)
    this.lacking.value = [...this.lacking.peek(), ...views]
  }

  /** Whether events keep a view as the server has it: there are none of streams that the account isn't subscribed to, and what is read stays among what is unread. */
  isFollowed(narrow: Narrow): boolean {
    const stream = streamOfNarrow(narrow)
    return this.hasEvents(stream) && !narrow.some((term) => term.operator === 'is' && term.operand === 'unread')
  }

  /** Returns where a message is. */
  placeOf(message: Message): Place {
    return placeOf(message, this.self.value)
  }

  /** Takes in a page of messages that was fetched. */
  keepPage(page: readonly (Parameters<typeof messageOf>[0] & { readonly flags: readonly string[] })[]): readonly number[] {
    for (const one of page) {
      this.keep(messageOf(one, one.flags))
    }
    return page.map((one) => one.id)
  }

  /** Notes when people were there. What is known already stays where it is newer. */
  seen(people: ReadonlyMap<number, Presence>): void {
    const all = new Map(this.presences.peek())
    for (const [person, { active, idle }] of people) {
      const before = all.get(person)
      all.set(person, { active: Math.max(active, before?.active ?? 0), idle: Math.max(idle, before?.idle ?? 0) })
    }
    this.presences.value = all
  }

  /** The name of an account, with its address if another one is called the same; of one that isn't known, a text that says so. */
  nameOf(id: number): string {
    const user = this.users.value.get(id)
    if (user === undefined) {
      return text.unknownUser(id)
    }
    return this.isShared(user.full_name) ? `${user.full_name} (${user.delivery_email ?? user.email})` : user.full_name
  }

  /** What stands for an account in a search: its name, or its address if another one is called the same. */
  termOf(id: number): string {
    const user = this.users.value.get(id)
    return user !== undefined && this.isShared(user.full_name) ? user.email : this.nameOf(id)
  }

  /** Whether several accounts have a name, active or not. */
  isShared(name: string): boolean {
    return this.sharedNames.value.has(name.toLowerCase())
  }

  /** Keeps what a stream is called for when it can't be seen any more. */
  keepName(stream: number, name: string): void {
    const names = this.formerNames.peek()
    if (names.get(stream) !== name) { // which messages by the thousand repeat
      this.formerNames.value = new Map(names).set(stream, name)
    }
  }

  /** The name of a stream; of one that isn't known, a text that says so. */
  streamName(stream: number): string {
    return this.knownName(stream) ?? text.unknownStream(stream)
  }

  /** The name of a stream, or what it was called; undefined: that isn't known. */
  knownName(stream: number): string | undefined {
    return this.streams.value.get(stream)?.name ?? this.formerNames.value.get(stream)
  }

  /** Whether a stream isn't there for the account: it was archived, say, while it was on screen, or a link leads to it. */
  isGone(stream: number | undefined): boolean {
    return stream !== undefined && !this.streams.value.has(stream) && !this.subscriptions.value.has(stream)
  }

  /** Whether a place doesn't want attention. */
  isMuted(place: Place): boolean {
    if (place.kind === 'private') {
      return false
    }
    const { value: topics } = this.mutedTopics
    return (this.subscriptions.value.get(place.stream)?.is_muted ?? false) || (topics.size > 0 && topics.has(mutedKey(place.stream, place.topic))) // the key is made for thousands of topics at once
  }
}

function byId<T>(list: readonly T[], id: (one: T) => number): ReadonlyMap<number, T> {
  return new Map(list.map((one) => [id(one), one]))
}

/** Returns a set without some of its members; the same set if it has none of them. */
export function without(set: ReadonlySet<number>, gone: ReadonlySet<number>): ReadonlySet<number> {
  return [...gone].some((id) => set.has(id)) ? new Set([...set].filter((id) => !gone.has(id))) : set
}

/** The key of a topic among those that are muted. */
export function mutedKey(stream: number, topic: string): string {
  return `${stream}/${topicKey(topic)}`
}

/** Reads muted topics: each has its stream, its name and a time. */
export function mutedOf(list: readonly (readonly unknown[])[]): ReadonlyMap<string, MutedTopic> {
  const topics = list.map(([stream, topic, since]) => ({ stream: Number(stream), topic: String(topic), since: Number(since) }))
  return new Map(topics.map((one) => [mutedKey(one.stream, one.topic), one]))
}

/** Reads presences in their compact form. */
export function presencesOf(from: Readonly<Record<string, unknown>>): ReadonlyMap<number, Presence> {
  return new Map(
    Object.entries(from).map(([id, value]) => {
      const { active_timestamp: active = 0, idle_timestamp: idle = 0 } = value as { active_timestamp?: number; idle_timestamp?: number }
      return [Number(id), { active, idle }]
    }),
  )
}

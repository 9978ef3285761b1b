import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { privatePlace, type Place } from '../state/conversation'
import { draftOf, joined, type Drafts } from './drafts'
import type { Store } from './storage'

/** A draft as the server lists it. */
type Listed = Calls['GET /drafts']['reply']['drafts'][string]

/** A draft of the server with its id. */
interface Remote extends Listed {
  readonly id: number
}

/** What this browser and the server had of a draft when they were last the same. */
interface Agreed {
  readonly id: number
  readonly content: string
}

/** Where the browser keeps what was agreed on, by the names of drafts. */
const agreedName = 'agreed-drafts'

/** How long after a change it goes to the server, how long after a draft was sent or forgotten, and before a failed exchange is repeated, in milliseconds. */
const writing = 10_000
const clearing = 1_000
const repeating = 60_000

/** The drafts of messages whose place isn't known: of all others, the name says the place. */
const unplaced: Readonly<Record<string, Listed['type']>> = { 'draft/topic': '', 'draft/private': 'private' }

/**
 * Shares the drafts of messages with the account's other devices, through the server. No event says that a draft has changed: the
 * lists are compared when the page is looked at again, and after changes here. Where a draft has changed at both ends, both texts stay.
 */
export class SharedDrafts {
  private readonly self: number
  private readonly store: Store
  private readonly drafts: Drafts
  private readonly locks: LockManager | undefined
  private timer: { readonly handle: ReturnType<typeof setTimeout>; readonly at: number } | undefined
  /** What the server has refused, by the names of drafts. */
  private readonly refused = new Map<string, string>()
  /** Whether a draft of the server is being taken over. */
  private taking = false
  private ended = false

  /** self is whose drafts they are. locks keep windows from comparing at the same time; undefined: the browser has none. */
  constructor(self: number, store: Store, drafts: Drafts, locks: LockManager | undefined) {
    this.self = self
    this.store = store
    this.drafts = drafts
    this.locks = locks
    drafts.heard = (content) => {
      if (!this.taking) {
        this.soon(content === '' ? clearing : writing)
      }
    }
  }

  /** Has the drafts compared within a time, in milliseconds. */
  soon(within = clearing): void {
    const at = Date.now() + within
    if (this.ended || (this.timer !== undefined && this.timer.at <= at)) {
      return
    }
    clearTimeout(this.timer?.handle)
    this.timer = { handle: setTimeout(() => void this.compare(), within), at }
  }

  /** Compares at once if a change here waits for that. */
  hurry(): void {
    if (this.timer !== undefined) {
      void this.compare()
    }
  }

  /** Compares no more. */
  end(): void {
    this.ended = true
    clearTimeout(this.timer?.handle)
  }

  /** Has both ends have the same drafts. Where the server doesn't answer, that is tried again later. */
  async compare(): Promise<void> {
    clearTimeout(this.timer?.handle)
    this.timer = undefined
    try {
      await (this.locks?.request('chat/drafts', () => this.exchange()) ?? this.exchange())
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      if (error.passes) {
        this.soon(Math.max(repeating, error.wait * 1000))
      }
    }
  }

  private async exchange(): Promise<void> {
    this.store.write(agreedName, this.agreed())
    if (this.store.read(agreedName) === undefined) {
      return // where the browser keeps nothing, what was sent would come back from the server
    }
    const { drafts: listed } = await call('GET /drafts', {})
    const remotes = new Map<string, Remote[]>()
    for (const [id, draft] of Object.entries(listed)) {
      const name = this.nameOf(draft)
      remotes.set(name, [...(remotes.get(name) ?? []), { ...draft, id: Number(id) }])
    }
    for (const name of new Set([...this.drafts.names(), ...remotes.keys(), ...Object.keys(this.agreed())])) {
      if (!this.ended && this.drafts.waited(name).length === 0) {
        await this.settle(name, (remotes.get(name) ?? []).sort((a, b) => (b.timestamp ?? 0) - (a.timestamp ?? 0)))
      }
    }
  }

  /** Has both ends have the same of one draft. The server may have it several times, if two devices began it. */
  private async settle(name: string, remotes: readonly Remote[]): Promise<void> {
    const [newest, ...others] = remotes
    const { content: before = '' } = this.agreed()[name] ?? {}
    const own = this.drafts.kept(name).content.trimEnd()
    const theirs = remotes.reduce((text, { content }) => joined(content, text), '')
    const content = merged(own, theirs, before)
    if (content !== own) {
      this.take(name, content, newest)
    }
    const id = await this.put(name, content, newest)
    if (id === undefined) {
      return
    }
    for (const { id: other } of content === '' ? remotes : others) {
      await this.remove(other)
    }
    this.agree(name, content === '' ? undefined : { id, content })
  }

  /** Has the server have a draft. Returns its id; 0: it has none, as the draft is empty; undefined: the server has refused it. */
  private async put(name: string, content: string, there: Remote | undefined): Promise<number | undefined> {
    if (content === '') {
      return 0
    }
    if (there?.content === content) {
      return there.id
    }
    const draft = this.listed(name, content)
    if (draft === undefined || this.refused.get(name) === content) {
      return undefined
    }
    try {
      if (there !== undefined) {
        await call('PATCH /drafts/{draft_id}', { draft_id: there.id, draft })
        return there.id
      }
      return (await call('POST /drafts', { drafts: [draft] })).ids[0]
    } catch (error) {
      if (!(error instanceof CallError) || error.passes || error.status === 401) {
        throw error
      }
      if (error.status === 404) {
        this.soon() // another device has just sent it, or forgotten it
      } else {
        this.refused.set(name, content)
      }
      return undefined
    }
  }

  private async remove(id: number): Promise<void> {
    try {
      await call('DELETE /drafts/{draft_id}', { draft_id: id })
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) {
        throw error
      }
    }
  }

  /** Has this browser have what the server has of a draft. */
  private take(name: string, content: string, there: Remote | undefined): void {
    const place = there === undefined ? undefined : this.placeOf(there)
    this.taking = true
    if (content === '') {
      this.drafts.clear(name)
    } else {
      this.drafts.write(name, { content, ...(place === undefined ? {} : { place }), ...(there?.timestamp === undefined ? {} : { changed: there.timestamp * 1000 }) })
    }
    this.taking = false
  }

  /** Returns a draft as the server lists it; undefined: where it is for isn't known. */
  private listed(name: string, content: string): Listed | undefined {
    const { place, changed = Date.now() } = this.drafts.kept(name)
    const rest = { content, timestamp: changed / 1000 }
    const type = unplaced[name]
    if (type !== undefined) {
      return { type, to: [], topic: '', ...rest }
    }
    if (place === undefined) {
      return undefined
    }
    return place.kind === 'topic'
      ? { type: 'stream', to: [place.stream], topic: place.topic, ...rest }
      : { type: 'private', to: place.people.length === 0 ? [this.self] : [...place.people], topic: '', ...rest }
  }

  /** Returns where a draft of the server is for; undefined: that isn't chosen. */
  private placeOf({ type, to, topic }: Listed): Place | undefined {
    const [stream] = to
    if (stream === undefined || type === '' || (type === 'stream' && topic === '')) {
      return undefined
    }
    return type === 'stream' ? { kind: 'topic', stream, topic } : privatePlace(to, this.self)
  }

  private nameOf(draft: Listed): string {
    const place = this.placeOf(draft)
    return place !== undefined ? draftOf(place) : draft.type === 'private' ? 'draft/private' : 'draft/topic'
  }

  private agreed(): Readonly<Record<string, Agreed>> {
    return this.store.read<Record<string, Agreed>>(agreedName) ?? {}
  }

  private agree(name: string, on: Agreed | undefined): void {
    const { [name]: old, ...others } = this.agreed()
    if (old?.content !== on?.content || old?.id !== on?.id) {
      this.store.write(agreedName, on === undefined ? others : { ...others, [name]: on })
    }
  }
}

/** Returns what a draft is at both ends, from what it is at each, and what it was at both. What one end has emptied and the other one changed stays. */
function merged(own: string, theirs: string, before: string): string {
  if (own === theirs || theirs === before) {
    return own
  }
  if (own === before || own === '') {
    return theirs
  }
  return theirs === '' ? own : joined(theirs, own)
}


import { batch } from '@preact/signals'
import { call, CallError } from '../api/request'
import type { Calls } from '../api/schema'
import { isSearch, matches, narrowTo, placeOfNarrow, wireOf, type Destination } from '../state/narrow'
import type { State } from '../state/state'
import type { View } from '../state/view'
import { pauseAfter, type Backoff } from './backoff'
import { current } from './current'
import { newest, pageSize, partAt, type Part } from './opening'
import { callUnlessEarly } from './unlessearly'

/** The anchor that stands for the end. */
const atEnd = 1e16

/** How far below the top of the list the message is that a view is opened at, in pixels. */
const openingOffset = 96

/** The pauses after a fetch that failed, and how often it is tried at most if nobody looks at the view. */
const backoff: Backoff = { first: 500, longest: 8_000 }
const mostTries = 6

/** How many answers are fetched at most where events change their messages all the time. */
const mostAnswers = 4

/** Leads to a message that a view has, and selects it. */
function leadTo(view: View, id: number): void {
  view.lead({ id, offset: openingOffset })
  view.selected.value = id
}

/** Fetches messages as they are needed. */
export class History {
  private readonly state: State
  /** The fetch of each view that counts: at most one at a time. */
  private readonly underWay = new Map<View, symbol>()

  private readonly isShown: (view: View) => boolean

  /** isShown reports whether somebody looks at a view. */
  constructor(state: State, isShown: (view: View) => boolean) {
    this.state = state
    this.isShown = isShown
  }

  /** Returns the view of a destination, once it has messages around it, or says why it has none. */
  async open({ narrow, near }: Destination): Promise<View> {
    const view = this.state.view(narrow)
    const ids = view.ids.peek()
    if (near !== undefined && ids?.includes(near)) {
      leadTo(view, near)
    }
    if (ids === undefined || view.isOld || (near === undefined && view.cuts > 0) || (near !== undefined && !ids.includes(near))) {
      // Who is led before the message is there stays at the one next to it, if the view is on screen.
      await this.openAt(view, near, () => (near === undefined ? undefined : leadTo(view, near)))
    } else if (!this.state.isFollowed(narrow)) {
      await this.again(view)
    } else if (near === undefined && !isSearch(narrow)) {
      await this.reopen(view, ids)
    }
    return view
  }

  /** Leads to the first unread message of a view that is known. Where nothing is unread, the view is where it was left. */
  private async reopen(view: View, ids: readonly number[]): Promise<void> {
    const first = ids.find((id) => this.isUnread(view, id))
    const place = placeOfNarrow(view.narrow, this.state.self.peek())
    if (first === undefined && !view.foundNewest.peek() && place !== undefined && this.state.unread.in(place) > 0) {
      await this.openAt(view, undefined)
      return
    }
    view.firstUnread.value = first
    if (first !== undefined) {
      view.lead({ id: first, offset: openingOffset })
    }
  }

  private isUnread(view: View, id: number): boolean {
    const message = this.state.message(id)?.peek()
    return message !== undefined && !message.flags.includes('read') && (view.narrow.length > 0 || !this.state.isMuted(this.state.placeOf(message)))
  }

  /** Fetches the messages that a view is opened with, in place of what is known, and leads there unless a message is wanted; taken is called with them. */
  private async openAt(view: View, near: number | undefined, taken: Take = () => {}): Promise<void> {
    await this.replace(view, partAt(view.narrow, near), (reply, ids) => {
      if (near === undefined) {
        const unread = reply.anchor === atEnd ? undefined : reply.anchor
        view.firstUnread.value = unread
        view.lead(unread === undefined ? undefined : { id: unread, offset: openingOffset })
      }
      taken(reply, ids)
    })
  }

  /** Leads to the end of a view, whose messages are fetched unless they are known. */
  async end(view: View): Promise<void> {
    if (!view.foundNewest.peek() || view.isOld) {
      await this.newest(view, pageSize)
    }
    view.lead(undefined)
  }

  /** Fetches the newest messages of a view, in place of what is known. */
  async newest(view: View, count: number): Promise<void> {
    await this.replace(view, newest(count))
  }

  /** Fetches the messages around where the list of a view is, in place of what is known. */
  async again(view: View): Promise<void> {
    await (view.position === undefined ? this.newest(view, pageSize) : this.openAt(view, view.position.id))
  }

  /**
   * Fetches the messages of a view again that was on screen before another registration. The list stays where it is; from its
   * end, it goes to the first unread message that came meanwhile.
   */
  async renew(view: View): Promise<void> {
    this.state.renew(view)
    const last = view.position === undefined ? view.ids.peek()?.at(-1) : undefined
    if (last === undefined) {
      await this.again(view)
      return
    }
    await this.openAt(view, last, (reply, ids) => {
      const unread = ids.find((id) => id > last && this.isUnread(view, id))
      if (unread !== undefined || !reply.found_newest) {
        view.firstUnread.value = unread
        view.lead({ id: unread ?? last, offset: openingOffset })
      }
    })
  }

  /** Fetches the page before those that are known. */
  async older(view: View, count = pageSize): Promise<void> {
    const first = view.ids.peek()?.[0]
    if (view.foundOldest.peek() || first === undefined) {
      return
    }
    const { cuts } = view
    await this.fetch(view, { anchor: String(first), num_before: count, num_after: 0 }, (reply, ids) => {
      if (view.cuts === cuts) { // else there may be others between these and those that are known
        view.insert(ids)
        view.foundOldest.value = reply.found_oldest
      }
    })
  }

  /** Fetches the page after those that are known. */
  async newer(view: View): Promise<void> {
    const last = view.ids.peek()?.at(-1)
    if (view.foundNewest.peek() || last === undefined) {
      return
    }
    const { cuts } = view
    await this.fetch(view, { anchor: String(last), num_before: 0, num_after: pageSize }, (reply, ids) => {
      if (view.cuts === cuts) {
        view.insert(ids)
        view.foundNewest.value = reply.found_newest
      }
    })
  }

  /** Fetches a message that no event brought, such as one to a stream that the account isn't subscribed to. */
  async one(id: number): Promise<void> {
    const reply = await this.page({ anchor: String(id), num_before: 0, num_after: 0, narrow: [{ operator: 'id', operand: String(id) }] })
    batch(() => {
      for (const known of this.state.keepPage(reply.messages)) {
        this.state.place(known)
      }
    })
  }

  /** Fetches the newest message of a private conversation, which may have none any more. */
  async newestIn(people: readonly number[]): Promise<void> {
    const narrow = wireOf(narrowTo({ kind: 'private', people }), this.state.self.peek())
    const { messages } = await current(this.state, ['message', 'delete_message'], () => call('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow }))
    this.state.settle(people, messages.at(-1)?.id)
  }

  /** Fetches the topics of a stream. */
  async topics(stream: number): Promise<void> {
    const reply = await current(this.state, ['message', 'update_message', 'delete_message'], () => call('GET /users/me/{stream_id}/topics', { stream_id: stream }))
    this.state.topics.value = new Map(this.state.topics.peek()).set(stream, reply.topics)
  }

  /** Fetches who is subscribed to a stream. */
  async members(stream: number): Promise<void> {
    const { subscribers } = await current(this.state, ['subscription'], () => call('GET /streams/{stream_id}/members', { stream_id: stream }))
    const ids = subscribers.filter((one) => typeof one === 'number')
    this.state.members.value = new Map(this.state.members.peek()).set(stream, new Set(ids))
  }

  /** Fetches the account's files. */
  async files(): Promise<void> {
    const { attachments } = await current(this.state, ['attachment'], () => call('GET /attachments', {}))
    this.state.files.value = attachments
  }

  /** Fetches a page in place of what is known, and of a page that is under way; taken is called once the view has it. */
  private async replace(view: View, part: Part, taken: Take = () => {}): Promise<void> {
    this.underWay.delete(view)
    const known = new Set(view.ids.peek())
    await this.fetch(view, part, (reply, ids) => {
      view.ids.peek()?.filter((id) => !known.has(id)).forEach((id) => view.await(id)) // they came meanwhile: the answer may be older
      view.ids.value = ids
      view.cuts = 0
      view.isOld = false
      view.foundOldest.value = reply.found_oldest
      view.foundNewest.value = reply.found_newest
      taken(reply, ids)
    })
  }

  /** Fetches a page, unless one is under way. */
  private async fetch(view: View, part: Part, take: Take): Promise<void> {
    if (this.underWay.has(view)) {
      return
    }
    const own = Symbol('fetch')
    this.underWay.set(view, own)
    const attempt = () => this.attempt(view, own, part, take)
    const failed = await attempt()
    if (failed?.passes) {
      void this.retry(view, own, failed, attempt) // meanwhile the view says what is wrong
    } else {
      this.finish(view, own)
    }
  }

  /** Tries a fetch again that failed, unless another takes its place. */
  private async retry(view: View, own: symbol, first: CallError, attempt: () => Promise<CallError | undefined>): Promise<void> {
    let failed: CallError | undefined = first
    for (let tries = 1; failed?.passes && (tries < mostTries || this.isShown(view)); tries++) {
      const pause = pauseAfter(backoff, tries - 1, failed.wait)
      await new Promise((resolve) => setTimeout(resolve, pause))
      failed = this.underWay.get(view) === own ? await attempt() : undefined
    }
    this.finish(view, own)
  }

  private finish(view: View, own: symbol): void {
    if (this.underWay.get(view) === own) {
      this.underWay.delete(view)
    }
  }

  /** Fetches messages, again if events changed some of them meanwhile: the answer may be older than that. */
  private async page(params: Calls['GET /messages']['params']): Promise<Calls['GET /messages']['reply']> {
    for (let tries = 1; ; tries++) {
      const { changed, end } = this.state.watch()
      try {
        const reply = await callUnlessEarly('GET /messages', params)
        if (tries === mostAnswers || !reply.messages.some(({ id }) => changed.has(id))) {
          return reply
        }
      } finally {
        end()
      }
    }
  }

  /** Fetches a page once, and returns the error of the call. */
  private async attempt(view: View, own: symbol, part: Part, take: Take): Promise<CallError | undefined> {
    const registration = this.state.registrations.peek()
    const { narrow } = view
    try {
      const reply = await this.page({ ...part, narrow: wireOf(narrow, this.state.self.peek()) })
      if (view.narrow !== narrow) { // its topic has another name by now
        return await this.attempt(view, own, part, take)
      }
      batch(() => {
        if (registration !== this.state.registrations.peek() || this.underWay.get(view) !== own) {
          return // the events since then went to another queue, or somebody has gone elsewhere
        }
        const ids = this.state.keepPage(reply.messages)
        for (const { id, content, match_content: marked } of reply.messages) {
          if (marked !== undefined) {
            view.matches.set(id, { of: content, marked })
          }
        }
        take(reply, ids)
        view.problem.value = ''
        const waiting = [...view.waiting]
        view.waiting.clear()
        for (const id of waiting) {
          const message = this.state.message(id)?.peek()
          if (message === undefined || matches(view.narrow, message, this.state.self.peek()) !== false) { // it wasn't known when it began to wait
            this.state.show(view, id)
          }
        }
        this.state.tidy()
      })
      return undefined
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      if (this.underWay.get(view) === own) {
        view.problem.value = error.message
      }
      return error
    }
  }
}

type Take = (reply: Page, ids: readonly number[]) => void

interface Page {
  readonly anchor: number
  readonly found_oldest: boolean
  readonly found_newest: boolean
}

import { batch, effect, signal, untracked } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { call, CallError, intercepted, unreachable } from './api/request'
import type { ServerEvent, UpdateMessageEvent } from './api/schema'
import { upload } from './api/upload'
import { addressOf, destinationOf } from './state/address'
import { keyOf, type Place, type TopicPlace } from './state/conversation'
import { narrowTo, placeOfNarrow, sameNarrow, wireOf, withoutSelf, type Destination } from './state/narrow'
import type { Message } from './state/model'
import { addressOfPage, pageOf, type Page } from './state/page'
import { State } from './state/state'
import type { View } from './state/view'
import { pauseAfter, type Backoff } from './sync/backoff'
import { Connection } from './sync/connection'
import { draftOf, Drafts } from './sync/drafts'
import { Folds } from './sync/folds'
import { History } from './sync/history'
import { Outbox } from './sync/outbox'
import { post } from './sync/post'
import { reportPresence } from './sync/presence'
import { Push } from './sync/push'
import { Silence } from './sync/quiet'
import { Reading } from './sync/reading'
import { named } from './sync/refused'
import { shareAccount } from './sync/session'
import { Schedule } from './sync/scheduled'
import { SharedDrafts } from './sync/shareddrafts'
import { Store } from './sync/storage'
import { Uploads } from './sync/uploads'
import { versions } from './sync/version'
import { Waiting } from './sync/waiting'
import { reportZone } from './sync/zone'
import { isolated, text } from './text/text'

/** The pauses before it is asked again where a message is. */
const backoff: Backoff = { first: 500, longest: 8_000 }

/** Returns the message that a fragment asks for by its number alone; undefined: it is none of a message. */
function messageOf(fragment: string): number | undefined {
  const id = /^#message\/(\d+)$/.exec(fragment)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** What a client has of the account, once that is known. */
interface Account {
  readonly store: Store
  readonly folds: Folds
  readonly silence: Silence
  readonly drafts: Drafts
  readonly outbox: Outbox
  readonly push: Push
  readonly shared: SharedDrafts
  readonly uploads: Uploads
  readonly waiting: Waiting
}

/** The client of somebody who is signed in: its state, what keeps it, and where its user is. */
export class Client {
  readonly state = new State()
  readonly connection = new Connection(this.state, (event) => this.heard(event))
  readonly history = new History(this.state, (view) => view === this.view.peek())
  readonly reading = new Reading()

  /** What the user looks at. */
  readonly destination = signal<Destination>({ narrow: [] })
  /** The page of settings that is shown in place of it; undefined: none. */
  readonly page = signal<Page | undefined>(undefined)
  /** The view on screen; undefined: it isn't there yet. It may be that of another registration until the new one has messages. */
  readonly view = signal<View | undefined>(undefined)
  /** What was said about the last action that failed; empty: nothing. */
  readonly notice = signal('')
  private unmet = '' // the part of it that need() said last
  /** What was said about the last action that worked and shows nowhere else; undefined: nothing. It goes by itself. */
  readonly said = signal<{ readonly words: string } | undefined>(undefined)

  /** How often the user went somewhere. Following a topic that somebody moved isn't going anywhere. */
  readonly visits = signal(0)

  /** Called with each message that an event brings. */
  readonly arrived = new Set<(message: Message) => void>()
  /** Called with each topic that was moved as a whole, and what it is now. */
  readonly moved = new Set<(from: TopicPlace, to: TopicPlace) => void>()

  /** The message that the page's address asks for by its number alone; undefined: none. */
  private readonly asked = signal<number | undefined>(undefined)
  /** The fragment of the page's address that was followed last; undefined: none. */
  private followed: string | undefined
  /** The registration for which messages were last fetched. */
  private loaded = 0
  /** The destination to which the view on screen went along, which needs no loading; undefined: none. */
  private along: Destination | undefined
  private account: Account | undefined
  private readonly ends: (() => void)[] = []
  private ended = false

  /** Begins to work, until end is called. */
  start(): void {
    const move = () => { // the event may come after the user has arrived there by other means
      if (location.hash !== this.followed) {
        this.follow(location.hash)
      }
    }
    const click = (event: MouseEvent) => { // the event may come after the next key
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link?.target !== ''
      if (link?.getAttribute('href')?.startsWith('#') && !isElsewhere && !event.defaultPrevented) {
        event.preventDefault()
        location.hash = link.hash
        move()
      }
    }
    const wake = () => this.connection.hurry()
    const lose = () => this.connection.doubt() // the stream may look for long as if there was nothing to say
    const comeBack = () => { // the network may have gone while the device slept, and no event says so
      if (document.visibilityState === 'visible') {
        this.connection.comeBack()
        this.account?.shared.soon(0)
      } else {
        this.account?.shared.hurry()
      }
    }
    const leave = () => void this.reading.flush()
    addEventListener('hashchange', move)
    addEventListener('click', click)
    addEventListener('online', wake)
    addEventListener('offline', lose)
    addEventListener('pageshow', comeBack)
    document.addEventListener('visibilitychange', comeBack)
    addEventListener('pagehide', leave)
    this.ends.push(
      () => removeEventListener('hashchange', move),
      () => removeEventListener('click', click),
      () => removeEventListener('online', wake),
      () => removeEventListener('offline', lose),
      () => removeEventListener('pageshow', comeBack),
      () => document.removeEventListener('visibilitychange', comeBack),
      () => removeEventListener('pagehide', leave),
      effect(() => this.load()),
      effect(() => this.decide()),
      effect(() => this.complete()),
      effect(() => this.empty()),
      effect(() => void this.lead()),
      effect(() => (this.state.registrations.value > 0 ? untracked(() => this.signedIn().shared.soon()) : undefined)),
      effect(() => (this.connection.status.value === 'online' ? reportPresence(this.state) : undefined)),
      effect(() => (this.state.registrations.value > 0 ? shareAccount(this.state.self.peek(), () => this.connection.replace()) : undefined)),
      effect(() => (this.connection.opened.value > 1 ? untracked(() => this.resume()) : undefined)), // the first comes with the page
      effect(() => (this.state.registrations.value > 0 && this.state.settings.peek()['timezone'] === '' ? reportZone() : undefined)),
    )
    move()
    void this.connection.run()
  }

  /** Ends the work. */
  end(): void {
    this.ended = true
    this.connection.end()
    this.reading.end()
    this.account?.outbox.end()
    this.account?.shared.end()
    this.account?.uploads.end()
    this.account?.waiting.end()
    for (const end of this.ends) {
      end()
    }
  }

  /** What was typed and isn't sent; there are drafts once the state is filled. */
  get drafts(): Drafts {
    return this.signedIn().drafts
  }

  /** What the browser keeps of the account. */
  get store(): Store {
    return this.signedIn().store
  }

  /** Which parts of the screen are folded. */
  get folds(): Folds {
    return this.signedIn().folds
  }

  /** The files on their way. */
  get uploads(): Uploads {
    return this.signedIn().uploads
  }

  /** The messages on their way. */
  get outbox(): Outbox {
    return this.signedIn().outbox
  }

  /** How many messages are going to be sent. */
  get waiting(): Waiting {
    return this.signedIn().waiting
  }

  /** When this browser doesn't disturb. */
  get silence(): Silence {
    return this.signedIn().silence
  }

  /** Notifications of this browser while no page is open. */
  get push(): Push {
    return this.signedIn().push
  }

  private signedIn(): Account {
    if (this.account === undefined) {
      const self = this.state.self.peek()
      const store = new Store(self)
      const drafts = new Drafts(store)
      const outbox = new Outbox(store, post(this.state, () => this.connection.queueID, (id) => this.history.one(id), () => this.connection.doubt()), navigator.locks)
      const shared = new SharedDrafts(self, store, drafts, navigator.locks)
      this.account = { store, folds: new Folds(store), silence: new Silence(store), drafts, outbox, push: new Push(store), shared, uploads: new Uploads(drafts, upload), waiting: new Waiting(new Schedule(self)) }
      this.account.outbox.restore()
    }
    return this.account
  }

  /** Goes to a destination. */
  go(to: Destination): void {
    const address = this.address(to)
    if (location.hash !== address && !(address === '#' && location.hash === '')) {
      location.hash = address
    }
    this.arrive(to)
  }

  /** The fragment of a destination's address. */
  address(to: Destination): string {
    return addressOf(to, { stream: (id) => this.state.streams.peek().get(id)?.name ?? '', person: (id) => this.state.users.peek().get(id)?.full_name ?? '' }, this.state.self.peek())
  }

  /** Goes to a page of settings. */
  goToPage(to: Page): void {
    location.hash = addressOfPage(to)
    this.follow(location.hash)
  }

  /** Goes from settings back to where the user was. */
  leavePage(): void {
    this.go(this.destination.peek())
  }

  /** Shows what the fragment of the page's address says. Settings leave the destination as it is, for those who come back. */
  private follow(fragment: string): void {
    this.followed = fragment
    const page = pageOf(fragment)
    const message = messageOf(fragment)
    if (message !== undefined) {
      this.asked.value = message
    } else if (page === undefined) {
      this.arrive(destinationOf(fragment) ?? { narrow: [] })
    } else {
      batch(() => {
        this.visits.value = this.visits.peek() + 1
        this.page.value = page
      })
    }
  }

  /** Goes to the conversation of the message that was asked for, once the server says where it is. It takes the place of the address in the browser's history. */
  private async lead(): Promise<void> {
    const id = this.asked.value
    if (id === undefined || this.state.registrations.value === 0) {
      return
    }
    this.asked.value = undefined
    const isWanted = () => !this.ended && messageOf(location.hash) === id
    let passes = this.state.message(id) === undefined
    for (let tries = 0; passes && isWanted(); tries++) {
      await this.act(() =>
        this.history.one(id).then(
          () => (passes = false),
          (error: unknown) => {
            passes = error instanceof CallError && error.passes
            throw error
          },
        ),
      )
      if (passes) {
        await new Promise((resolve) => setTimeout(resolve, pauseAfter(backoff, tries, 0)))
      }
    }
    if (!isWanted()) {
      return
    }
    const message = this.state.message(id)?.peek()
    if (message === undefined) {
      this.notice.value ||= text.gone.message
    }
    location.replace(this.address(message === undefined ? { narrow: [] } : { narrow: narrowTo(this.state.placeOf(message)), near: id }))
  }

  private arrive(to: Destination): void {
    this.followed = location.hash
    batch(() => {
      this.visits.value = this.visits.peek() + 1
      this.page.value = undefined
      this.reading.paused.value = undefined
      this.destination.value = { ...to } // it is loaded again even if it is the same
    })
  }

  /** Fetches the view of the destination. After another registration, the one that is on screen stays, and its messages are fetched again. */
  private load(): void {
    const to = this.destination.value
    const registration = this.state.registrations.value
    if (registration === 0) {
      return
    }
    if (to === this.along) {
      this.along = undefined // whoever comes again wants it loaded
      return
    }
    const told = withoutSelf(to, this.state.self.peek())
    if (told !== to) {
      this.destination.value = told // and it is loaded
      return
    }
    if (to.recent === true) {
      this.view.value = undefined
      return
    }
    const shown = this.view.peek()
    const isKept = registration !== this.loaded && shown?.ids.peek() !== undefined && sameNarrow(shown.narrow, to.narrow)
    this.loaded = registration
    if (isKept) {
      void untracked(() => this.history.renew(shown))
      return
    }
    void untracked(() => this.history.open(to)).then((view) => {
      if (this.destination.peek() === to) {
        this.view.value = view
      }
    })
  }

  /** Catches up with a server that is there again: it may be another, and the view on screen may have failed meanwhile. */
  private resume(): void {
    void versions.check()
    if ([unreachable().message, intercepted().message, text.notLoaded].includes(this.notice.peek())) {
      this.notice.value = ''
    }
    this.account?.outbox.hurry()
    if ((this.view.peek()?.problem.peek() ?? '') !== '') {
      this.load()
    }
  }

  /** Whether somebody looks at a view, or is about to. */
  private isWanted(view: View): boolean {
    const { narrow, recent } = this.destination.peek()
    return view === this.view.peek() || (recent !== true && sameNarrow(view.narrow, narrow))
  }

  /** Fetches the messages again of views that lack some. */
  private complete(): void {
    const lacking = new Set(this.state.lacking.value)
    if (lacking.size === 0) {
      return
    }
    this.state.lacking.value = []
    for (const view of lacking) {
      if (this.isWanted(view)) {
        void untracked(() => this.history.again(view))
      } else { // it is fetched again when somebody looks at it
        this.state.forget(view)
      }
    }
  }

  /** Finds out what is left of private conversations whose newest message was deleted. */
  private empty(): void {
    const emptied = this.state.emptied.value
    if (emptied.length === 0) {
      return
    }
    this.state.emptied.value = []
    for (const people of emptied) {
      void this.attempt(() => untracked(() => this.history.newestIn(people))) // whoever comes again knows more
    }
  }

  /** Asks the server about messages of which only it can say whether they belong to a view. */
  private decide(): void {
    const asked = this.state.undecided.value
    if (asked.length === 0) {
      return
    }
    this.state.undecided.value = []
    for (const [view, of] of Map.groupBy(asked, (one) => one.view)) {
      if (this.isWanted(view)) {
        void this.ask(view, of.map(({ id }) => id))
      } else { // it is fetched again when somebody looks at it
        this.state.forget(view)
      }
    }
  }

  /** Asks the server which messages belong to a view, and puts these into it. Where that fails, the view is fetched again, until that works. */
  private async ask(view: View, ids: readonly number[]): Promise<void> {
    const refused = await this.attempt(async () => {
      const reply = await call('GET /messages/matches_narrow', { msg_ids: ids, narrow: wireOf(view.narrow, this.state.self.peek()) })
      batch(() => {
        for (const [id, { match_content: marked }] of Object.entries(reply.messages)) {
          const content = this.state.message(Number(id))?.peek().content
          if (content !== undefined) {
            view.matches.set(Number(id), { of: content, marked })
            this.state.show(view, Number(id))
          }
        }
      })
    })
    if (refused !== '') {
      this.state.lacking.value = [...this.state.lacking.peek(), view]
    }
  }

  private heard(event: ServerEvent): void {
    if (event.type === 'message' && event.local_message_id !== undefined) {
      this.outbox.drop(event.local_message_id, event.message.id)
    }
    if (event.type === 'update_message') {
      this.followTopic(event)
    }
    const message = event.type === 'message' ? this.state.message(event.message.id)?.peek() : undefined
    if (message !== undefined) {
      this.arrived.forEach((hear) => hear(message))
      if (message.sender_id === this.state.self.peek()) {
        this.account?.shared.soon() // it may have been a draft until now, here or elsewhere
      }
    }
    if (event.type === 'message' && !event.flags.includes('read') && !document.hasFocus()) {
      this.draw(event.message.id)
    }
  }

  /** Has the unread messages begin at one that came to the end of the screen while nobody looked at it, unless they begin before. */
  private draw(id: number): void {
    const view = this.view.peek()
    const line = view?.firstUnread.peek()
    const isRead = line === undefined || !this.state.unread.has(line)
    if (view !== undefined && isRead && view.ids.peek()?.at(-1) === id) {
      view.firstUnread.value = id
    }
  }

  /** Goes with a topic that is moved as a whole, or was emptied, while it is on screen: of a long one, each event has some messages. What was typed for another one goes with that. */
  private followTopic({ stream_id: stream = 0, orig_subject: topic, new_stream_id, subject, propagate_mode: mode }: UpdateMessageEvent): void {
    if (topic === undefined) {
      return
    }
    const from: TopicPlace = { kind: 'topic', stream, topic }
    const view = this.view.peek()
    const isEmptied = view !== undefined && sameNarrow(view.narrow, narrowTo(from)) && view.ids.peek()?.length === 0
    if (mode === 'change_all' || (isEmptied && this.isAt(from))) {
      this.goAlong(from, { kind: 'topic', stream: new_stream_id ?? stream, topic: subject ?? topic })
    }
  }

  /** Has what was typed for a topic go where that was moved as a whole, and the user, too, who stays in whatever is open if the topic is on screen. */
  goAlong(from: TopicPlace, to: TopicPlace): void {
    const isHere = this.isAt(from)
    batch(() => {
      this.drafts.move(from, to)
      this.uploads.move(draftOf(from), draftOf(to))
      this.moved.forEach((hear) => hear(from, to))
      this.reading.move(narrowTo(from), narrowTo(to))
      if (isHere) {
        const view = this.view.peek()
        const there = { narrow: narrowTo(to) }
        this.along = view !== undefined && sameNarrow(view.narrow, there.narrow) ? there : undefined
        this.destination.value = there
      }
    })
    if (isHere && this.page.peek() === undefined) {
      history.replaceState(null, '', this.address(this.destination.peek()))
      this.followed = location.hash
    }
  }

  private isAt(place: Place): boolean {
    const here = placeOfNarrow(this.destination.peek().narrow, this.state.self.peek())
    return here !== undefined && keyOf(here) === keyOf(place)
  }

  /** Does something that the server may refuse, and then says why. */
  async act(what: () => Promise<unknown>): Promise<boolean> {
    const refused = await this.attempt(what)
    this.notice.value = refused
    return refused === ''
  }

  /** Fetches what a part of the page needs, and says why that failed, until it works. What was said about an action stays: nobody may have read it yet. */
  async need(what: () => Promise<unknown>): Promise<boolean> {
    const refused = await this.attempt(what)
    if (refused !== '' || this.notice.peek() === this.unmet) {
      this.notice.value = refused
    }
    this.unmet = refused
    return refused === ''
  }

  /** Does something that the server may refuse, and returns why it did; empty: it didn't. */
  async attempt(what: () => Promise<unknown>): Promise<string> {
    try {
      await what()
      return ''
    } catch (error) {
      if (!(error instanceof CallError)) {
        throw error
      }
      return named(error, this.state).message
    }
  }

  /** The name of a place. */
  nameOf(place: Place): string {
    return place.kind === 'topic' ? `#${isolated(this.state.streamName(place.stream))} › ${isolated(place.topic)}` : this.namesOf(place.people)
  }

  private namesOf(people: readonly number[]): string {
    return people.length === 0 ? this.state.nameOf(this.state.self.value) : people.map((id) => isolated(this.state.nameOf(id))).join(', ')
  }
}

const context = createContext<Client | undefined>(undefined)

/** Gives components their client. */
export const ClientProvider = context.Provider

/** The client that a component works for. */
export function useClient(): Client {
  const client = useContext(context)
  if (client === undefined) {
    throw new Error('a component is outside of its client')
  }
  return client
}

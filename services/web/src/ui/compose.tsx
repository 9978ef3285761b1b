import { signal } from '@preact/signals'
import { ChevronDown, SendHorizontal, X } from 'lucide'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { mentionsEverybody } from '../markdown/names'
import { keyOf, privatePlace, type Place } from '../state/conversation'
import type { Message } from '../state/model'
import { narrowTo, placeOfNarrow, showsSent, streamOfNarrow, wireOf } from '../state/narrow'
import type { State } from '../state/state'
import { draftOf, joined, type Unplaced } from '../sync/drafts'
import { Typing } from '../sync/typing'
import { isolated, text } from '../text/text'
import { composes } from './composing'
import { edit } from './editor'
import { isMeant } from './everybody'
import { Field, unready } from './field'
import { Icon } from './icon'
import { insert } from './insert'
import { MenuButton } from './menu'
import { useMoved } from './moved'
import { NewPlace } from './newplace'
import { onceRendered } from './rendered'
import { canEdit, noTopic, whoWrites } from './rights'
import { schedule, showDrafts, showScheduled } from './screens'
import { TypingNow } from './typing'
import { Unreached } from './unreached'

/** What is written to, other than what is on screen: another place, or one that is yet to be chosen. */
type Target = { readonly place: Place } | { readonly draft: 'topic' | 'private' }

/** The target; undefined: the place on screen. */
const target = signal<Target | undefined>(undefined)

/** The id of the field, to which keys lead. */
const fieldID = 'compose'

/** Begins a reply to a message. */
export function replyTo(client: Client, message: Message): void {
  target.value = { place: client.state.placeOf(message) }
  onceRendered(() => document.getElementById(fieldID)?.focus())
}

/** Goes to a place, and into the field there. */
export function goToWrite(client: Client, place: Place): void {
  const to = { narrow: narrowTo(place) }
  if (location.hash === client.address(to)) {
    target.value = undefined // another place may be written to
  } else {
    client.go(to)
  }
  onceRendered(() => document.getElementById(fieldID)?.focus())
}

/** Begins a private message to who sent a message. */
export function replyToSender(client: Client, message: Message): void {
  target.value = { place: privatePlace([message.sender_id], client.state.self.peek()) }
  onceRendered(() => document.getElementById(fieldID)?.focus())
}

/** Writes a text into the field of a place, on lines of its own, or before something else that follows. */
export function writeInto(place: Place, added: string, after = '\n'): void {
  target.value = { place }
  onceRendered(() => {
    const field = document.getElementById(fieldID)
    if (field instanceof HTMLTextAreaElement) {
      const end = field.value.length
      insert(field, end, end, `${field.value === '' || field.value.endsWith('\n') ? '' : '\n'}${added}${after}`)
    }
  })
}

/** Begins a message, to a place that is chosen then, with a text after what was typed before. */
export function writeNewWith(client: Client, added: string): void {
  const before = client.drafts.of('draft/topic').peek().content
  client.drafts.write('draft/topic', { content: `${before === '' ? '' : `${before}\n`}${added}\n` })
  writeNew('topic')
}

/** Begins a message to a new topic, of the stream on screen, or else of a message's, if there is one and nothing else was begun. */
export function newTopic(client: Client, message?: Message): void {
  const stream = streamOfNarrow(client.destination.peek().narrow) ?? message?.stream_id
  if (stream !== undefined && client.state.subscriptions.peek().has(stream) && client.drafts.of('draft/topic').peek().content === '') {
    writeTopic(client, stream)
  } else {
    writeNew('topic')
  }
}

/** Begins a message to a new topic of a stream. One that was begun for another stream is kept as the draft of its topic. */
export function writeTopic(client: Client, stream: number): void {
  const { drafts } = client
  const { content, draft } = drafts.of('draft/topic').peek()
  const isBegun = content !== '' && draft?.stream !== undefined
  if (isBegun && draft.stream !== stream && drafts.waited('draft/topic').length === 0) {
    const place: Place = { kind: 'topic', stream: draft.stream, topic: draft.topic.trim() || noTopic }
    const there = drafts.of(draftOf(place)).peek().content
    drafts.write(draftOf(place), { content: joined(there, content), place })
    drafts.clear('draft/topic')
  }
  if (!isBegun || draft.stream !== stream) {
    drafts.write('draft/topic', { draft: { stream, topic: '', people: [] } })
  }
  target.value = undefined // another draft may be there
  onceRendered(() => writeNew('topic'))
}

/** Begins a message to a place that is chosen then. */
export function writeNew(draft: 'topic' | 'private'): void {
  target.value = { draft }
}

/** Where messages are written; place is the one on screen, if it is one alone. */
export function Compose({ place }: { readonly place: Place | undefined }) {
  const client = useClient()
  useLayoutEffect(() => { // before a key is pressed at what is on screen by then
    target.value = undefined
  }, [client.visits.value])
  useMoved((from, to) => {
    const written = target.peek()
    if (written !== undefined && 'place' in written && keyOf(written.place) === keyOf(from)) {
      target.value = { place: to }
    }
  })
  const to: Target | undefined = target.value ?? (place === undefined ? undefined : { place })
  if (to !== undefined && 'place' in to && closedOf(client.state, to.place) !== '' && client.drafts.of(draftOf(to.place)).value.content === '') {
    return ( // what was begun stays, to be taken elsewhere
      <footer class="compose closed">
        <p role="alert">{closedOf(client.state, to.place)}</p>
        {target.value === undefined ? null : <Leave />}
      </footer>
    )
  }
  if (to === undefined) {
    return (
      <footer class="compose closed">
        <button onClick={() => newTopic(client)}>{text.newTopic}</button>
        <button onClick={() => writeNew('private')}>{text.newPrivate}</button>
      </footer>
    )
  }
  const name = 'place' in to ? draftOf(to.place) : `draft/${to.draft}`
  return (
    <footer class="compose">
      <Box key={client.drafts.fieldName(name)} name={name} target={to} />
    </footer>
  )
}

function Box({ name, target: to }: { readonly name: string; readonly target: Target }) {
  const client = useClient()
  const { drafts, state, uploads } = client
  const kept = drafts.of(name).value
  const [problem, setProblem] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const typing = useRef(new Typing(state))
  const asking = useRef(false) // whether many are meant
  const draft = kept.draft ?? { stream: undefined, topic: '', people: [] }
  const place = 'place' in to ? to.place : placeOf(to.draft, draft, client)
  const gone = place === undefined ? '' : closedOf(state, place)
  const enterSends = state.settings.value['enter_sends'] === true
  useEffect(() => () => typing.current.stop(), [])
  useLayoutEffect(() => { // before another key is pressed
    if ('draft' in to) {
      document.getElementById(to.draft === 'topic' && kept.draft?.stream !== undefined ? 'new-topic' : 'new-place')?.focus()
    }
  }, [target.value]) // it is begun again by the same key, too

  /** Returns where the message goes, unless something is amiss, which is said then. */
  const ready = () => {
    const lacking = 'draft' in to && to.draft === 'topic' && draft.stream !== undefined ? text.mandatoryTopic : text.noPlace
    const amiss = place === undefined ? lacking : gone || unready(client, name)
    setProblem(amiss)
    if (amiss !== '' || form.current?.reportValidity() === false) { // keys and the menu don't check the form by themselves
      return undefined
    }
    return drafts.of(name).peek().content.trim() === '' ? undefined : place
  }
  const sent = (where: Place) => {
    typing.current.stop()
    drafts.clear(name)
    uploads.dropRefused(name)
    uploads.move(name, draftOf(where)) // where what can be tried again is seen
    if (target.peek() !== undefined) {
      target.value = undefined
      if ('draft' in to) {
        goToWrite(client, where)
      }
    }
    onceRendered(() => { // what was over the page has given the focus back by then
      field.current?.focus()
      if (document.activeElement === document.body) { // the field is gone: it was for another place
        (document.getElementById(fieldID) ?? document.querySelector<HTMLElement>('.message.selected') ?? document.getElementById('messages'))?.focus()
      }
    })
  }
  /** Does something with what was typed and where it goes, unless something is amiss, or it would notify many by mistake. */
  const take = async (does: (where: Place, content: string) => void) => {
    const where = ready()
    const content = () => complete(drafts.of(name).peek().content) // what was typed last may not be on screen yet
    if (where === undefined) {
      return
    }
    if (!mentionsEverybody(content())) {
      does(where, content())
    } else if (!asking.current) {
      asking.current = true
      const meant = await isMeant(client, where)
      asking.current = false
      if (meant && field.current !== null) { // the place wasn't left meanwhile
        does(where, content())
      }
    }
  }
  const send = () =>
    void take((where, content) => {
      client.outbox.send(where, content)
      sent(where)
      if (!('draft' in to)) {
        showSent(client, where)
      }
    })
  const later = () => void take((where, content) => schedule(client, where, content, () => sent(where)))
  const label = place === undefined ? text.message : text.messageTo(client.nameOf(place))
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !composes(event)) { // the key also leads to the messages
          target.value = undefined
        }
      }}
    >
      {place?.kind === 'private' ? <TypingNow place={place} /> : null}
      {place?.kind === 'topic' && kept.content.includes('@**') ? <Unreached place={place} content={kept.content} added={() => field.current?.focus()} /> : null}
      {target.value === undefined ? null : (
        <div class="compose-to">
          {'draft' in to ? (
            <NewPlace
              kind={to.draft}
              draft={draft}
              change={(changed) => {
                drafts.write(name, { draft: { ...draft, ...changed } })
                setProblem('')
              }}
            />
          ) : (
            <p>{label}</p>
          )}
          <Leave />
        </div>
      )}
      <Field
        id={fieldID}
        field={field}
        draft={name}
        label={label}
        problem={gone || problem}
        setProblem={setProblem}
        enterSubmits={enterSends}
        submit={send}
        up={() => editLast(client)}
        sends
        typed={() => {
          typing.current.typed(place)
          if ('place' in to && kept.place === undefined) {
            drafts.write(name, { place: to.place })
          }
        }}
        beside={
          <span class="send-buttons">
            <button class="primary send" disabled={kept.content.trim() === ''}>
              <span class="send-sign">
                <Icon of={SendHorizontal} directed />
              </span>
              <span class="send-word">{text.send}</span>
            </button>
            <MenuButton
              label={text.acting.sendMenu}
              items={() => [
                ...(kept.content.trim() === '' ? [] : [{ name: text.acting.sendLater, does: later }]),
                { name: text.acting.scheduled, does: () => showScheduled(client) },
                { name: text.acting.drafts, key: 'd', does: () => showDrafts(client) },
                { name: text.enterSends, checked: enterSends, does: () => setEnterSends(client, !enterSends), apart: true },
              ]}
            >
              <Icon of={ChevronDown} />
            </MenuButton>
          </span>
        }
        below={
          <label class="check">
            <input type="checkbox" checked={enterSends} onChange={(event) => setEnterSends(client, event.currentTarget.checked)} />
            {text.enterSends}
          </label>
        }
      />
    </form>
  )
}

/**
 * Brings to the screen what was just sent to a place, at the end of its conversation. Where that would pass over unread messages, or lose what
 * somebody reads elsewhere, it is said where it is.
 */
function showSent(client: Client, place: Place): void {
  const { destination, history, said, state } = client
  const view = client.view.peek()
  const isHere = view !== undefined && destination.peek().recent !== true && showsSent(view.narrow, place, state.self.peek())
  if (!isHere) {
    said.value = { words: text.onItsWay(client.nameOf(place)) }
  } else if (view.position !== undefined && placeOfNarrow(view.narrow, state.self.peek()) !== undefined && state.unread.in(place) === 0) {
    void history.end(view)
  } else if (view.position !== undefined) {
    said.value = { words: text.isBelow }
  }
}

/** Has a line end the command at the beginning of a message, too: to the server, a blank ends it. */
function complete(content: string): string {
  return content.replace(/^(\/(?:poll|todo))\n/, '$1 \n')
}

/** Says why one can't write to a place: its stream, or one of its people, is gone, or others write there. Empty: one can. */
function closedOf(state: State, place: Place): string {
  if (place.kind === 'topic') {
    const others = whoWrites(state, place.stream)
    return state.isGone(place.stream) ? text.gone.stream : others === undefined ? '' : text.othersWrite[others]
  }
  const left = place.people.find((person) => state.inactive.value.has(person))
  return left === undefined ? '' : text.hasLeft(isolated(state.nameOf(left)))
}

/** The button that leads back to the place on screen. The key for it is Escape: Tab leads on to the field. */
function Leave() {
  return (
    <button type="button" class="icon" tabIndex={-1} aria-label={text.cancel} title={text.cancel} onClick={leave}>
      <Icon of={X} />
    </button>
  )
}

/** Goes back to the field of the place on screen. What was typed stays a draft. */
function leave(): void {
  target.value = undefined
  document.getElementById('messages')?.focus()
}

/** Edits the own message that came last among those that one looks at. It may be further away than what was fetched. */
function editLast(client: Client): void {
  const { state } = client
  const view = client.view.peek()
  const self = state.self.peek()
  const own = view?.ids.peek()?.findLast((id) => state.message(id)?.peek().sender_id === self)
  const message = own === undefined ? undefined : state.message(own)?.peek()
  if (view === undefined || (message === undefined && view.foundOldest.peek() && view.foundNewest.peek())) {
    return
  }
  if (message !== undefined && view.foundNewest.peek()) {
    if (canEdit(client, message)) {
      edit(message.id)
    }
    return
  }
  const visit = client.visits.peek()
  void client.act(async () => {
    const narrow = [...wireOf(view.narrow, self), { operator: 'sender', operand: self }]
    const [last] = (await call('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow })).messages
    const typed = document.getElementById(fieldID)
    if (last !== undefined && canEdit(client, last) && visit === client.visits.peek() && typed instanceof HTMLTextAreaElement && typed.value === '') { // nobody has gone on meanwhile
      edit(last.id)
      client.go({ narrow: view.narrow, near: last.id })
    }
  })
}

/** Keeps a setting that has no event. */
function setEnterSends(client: Client, on: boolean): void {
  void client.act(async () => {
    await call('POST /users/me/enter-sends', { enter_sends: on })
    client.state.settings.value = { ...client.state.settings.peek(), enter_sends: on }
  })
}

/** Returns where a draft goes; undefined: that isn't chosen yet. The server takes what has no topic whether the organization wants that or not. */
function placeOf(kind: 'topic' | 'private', draft: Unplaced, { state }: Client): Place | undefined {
  if (kind === 'private') {
    return draft.people.length === 0 ? undefined : privatePlace(draft.people, state.self.value)
  }
  const topic = draft.topic.trim() || (state.settings.value['realm_mandatory_topics'] === true ? '' : noTopic)
  return draft.stream === undefined || topic === '' ? undefined : { kind: 'topic', stream: draft.stream, topic }
}

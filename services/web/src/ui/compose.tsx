import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { formatted, type Format } from '../markdown/format'
import { keyOf, privatePlace, type Place } from '../state/conversation'
import type { Message } from '../state/model'
import { narrowTo } from '../state/narrow'
import type { Draft, Unplaced } from '../sync/drafts'
import { Typing } from '../sync/typing'
import { text } from '../text/text'
import { attach, AttachButton, filesOf, largest, Uploading, useDropped } from './attach'
import { describe, Suggestions, useCompleter } from './completer'
import { insert, replace } from './insert'
import { isComplete, NewPlace } from './newplace'
import { Preview } from './preview'
import { formatOf, Toolbar } from './toolbar'
import { TypingNow } from './typing'

/** How many bytes a message may have, and from how many on they are counted for its author. */
const mostBytes = 10_000
const manyBytes = 9_000

/** What is written to, other than what is on screen: another place, or one that is yet to be chosen. */
type Target = { readonly place: Place } | { readonly draft: 'topic' | 'private' }

/** The target; undefined: the place on screen. */
const target = signal<Target | undefined>(undefined)

/** The keys that move the caret. */
const caretKeys = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End'])

/** The id of the field, to which keys lead. */
const fieldID = 'compose'

/** Begins a reply to a message. */
export function replyTo(client: Client, message: Message): void {
  target.value = { place: client.state.placeOf(message) }
  requestAnimationFrame(() => document.getElementById(fieldID)?.focus())
}

/** Writes a text into the field of a place, on lines of its own. */
export function writeInto(place: Place, added: string): void {
  target.value = { place }
  requestAnimationFrame(() => {
    const field = document.getElementById(fieldID)
    if (field instanceof HTMLTextAreaElement) {
      const end = field.value.length
      insert(field, end, end, `${field.value === '' || field.value.endsWith('\n') ? '' : '\n'}${added}\n`)
    }
  })
}

/** Begins a message to a place that is chosen then. */
export function writeNew(draft: 'topic' | 'private'): void {
  target.value = { draft }
}

/** Where messages are written; place is the one on screen, if it is one alone. */
export function Compose({ place }: { readonly place: Place | undefined }) {
  const client = useClient()
  const { destination } = client
  useEffect(() => {
    target.value = undefined
  }, [destination.value])
  const to: Target | undefined = target.value ?? (place === undefined ? undefined : { place })
  if (to === undefined) {
    return (
      <footer class="compose closed">
        <button onClick={() => writeNew('topic')}>{text.newTopic}</button>
        <button onClick={() => writeNew('private')}>{text.newPrivate}</button>
      </footer>
    )
  }
  const key = 'place' in to ? keyOf(to.place) : to.draft
  return (
    <footer class="compose">
      <Box key={key} name={`draft/${key}`} target={to} />
    </footer>
  )
}

function Box({ name, target: to }: { readonly name: string; readonly target: Target }) {
  const client = useClient()
  const { drafts, state, uploads } = client
  const kept = drafts.of(name).value
  const [problem, setProblem] = useState('')
  const [previewing, setPreviewing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const completer = useCompleter(field)
  const typing = useRef(new Typing(state))
  const draft = kept.draft ?? { stream: undefined, topic: '', people: [] }
  const place = 'place' in to ? to.place : placeOf(to.draft, draft, state.self.value)
  const enterSends = state.settings.value['enter_sends'] === true
  const bytes = new TextEncoder().encode(kept.content).length

  const change = (changed: Partial<Draft>) => {
    drafts.write(name, changed)
    setProblem('')
  }
  const take = (files: readonly File[]) => attach(client, name, field.current, files)
  const canAttach = largest(client) > 0
  useDropped((files) => (canAttach ? take(files) : setProblem(text.noUploads)))
  useEffect(() => {
    const own = { name, replace: (start: number, end: number, by: string) => replace(field.current, start, end, by) }
    drafts.field = own
    return () => {
      if (drafts.field === own) {
        drafts.field = undefined
      }
    }
  }, [])
  useEffect(() => () => typing.current.stop(), [])
  useEffect(() => {
    if ('draft' in to) {
      document.getElementById('new-place')?.focus()
    }
  }, [])

  const send = () => {
    if (place === undefined || ('draft' in to && !isComplete(to.draft, draft))) {
      setProblem(text.noPlace)
      return
    }
    if (kept.content.trim() === '') {
      return
    }
    if (bytes > mostBytes) {
      setProblem(text.tooLong(bytes, mostBytes))
      return
    }
    if (drafts.waited(name).length > 0) {
      setProblem(text.stillUploading)
      return
    }
    typing.current.stop()
    completer.close()
    client.outbox.send(place, kept.content)
    drafts.clear(name)
    setPreviewing(false)
    uploads.dropFailed(name)
    if (target.peek() !== undefined) {
      target.value = undefined
      if ('draft' in to) {
        client.go({ narrow: narrowTo(place) })
      }
    }
    field.current?.focus()
  }
  const format = (how: Format) => {
    const { current } = field
    if (current !== null) {
      const change = formatted(how, current.value, current.selectionStart, current.selectionEnd)
      insert(current, change.start, change.end, change.text)
      current.setSelectionRange(change.selectStart, change.selectEnd)
    }
  }
  const key = (event: KeyboardEvent) => {
    const how = formatOf(event)
    if (completer.press(event)) {
      event.preventDefault()
    } else if (how !== undefined) {
      event.preventDefault()
      format(how)
    } else if (event.key === 'Enter' && !event.isComposing && !event.shiftKey && (enterSends || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      send()
    }
  }
  const label = place === undefined ? text.message : text.messageTo(client.nameOf(place))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {place?.kind === 'private' ? <TypingNow place={place} /> : null}
      {'draft' in to ? (
        <NewPlace kind={to.draft} draft={draft} change={(changed) => change({ draft: { ...draft, ...changed } })} />
      ) : target.value === undefined ? null : (
        <p class="compose-to">
          {label}{' '}
          <button type="button" class="icon" aria-label={text.cancel} onClick={() => (target.value = undefined)}>
            ✕
          </button>
        </p>
      )}
      <div class="compose-row">
        <Suggestions completer={completer} />
        {previewing ? <Preview content={kept.content} /> : null}
        <textarea
          ref={field}
          hidden={previewing}
          id={fieldID}
          rows={1}
          dir="auto"
          placeholder={label}
          aria-label={label}
          aria-describedby="compose-problem"
          value={kept.content}
          onInput={(event) => {
            change({ content: event.currentTarget.value })
            typing.current.typed(place)
            completer.look()
          }}
          onKeyDown={key}
          onKeyUp={(event) => (caretKeys.has(event.key) ? completer.look() : undefined)}
          onClick={completer.look}
          onPaste={(event) => {
            const files = filesOf(event.clipboardData)
            if (files.length > 0) {
              event.preventDefault()
              take(files)
            }
          }}
          onBlur={completer.close}
          {...describe(completer)}
        />
        {canAttach ? <AttachButton take={take} /> : null}
        <button class="primary send" disabled={kept.content.trim() === ''}>
          {text.send}
        </button>
      </div>
      <Uploading draft={name} />
      <div class="compose-below">
        <Toolbar format={format} previewing={previewing} preview={setPreviewing} />
        <p id="compose-problem" class="problem" role="alert">
          {problem}
        </p>
        {bytes > manyBytes ? <p class={bytes > mostBytes ? 'problem' : ''}>{text.tooLong(bytes, mostBytes)}</p> : null}
        <label>
          <input type="checkbox" checked={enterSends} onChange={(event) => setEnterSends(client, event.currentTarget.checked)} /> {text.enterSends}
        </label>
      </div>
    </form>
  )
}

/** Keeps a setting that has no event. */
function setEnterSends(client: Client, on: boolean): void {
  void client.act(async () => {
    await call('POST /users/me/enter-sends', { enter_sends: on })
    client.state.settings.value = { ...client.state.settings.peek(), enter_sends: on }
  })
}

function placeOf(kind: 'topic' | 'private', draft: Unplaced, self: number): Place | undefined {
  if (kind === 'private') {
    return draft.people.length === 0 ? undefined : privatePlace(draft.people, self)
  }
  return draft.stream === undefined || draft.topic.trim() === '' ? undefined : { kind: 'topic', stream: draft.stream, topic: draft.topic.trim() }
}

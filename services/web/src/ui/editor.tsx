import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/request'
import { serverTime } from '../api/wire'
import { useClient } from '../client'
import { mentionsEverybody } from '../markdown/names'
import type { Message } from '../state/model'
import { editOf } from '../sync/drafts'
import { text } from '../text/text'
import { ask } from './ask'
import { Content } from './content'
import { isMeant } from './everybody'
import { Field, unready } from './field'
import { onceRendered } from './rendered'
import { editableUntil } from './rights'

/** An edit of a message. */
export interface Edit {
  readonly id: number
  /** Whether its field is yet to get the focus: it does once, and not whenever it is scrolled back into the page. */
  readonly begins: boolean
}

/** The edit that goes on; undefined: none. */
export const editing = signal<Edit | undefined>(undefined)

/** Begins to edit a message. */
export function edit(id: number): void {
  editing.value = { id, begins: true }
}

/** How long the server may take until it is said that it doesn't answer, in milliseconds. */
const patience = 5_000

/** The form in which a message is edited, in place of what it says. What was typed is kept as a draft until it is saved. */
export function Editor({ message }: { readonly message: Message }) {
  const client = useClient()
  const { drafts } = client
  const draft = editOf(message.id)
  const [raw, setRaw] = useState<string>()
  const [problem, setProblem] = useState('')
  const [saving, setSaving] = useState(false)
  const [changed, setChanged] = useState(false) // by another window or device, since what is edited was fetched
  const slow = useSlow(raw === undefined || saving)
  const field = useRef<HTMLTextAreaElement>(null)
  const end = () => {
    editing.value = undefined
    onceRendered(() => document.getElementById(`message-${message.id}`)?.focus({ preventScroll: true }))
  }
  const open = async () => {
    const done = await client.act(async () => {
      const reply = await call('GET /messages/{message_id}', { message_id: message.id })
      if (editing.peek()?.id !== message.id) {
        return // whoever waited for it has given up
      }
      const { content, original } = drafts.of(draft).peek()
      if (content === '' || content === original) { // and not what somebody has changed before
        drafts.write(draft, { content: reply.raw_content, original: reply.raw_content, place: client.state.placeOf(message) })
      } else {
        setChanged(original !== undefined && original !== reply.raw_content && content !== reply.raw_content)
      }
      setRaw(reply.raw_content)
    })
    if (done || editing.peek()?.id !== message.id) {
      return
    }
    if (raw === undefined) {
      end()
    } else { // what was typed stays
      setChanged(true)
    }
  }
  useEffect(() => void open(), [message.id])
  useEffect(() => {
    if (raw !== undefined && !saving) {
      void open() // the event may be of what was just saved
    }
  }, [message.last_edit_timestamp])
  useEffect(
    () => () => {
      const { content, original } = drafts.of(draft).peek()
      if (content === original) {
        drafts.clear(draft)
      }
    },
    [draft],
  )
  const begins = editing.value?.id === message.id && editing.value.begins
  useLayoutEffect(() => { // before another key is pressed
    const { current } = field
    if (begins && current !== null) {
      editing.value = { id: message.id, begins: false }
      current.focus()
      current.setSelectionRange(current.value.length, current.value.length)
    }
  }, [raw === undefined, begins])

  const leave = () => {
    drafts.clear(draft)
    end()
  }
  const save = async () => {
    const { content } = drafts.of(draft).peek()
    if (saving) {
      return
    }
    setSaving(true)
    const isMore = mentionsEverybody(content) && !mentionsEverybody(raw ?? '')
    if (isMore && !(await isMeant(client, client.state.placeOf(message)))) {
      setSaving(false)
      return
    }
    const refused =
      unready(client, draft) || (content === raw ? '' : await client.attempt(() => call('PATCH /messages/{message_id}', { message_id: message.id, content })))
    setSaving(false)
    setProblem(refused)
    if (refused !== '') {
      return
    }
    if (drafts.of(draft).peek().content === content) {
      leave()
    } else { // more was typed meanwhile
      drafts.write(draft, { original: content })
      setRaw(content)
      setChanged(false)
    }
  }
  const cancel = async () => {
    const { title, yes, no } = text.acting.discardEdit
    if (drafts.of(draft).peek().content === raw || (await ask({ title, yes, no, danger: true }))) {
      leave()
    }
  }
  if (raw === undefined) {
    return (
      <>
        <Content html={message.content} />
        <p class="editor-buttons">
          <button type="button" class="plain" onClick={end}>
            {text.cancel}
          </button>
          <span class={slow ? 'problem' : 'hint'} role="status">
            {slow ? text.acting.editWaits : text.loading}
          </span>
        </p>
      </>
    )
  }
  return (
    <form
      class="editor"
      aria-label={text.edit}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Field
        id="edit"
        field={field}
        draft={draft}
        label={text.edit}
        problem={problem}
        setProblem={setProblem}
        enterSubmits={false}
        submit={() => void save()}
        escape={() => void cancel()}
      />
      <p class="problem" role="alert">
        {changed ? text.acting.editedElsewhere : ''}
      </p>
      <p class="editor-buttons">
        <button class="primary" aria-disabled={saving}>{text.save}</button>
        <button type="button" class="plain" onClick={() => void cancel()}>
          {text.cancel}
        </button>
        <TimeLeft until={editableUntil(client, message)} />
        <span class="problem" role="status">
          {slow ? text.acting.editWaits : ''}
        </span>
      </p>
    </form>
  )
}

/** Whether something has been waited for longer than patience. */
function useSlow(waits: boolean): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!waits) {
      return
    }
    const timer = setTimeout(() => setSlow(true), patience)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [waits])
  return slow
}

/** Says how long an edit can still be saved, where that isn't for ever. */
function TimeLeft({ until }: { readonly until: number | undefined }) {
  const [now, setNow] = useState(serverTime() / 1000)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverTime() / 1000), 1000)
    return () => clearInterval(timer)
  }, [])
  if (until === undefined) {
    return null
  }
  const left = Math.max(0, Math.floor(until - now))
  const { acting } = text
  return (
    <span class={left === 0 ? 'problem' : 'hint'} role="timer">
      {left === 0 ? acting.editOver : acting.editLeft(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`)}
    </span>
  )
}

import { Smile } from 'lucide'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { writtenOf } from '../html/written'
import { continued, formatted, indented, linked, type Change, type Format } from '../markdown/format'
import { emojiOf } from '../markdown/names'
import { text } from '../text/text'
import { attach, AttachButton, filesOf, largest, Uploading, useDropped } from './attach'
import { callServer, newCall } from './call'
import { describe, Suggestions, useCompleter } from './completer'
import { oneColumn } from './column'
import { inCode } from './completion'
import { composes } from './composing'
import { Icon } from './icon'
import { insert, replace } from './insert'
import type { Choice } from './picker'
import { Preview } from './preview'
import { onceRendered } from './rendered'
import { pickEmoji } from './screens'
import { formatOf, Toolbar } from './toolbar'

/** How many bytes a message may have, and from how many on they are counted for its author. */
const mostBytes = 10_000
const manyBytes = 9_000

/** The keys that move the caret. */
const caretKeys = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End'])

interface Props {
  readonly id: string
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** The draft that is written. */
  readonly draft: string
  readonly label: string
  /** Why what was written wasn't taken; empty: it may be. */
  readonly problem: string
  readonly setProblem: (problem: string) => void
  /** Whether Enter alone submits, and not only together with Ctrl or ⌘. */
  readonly enterSubmits: boolean
  readonly submit: () => void
  readonly typed?: () => void
  readonly escape?: () => void
  /** The arrow up in an empty field. */
  readonly up?: () => void
  /** Whether what is written is sent, and isn't the edit of a message. */
  readonly sends?: boolean
  /** What is beside the field. */
  readonly beside?: ComponentChildren
  /** What is below it. */
  readonly below?: ComponentChildren
}

/** Where a message is written: with names that are completed, formats, a preview, and files. */
export function Field({ id, field, draft, label, problem, setProblem, enterSubmits, submit, typed, escape, up, sends = false, beside, below }: Props) {
  const client = useClient()
  const { drafts } = client
  const [previewing, setPreviewing] = useState(false)
  const completer = useCompleter(field)
  const { content } = drafts.of(draft).value
  const bytes = bytesOf(content)
  const canAttach = largest(client) > 0
  const take = (files: readonly File[]) => attach(client, draft, field.current, files)
  useDropped((files) => (canAttach ? take(files) : setProblem(text.noUploads)))
  useEffect(() => drafts.shown({ name: draft, replace: (start, end, by) => replace(field.current, start, end, by) }), [draft])
  useEffect(() => {
    if (content === '') {
      setPreviewing(false)
    }
  }, [content === ''])

  const preview = (on: boolean) => {
    setPreviewing(on)
    if (!on) {
      onceRendered(() => field.current?.focus()) // to write on
    }
  }
  const format = (how: Format) => {
    const { current } = field
    if (current !== null) {
      const change = formatted(how, current.value, current.selectionStart, current.selectionEnd, new Date())
      insert(current, change.start, change.end, change.text)
      current.setSelectionRange(change.selectStart, change.selectEnd)
    }
  }
  const server = callServer(client)
  const call = (server: string) => {
    const { current } = field
    if (current !== null) {
      insert(current, current.selectionStart, current.selectionEnd, `[${text.call.join}](${newCall(server)})`)
    }
  }
  const write = ({ name }: Choice) =>
    onceRendered(() => { // the field can have the focus once the list is gone
      const { current } = field
      if (current !== null) {
        insert(current, current.selectionStart, current.selectionEnd, emojiOf(name))
      }
    })
  const press = (event: KeyboardEvent) => {
    if (composes(event)) {
      return
    }
    const how = formatOf(event)
    if (completer.press(event)) {
      event.preventDefault()
    } else if (how !== undefined) {
      event.preventDefault()
      format(how)
    } else if (event.key === 'Enter' && !event.shiftKey && (enterSubmits || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      completer.close()
      submit()
    } else if (event.key === 'Enter' && applies(field.current, continued)) {
      event.preventDefault()
    } else if (event.key === 'Tab' && applies(field.current, (value, caret) => indented(value, caret, event.shiftKey))) {
      event.preventDefault()
    } else if (event.key === 'Escape' && escape !== undefined) {
      event.preventDefault()
      escape()
    } else if (event.key === 'ArrowUp' && content === '' && up !== undefined) {
      event.preventDefault()
      up()
    }
  }
  return (
    <>
      <div class="compose-row">
        <Suggestions completer={completer} />
        {previewing ? <Preview content={content} /> : null}
        <textarea
          ref={field}
          hidden={previewing}
          id={id}
          rows={1}
          dir="auto"
          placeholder={label}
          aria-label={label}
          aria-describedby={`${id}-problem`}
          value={content}
          onInput={(event) => {
            drafts.write(draft, { content: event.currentTarget.value })
            setProblem('')
            typed?.()
            completer.look()
          }}
          onKeyDown={press}
          onKeyUp={(event) => (caretKeys.has(event.key) ? completer.look() : undefined)}
          onClick={completer.look}
          onPaste={(event) => {
            const files = filesOf(event.clipboardData)
            if (files.length > 0) {
              event.preventDefault()
              take(files)
              return
            }
            const { selectionStart: start, selectionEnd: end, value } = event.currentTarget
            const pasted = event.clipboardData
            const written = linked(value.slice(start, end), pasted?.getData('text/plain') ?? '') ?? (inCode(value.slice(0, start)) ? undefined : writtenOf(pasted?.getData('text/html') ?? ''))
            if (written !== undefined) {
              event.preventDefault()
              insert(event.currentTarget, start, end, written)
            }
          }}
          onBlur={completer.close}
          {...describe(completer)}
        />
        <button type="button" class="icon pick-emoji" aria-label={text.acting.emoji.insert} title={text.acting.emoji.insert} onClick={() => pickEmoji(client, write)}>
          <Icon of={Smile} />
        </button>
        {canAttach && !oneColumn.value ? <AttachButton take={take} /> : null}
        {beside}
      </div>
      <Uploading draft={draft} field={field} take={take} />
      <div class="compose-below">
        {canAttach && oneColumn.value ? <AttachButton take={take} /> : null}
        <Toolbar format={format} previewing={previewing} preview={preview} sends={sends} call={server === undefined ? undefined : () => call(server)} />
        <p id={`${id}-problem`} class="problem" role="alert">
          {problem}
        </p>
        {bytes > manyBytes ? <p class={bytes > mostBytes ? 'problem' : ''}>{text.tooLong(bytes, mostBytes)}</p> : null}
        {below}
      </div>
    </>
  )
}

/** Changes a list or a quote at the caret; false: there is nothing to change. */
function applies(field: HTMLTextAreaElement | null, how: (text: string, caret: number) => Change | undefined): boolean {
  const { value = '', selectionStart: caret = 0, selectionEnd: end = 0 } = field ?? {}
  const change = caret === end && !inCode(value.slice(0, caret)) ? how(value, caret) : undefined
  if (field !== null && change !== undefined) {
    insert(field, change.start, change.end, change.text)
  }
  return change !== undefined
}

/** Returns why a draft can't be sent as it is; empty: it can. */
export function unready(client: Client, draft: string): string {
  const bytes = bytesOf(client.drafts.of(draft).peek().content)
  return bytes > mostBytes ? text.tooLong(bytes, mostBytes) : client.drafts.waited(draft).length > 0 ? text.stillUploading : ''
}

function bytesOf(content: string): number {
  return new TextEncoder().encode(content).length
}

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/request'
import { useClient } from '../client'
import type { Message } from '../state/model'
import { text } from '../text/text'

/** The message that is edited; undefined: none. */
export const editing = signal<number | undefined>(undefined)

/** The form in which a message is edited, in place of what it says. */
export function Editor({ message }: { readonly message: Message }) {
  const client = useClient()
  const [raw, setRaw] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    void client.act(async () => {
      const reply = await call('GET /messages/{message_id}', { message_id: message.id })
      setRaw(reply.raw_content)
    })
  }, [message.id])
  useEffect(() => field.current?.focus(), [raw === undefined])
  const save = async () => {
    const content = field.current?.value ?? ''
    if (content === raw || (await client.act(() => call('PATCH /messages/{message_id}', { message_id: message.id, content })))) {
      editing.value = undefined
    }
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      void save()
    } else if (event.key === 'Escape') {
      editing.value = undefined
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  if (raw === undefined) {
    return <p role="status">{text.loading}</p>
  }
  return (
    <div class="editor">
      <textarea ref={field} dir="auto" rows={Math.min(12, raw.split('\n').length + 1)} aria-label={text.edit} defaultValue={raw} onKeyDown={key} />
      <p>
        <button class="primary" onClick={() => void save()}>
          {text.save}
        </button>{' '}
        <button class="plain" onClick={() => (editing.value = undefined)}>
          {text.cancel}
        </button>
      </p>
    </div>
  )
}

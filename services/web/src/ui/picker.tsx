import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { characters } from '../html/content'
import type { Message } from '../state/model'
import { text } from '../text/text'
import { react } from './reactions'

/** The message for which an emoji is picked; undefined: none. */
export const picking = signal<number | undefined>(undefined)

/** How many emoji are shown at most. */
const mostShown = 120

/** What most people want. */
export const popular = ['+1', 'heart', 'tada', 'smile', 'joy', 'eyes', 'check', 'rocket', 'octopus', 'cry']

interface Choice {
  readonly name: string
  readonly names: string
  readonly code: string
  readonly source?: string
}

/** The list of emoji, from which one is picked for a message. */
export function Picker() {
  const client = useClient()
  const dialog = useRef<HTMLDialogElement>(null)
  const [table, setTable] = useState<readonly Choice[]>([])
  const [typed, setTyped] = useState('')
  const message = picking.value === undefined ? undefined : client.state.message(picking.value)
  useEffect(() => {
    if (message === undefined) {
      return
    }
    dialog.current?.showModal()
    setTyped('')
    if (table.length === 0) {
      void import('../emoji').then((emoji) => setTable(emoji.all))
    }
  }, [message])
  if (message === undefined) {
    return null
  }
  const custom = [...client.state.emoji.value.values()].filter((e) => !e.deactivated).map((e) => ({ name: e.name, names: e.name, code: e.id, source: e.source_url }))
  const all = [...custom, ...table]
  const wanted = typed.trim().toLowerCase().replaceAll(' ', '_')
  const shown = wanted === '' ? first(all) : all.filter((e) => e.names.includes(wanted))
  const close = () => (picking.value = undefined)
  const choose = (choice: Choice) => {
    pick(client, message.peek(), choice)
    close()
  }
  return (
    <dialog ref={dialog} class="picker" aria-label={text.emoji} onClose={close}>
      <input
        type="search"
        dir="auto"
        aria-label={text.findEmoji}
        placeholder={text.findEmoji}
        value={typed}
        maxlength={60}
        autofocus
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && shown[0] !== undefined) {
            event.preventDefault()
            choose(shown[0])
          }
        }}
      />
      <div class="picker-all" role="group" aria-label={text.emoji}>
        {shown.slice(0, mostShown).map((e) => (
          <button key={e.code} class="icon" aria-label={e.name.replaceAll('_', ' ')} title={e.name} onClick={() => choose(e)}>
            {e.source === undefined ? characters(e.code) : <img class="emoji" src={e.source} alt="" />}
          </button>
        ))}
        {shown.length === 0 && all.length > 0 ? <p class="hint">{text.noEmoji}</p> : null}
      </div>
    </dialog>
  )
}

/** Returns all emoji, those first that most people want. */
function first(all: readonly Choice[]): readonly Choice[] {
  const wanted = popular.flatMap((name) => all.filter((e) => e.name === name))
  return [...wanted, ...all.filter((e) => !wanted.includes(e))]
}

function pick(client: ReturnType<typeof useClient>, message: Message, choice: Choice): void {
  const mine = message.reactions.some((r) => r.user_id === client.state.self.peek() && r.emoji_code === choice.code)
  if (!mine) {
    react(client, message, { emoji_name: choice.name, emoji_code: choice.code, reaction_type: choice.source === undefined ? 'unicode_emoji' : 'realm_emoji' })
  }
}

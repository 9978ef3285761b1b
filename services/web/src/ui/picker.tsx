import { useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { all as table } from '../emoji'
import { characters } from '../html/content'
import { text } from '../text/text'
import { composes } from './composing'
import { useModal } from './dialog'
import { popular } from './suggestions'

/** What one can pick. */
export interface Choice {
  readonly name: string
  readonly names: string
  readonly code: string
  /** The address of its picture, for those of the organization. */
  readonly source?: string
}

/** How many emoji are found at most, and how many are kept that were used last. */
const mostFound = 120
const mostRecent = 24

/** The groups, each with the first of its emoji in the server's table, and what its button shows. */
const groups = [
  ['smileys', 'grinning', '😀'],
  ['people', 'open_hands', '👋'],
  ['nature', 'puppy', '🐻'],
  ['food', 'green_apple', '🍎'],
  ['activities', 'football', '⚽'],
  ['travel', 'car', '🚗'],
  ['objects', 'watch', '💡'],
  ['symbols', 'heart', '❤️'],
  ['flags', 'white_flag', '🏳️'],
] as const

type Group = (typeof groups)[number][0] | 'recent' | 'custom'

interface Props {
  /** What is done with the emoji that is picked. */
  readonly choose: (choice: Choice) => void
  readonly close: () => void
}

/** The list of emoji, from which one is picked. */
export function Picker({ choose, close }: Props) {
  const { store, state } = useClient()
  const { dialog, closed } = useModal(close)
  const [typed, setTyped] = useState('')
  const [group, setGroup] = useState<Group>('recent')
  const grid = useRef<HTMLDivElement>(null)
  const touched = matchMedia('(pointer: coarse)').matches // most tap what they see, and a keyboard would be over it
  const words = text.acting.emoji
  const custom = [...state.emoji.value.values()].filter((e) => !e.deactivated).map((e) => ({ name: e.name, names: e.name, code: e.id, source: e.source_url }))
  const used = store.read<readonly string[]>('emoji') ?? []
  const all = [...custom, ...table.filter((e) => !custom.some((own) => own.name === e.name))]
  const wanted = typed.trim().toLowerCase().replaceAll(' ', '_')
  const shown = wanted === '' ? membersOf(group, all, custom, used) : found(all, wanted)
  const take = (choice: Choice) => {
    store.write('emoji', [choice.name, ...used.filter((name) => name !== choice.name)].slice(0, mostRecent))
    close()
    choose(choice)
  }
  const arrow = (event: KeyboardEvent) => {
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const to = nextOf(event.key, buttons, at)
    if (to !== undefined) {
      event.preventDefault()
      to.focus()
    }
  }
  const tabs: readonly (readonly [Group, string])[] = [['recent', '🕘'], ...(custom.length === 0 ? [] : [['custom', '★'] as const]), ...groups.map(([name, , sign]) => [name, sign] as const)]
  return (
    <dialog ref={dialog} class="picker" aria-label={text.emoji} onClose={closed}>
      <input
        type="search"
        dir="auto"
        aria-label={text.findEmoji}
        placeholder={text.findEmoji}
        value={typed}
        maxlength={60}
        autofocus={!touched}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (composes(event)) {
            return
          }
          if (event.key === 'Enter' && shown[0] !== undefined) {
            event.preventDefault()
            take(shown[0])
          } else if (event.key === 'ArrowDown') {
            event.preventDefault()
            grid.current?.querySelector('button')?.focus()
          }
        }}
      />
      <div class="picker-groups">
        {tabs.map(([name, sign]) => (
          <button
            key={name}
            type="button"
            class="icon emoji"
            aria-label={words[name]}
            title={words[name]}
            aria-pressed={wanted === '' && name === group}
            autofocus={touched && name === 'recent'}
            onClick={() => {
              setTyped('')
              setGroup(name)
            }}
          >
            {sign}
          </button>
        ))}
      </div>
      <div ref={grid} class="picker-all" role="group" aria-label={wanted === '' ? words[group] : text.emoji} onKeyDown={arrow}>
        {shown.map((e, i) => (
          <button key={e.code} type="button" class="icon" tabIndex={i === 0 ? 0 : -1} aria-label={spoken(e)} title={e.name} onClick={() => take(e)}>
            {e.source === undefined ? characters(e.code) : <img class="emoji" src={e.source} alt="" />}
          </button>
        ))}
        {shown.length === 0 ? <p class="hint">{text.noEmoji}</p> : null}
      </div>
      <p class="hidden" role="status">
        {wanted === '' ? '' : shown.length === 0 ? text.noEmoji : `${text.suggested(shown.length)}: ${spoken(shown[0])}`}
      </p>
    </dialog>
  )
}

/** Returns what an emoji is called when its name is spoken. */
function spoken(choice: Choice | undefined): string {
  return choice?.name.replaceAll('_', ' ') ?? ''
}

/** Returns the emoji of a group. */
function membersOf(group: Group, all: readonly Choice[], custom: readonly Choice[], used: readonly string[]): readonly Choice[] {
  if (group === 'custom') {
    return custom
  }
  if (group === 'recent') {
    return [...new Set([...used, ...popular])].flatMap((name) => all.find((e) => e.name === name) ?? []).slice(0, mostRecent)
  }
  const at = groups.findIndex(([name]) => name === group)
  const index = (first: string | undefined) => (first === undefined ? table.length : table.findIndex((e) => e.name === first))
  return table.slice(index(groups[at]?.[1]), index(groups[at + 1]?.[1]))
}

/** Returns the emoji whose names have what is wanted, those first that begin with it. */
function found(all: readonly Choice[], wanted: string): readonly Choice[] {
  const rank = (e: Choice) => (e.name === wanted ? 0 : e.name.startsWith(wanted) ? 1 : 2)
  return all
    .filter((e) => e.names.includes(wanted))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostFound)
}

/** Returns where an arrow leads in a grid of buttons; undefined: nowhere. */
function nextOf(key: string, buttons: readonly HTMLButtonElement[], at: number): HTMLButtonElement | undefined {
  const top = buttons[0]?.offsetTop ?? 0
  const columns = buttons.filter((button) => button.offsetTop === top).length
  const rtl = document.documentElement.dir === 'rtl' ? -1 : 1
  const by = { ArrowRight: rtl, ArrowLeft: -rtl, ArrowDown: columns, ArrowUp: -columns }[key as 'ArrowRight']
  return at < 0 || by === undefined ? undefined : buttons[at + by]
}

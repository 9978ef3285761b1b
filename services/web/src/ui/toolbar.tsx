import { Bold, ChartBar, Clock, Code, EyeOff, type IconNode, Italic, Link, List, ListChecks, Quote, Sigma, Video } from 'lucide'
import { useRef, useState } from 'preact/hooks'
import type { Format } from '../markdown/format'
import { text } from '../text/text'
import { Icon } from './icon'

/** The formats, each with what its button shows. */
const formats: readonly (readonly [Format, IconNode])[] = [
  ['bold', Bold],
  ['italic', Italic],
  ['code', Code],
  ['link', Link],
  ['quote', Quote],
  ['list', List],
  ['spoiler', EyeOff],
  ['math', Sigma],
  ['time', Clock],
]

/** Those that make something else of a message that is sent. */
const commands: readonly (readonly [Format, IconNode])[] = [
  ['poll', ChartBar],
  ['todo', ListChecks],
]

/** The format that a key stands for, with Ctrl or ⌘. */
export function formatOf(event: KeyboardEvent): Format | undefined {
  if ((!event.ctrlKey && !event.metaKey) || event.altKey) {
    return undefined
  }
  const key = event.key.toLowerCase()
  return event.shiftKey ? (key === 'l' ? 'link' : undefined) : key === 'b' ? 'bold' : key === 'i' ? 'italic' : undefined
}

interface Props {
  readonly format: (format: Format) => void
  readonly previewing: boolean
  readonly preview: (on: boolean) => void
  /** Whether the message is to be sent, and not one that was. */
  readonly sends: boolean
  /** Begins a video call; undefined: there are none. */
  readonly call: (() => void) | undefined
}

/** The buttons over the field: one stop of the Tab key, and arrows within, as toolbars have it. */
export function Toolbar({ format, previewing, preview, sends, call }: Props) {
  const all = [
    ...(sends ? [...formats, ...commands] : formats).map(([one, sign]) => ({ name: one as string, sign, label: text.formats[one], press: () => format(one) })),
    ...(call === undefined ? [] : [{ name: 'call', sign: Video, label: text.call.add, press: call }]),
  ]
  const bar = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const arrow = (event: KeyboardEvent) => {
    const buttons = [...(bar.current?.querySelectorAll('button') ?? [])]
    const [forward, back] = bar.current?.matches(':dir(rtl)') ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
    const by = event.key === forward ? 1 : event.key === back ? buttons.length - 1 : 0
    if (by !== 0) {
      event.preventDefault()
      const to = (current + by) % buttons.length
      setCurrent(to)
      buttons[to]?.focus()
    }
  }
  return (
    <div ref={bar} class="toolbar" role="toolbar" aria-label={text.formatting} onKeyDown={arrow}>
      {all.map(({ name, sign, label, press }, i) => (
        <button
          key={name}
          type="button"
          class="icon"
          tabIndex={i === current ? 0 : -1}
          aria-label={label}
          title={label}
          aria-disabled={previewing}
          onFocus={() => setCurrent(i)}
          onClick={() => (previewing ? undefined : press())}
        >
          <Icon of={sign} />
        </button>
      ))}
      <button
        type="button"
        class="plain"
        tabIndex={current === all.length ? 0 : -1}
        aria-pressed={previewing}
        onFocus={() => setCurrent(all.length)}
        onClick={() => preview(!previewing)}
      >
        {text.preview}
      </button>
    </div>
  )
}

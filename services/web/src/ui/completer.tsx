import type { RefObject } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useClient } from '../client'
import type { Emoji } from '../emoji'
import { characters } from '../html/content'
import { text } from '../text/text'
import { typedAt, type Typed } from './completion'
import { composes } from './composing'
import { insert } from './insert'
import { streamNamed, suggestionsFor, type Suggestion } from './suggestions'

/** The id of the list. */
const listID = 'suggestions'

/** What completes names while they are typed into a field. */
export interface Completer {
  readonly suggestions: readonly Suggestion[]
  readonly active: number
  /** Looks at what is before the caret. */
  look(): void
  /** Closes the list. */
  close(): void
  /** Does what a key means for the list; false: nothing. */
  press(event: KeyboardEvent): boolean
  choose(suggestion: Suggestion): void
}

/** Completes names in a field. */
export function useCompleter(field: RefObject<HTMLTextAreaElement | null>): Completer {
  const client = useClient()
  const [typed, setTyped] = useState<Typed>()
  const [active, setActive] = useState(0)
  const [closed, setClosed] = useState<number>() // where the name begins for which the list was closed
  const [table, setTable] = useState<readonly Emoji[]>([])
  const open = typed !== undefined && typed.start !== closed
  const stream = typed?.kind === 'topic' ? streamNamed(client, typed.stream) : undefined
  const topics = stream === undefined ? undefined : client.state.topics.value.get(stream)
  const { groups, inactive, streams, users } = client.state
  const suggestions = useMemo( // not with each message that comes: what somebody is about to choose stays where it is
    () => (open ? suggestionsFor(client, typed, table) : []),
    [open, typed, table, topics, groups.value, inactive.value, streams.value, users.value],
  )
  useEffect(() => {
    if (typed?.kind === 'emoji' && table.length === 0) {
      import('../emoji').then(
        (emoji) => setTable(emoji.all),
        () => {}, // the next emoji asks again
      )
    }
  }, [typed?.kind])
  useEffect(() => {
    if (stream !== undefined && !client.state.topics.peek().has(stream)) {
      void client.need(() => client.history.topics(stream))
    }
  }, [stream])

  const look = () => {
    const { current } = field
    const now = current === null || current.selectionStart !== current.selectionEnd ? undefined : typedAt(current.value, current.selectionStart)
    if (now?.kind !== typed?.kind || now?.start !== typed?.start || now?.query !== typed?.query) {
      setActive(0)
    }
    if (now?.start !== closed) {
      setClosed(undefined)
    }
    setTyped(now)
  }
  const choose = (suggestion: Suggestion) => {
    const { current } = field
    if (current === null || typed === undefined) {
      return
    }
    const next = current.value[current.selectionEnd]
    const { markdown } = suggestion
    const written = markdown.endsWith('\n') ? (next === '\n' ? markdown.slice(0, -1) : markdown) : next === ' ' ? markdown : `${markdown} `
    insert(current, typed.start, current.selectionEnd, written)
    setTyped(undefined)
  }
  const press = (event: KeyboardEvent) => {
    const chosen = suggestions[active]
    if (chosen === undefined || composes(event) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) {
      return false
    }
    switch (event.key) {
      case 'ArrowDown':
        setActive((active + 1) % suggestions.length)
        return true
      case 'ArrowUp':
        setActive((active + suggestions.length - 1) % suggestions.length)
        return true
      case 'Enter':
      case 'Tab':
        choose(chosen)
        return true
      case 'Escape':
        setClosed(typed?.start)
        return true
      default:
        return false
    }
  }
  return { suggestions, active, look, close: () => setTyped(undefined), press, choose }
}

/**
 * What a field says about its list to those who don't see it. A field of several lines can't have the role of a combobox, so that
 * Suggestions says how many there are.
 */
export function describe({ suggestions, active }: Completer) {
  const chosen = suggestions[active]
  const about = { 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox' } as const
  return chosen === undefined ? about : { ...about, 'aria-controls': listID, 'aria-activedescendant': idOf(chosen) }
}

/** The id of a suggestion in the list. */
function idOf(suggestion: Suggestion): string {
  return `suggested-${suggestion.key}`
}

/** The list over a field. */
export function Suggestions({ completer }: { readonly completer: Completer }) {
  const { suggestions, active } = completer
  return (
    <>
      <p class="hidden" role="status">
        {suggestions.length === 0 ? '' : text.suggested(suggestions.length)}
      </p>
      {suggestions.length === 0 ? null : (
        <ul id={listID} class="suggestions" role="listbox" aria-label={text.suggestions}>
          {suggestions.map((one, i) => (
            <li
              key={one.key}
              id={idOf(one)}
              role="option"
              aria-selected={i === active}
              onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
              onClick={() => completer.choose(one)}
            >
              {one.code === undefined ? null : <span class="emoji">{characters(one.code)}</span>}
              {one.source === undefined ? null : <img class="emoji" src={one.source} alt="" />}
              <span class="name">
                <bdi>{one.label}</bdi>
              </span>{' '}
              <span class="detail">
                <bdi>{one.detail}</bdi>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

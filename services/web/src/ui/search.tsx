import { X } from 'lucide'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { sameNarrow, wireOf, type Narrow, type Term } from '../state/narrow'
import { firstSince, lastBefore } from '../sync/since'
import { text } from '../text/text'
import { composes } from './composing'
import { Icon } from './icon'
import { read, type Moment } from './query'
import { foundFor, isPlain, lastWord, streamOf, type Found } from './searching'
import { wordsOf } from './title'

/** The id of the field, to which a key leads, and of the list below it. */
export const searchID = 'search'
const listID = 'search-found'

/** The field for searches: terms are pills, which can be removed, and words follow them. What one chooses from the list is searched for at once. */
export function Search() {
  const client = useClient()
  const { narrow, recent } = client.destination.value
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [terms, setTerms] = useState<readonly Term[]>([])
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [problem, setProblem] = useState('')
  const found = open ? foundFor(client, typed, terms) : []
  const chosen = found[active]
  const completed = chosen ?? (lastWord(typed).word.includes(':') ? found[0] : undefined)
  const stream = streamOf(terms)

  /** Shows a narrow, with more after its words. */
  const show = (all: Narrow, after = '') => {
    const words = wordsOf(client, all.filter((term) => term.operator === 'search'))
    setTerms(all.filter((term) => term.operator !== 'search'))
    setTyped(words === '' ? '' : words + after)
  }
  const searched = useRef<Narrow | undefined>(undefined) // until it is on screen
  useLayoutEffect(() => { // before something is typed
    const typing = document.activeElement === field.current
    const own = searched.current !== undefined && sameNarrow(searched.current, narrow)
    searched.current = undefined
    if (own && typing) {
      return // more may be typed by now
    }
    show(isPlain(client, narrow) && !typing ? [] : narrow)
    setProblem('')
    setOpen(false)
    setActive(-1)
  }, [narrow, recent])
  useEffect(() => {
    if (stream !== undefined && /topic:[^\s]*$/.test(typed) && !client.state.topics.peek().has(stream)) {
      void client.need(() => client.history.topics(stream))
    }
  }, [stream, typed])

  /** Searches for the pills and what was typed beside them. */
  const search = (pills: readonly Term[], words: string): boolean => {
    const query = read(words, client.state)
    if ('unknown' in query) {
      setProblem(query.unknown.endsWith(':') ? text.begunTerm(query.unknown) : text.unknownTerm(query.unknown))
      return false
    }
    const wanted = [...pills, ...query.narrow]
    setOpen(false)
    show(wanted, / $/.test(words) ? ' ' : '')
    searched.current = sameNarrow(wanted, narrow) ? undefined : wanted
    if (query.at === undefined) {
      client.go({ narrow: wanted })
    } else {
      void openAt(client, wanted, query.at)
    }
    return true
  }
  const choose = (one: Found) => {
    const before = typed.slice(0, lastWord(typed).start)
    setActive(-1)
    field.current?.focus()
    if (one.narrow !== undefined && typed.trim() !== '') {
      search(one.narrow, typed)
    } else if (one.narrow !== undefined) {
      setTerms(one.narrow)
      setOpen(false)
    } else if (one.day === true) {
      search(terms, `${before}${one.label}`)
    } else if (one.term === undefined) {
      setTyped(before + (one.typed ?? ''))
    } else {
      search([...terms, one.term], before)
    }
  }
  const remove = (term: Term) => {
    field.current?.focus()
    search(terms.filter((t) => t !== term), typed)
  }
  const key = (event: KeyboardEvent) => {
    if (composes(event)) {
      return
    }
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const last = terms.at(-1)
    if (by !== 0) {
      setOpen(true)
      setActive(found.length === 0 ? -1 : ((active + 1 + by + found.length + 1) % (found.length + 1)) - 1)
    } else if (event.key === 'Enter' && chosen !== undefined) {
      choose(chosen)
    } else if (event.key === 'Tab' && !event.shiftKey && completed !== undefined) {
      choose(completed)
    } else if (event.key === 'Escape' && found.length > 0) {
      setOpen(false)
    } else if (event.key === 'Backspace' && typed === '' && last !== undefined) {
      remove(last)
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const isEmpty = terms.length === 0 && typed.trim() === '' && isPlain(client, narrow) // nobody wants to leave the place by that
        if (isEmpty || search(terms, typed)) {
          document.getElementById('messages')?.focus()
        }
      }}
    >
      <div class="search-box" onClick={() => field.current?.focus()}>
        {terms.length === 0 ? null : (
          <ul class="pills" aria-label={text.reading.searching.terms}>
            {terms.map((term) => (
              <Pill key={JSON.stringify(term)} name={wordsOf(client, [term])} remove={() => remove(term)} />
            ))}
          </ul>
        )}
        <input
          ref={field}
          id={searchID}
          type="text"
          enterkeyhint="search"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          placeholder={terms.length === 0 ? text.search : ''}
          aria-label={text.search}
          title={text.searchHint}
          maxlength={500}
          aria-describedby="search-problem"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={listID}
          aria-activedescendant={chosen === undefined ? undefined : idOf(chosen)}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setProblem('')
            setOpen(true)
            setActive(-1)
          }}
          onKeyDown={key}
          onBlur={() => setOpen(false)}
        />
      </div>
      <ul id={listID} class="suggestions" role="listbox" aria-label={text.suggestions} hidden={found.length === 0}>
        {found.map((one, i) => (
          <li
            key={one.key}
            id={idOf(one)}
            role="option"
            aria-selected={i === active}
            onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
            onClick={() => choose(one)}
          >
            <bdi class="name">{one.label}</bdi> <bdi class="detail">{one.detail}</bdi>
          </li>
        ))}
      </ul>
      <p class="hidden" role="status">
        {found.length === 0 ? '' : text.suggested(found.length)}
      </p>
      <p id="search-problem" class="problem" role="alert">
        {problem}
      </p>
    </form>
  )
}

/** Opens a narrow at the first message from a time on, or at the last one before it; at the end if there is none. */
async function openAt(client: Client, narrow: Narrow, { time, before }: Moment): Promise<void> {
  const { visits } = client
  const visit = visits.peek()
  await client.act(async () => {
    const id = await (before ? lastBefore : firstSince)(wireOf(narrow, client.state.self.peek()), time.getTime() / 1000)
    if (visits.peek() === visit) { // nobody has gone elsewhere meanwhile
      client.go(id === undefined ? { narrow } : { narrow, near: id })
    }
  })
}

function Pill({ name, remove }: { readonly name: string; readonly remove: () => void }) {
  return (
    <li class="chip">
      <bdi>{name}</bdi>
      <button type="button" class="icon" aria-label={text.reading.searching.removeTerm(name)} onClick={remove}>
        <Icon of={X} />
      </button>
    </li>
  )
}

function idOf(one: Found): string {
  return `found-${one.key}`
}

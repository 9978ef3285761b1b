import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { everywhere, lookedAt } from '../state/recent'
import { text } from '../text/text'
import { rank } from './completion'
import { composes } from './composing'
import { Count } from './count'
import { Dialog } from './dialog'
import { goalsOf, searchFor, type Goal } from './goals'

/** How many goals are shown at most. */
const most = 10

/** How long Enter waits at most for messages that are being fetched, in milliseconds from the beginning. */
const longest = 10_000

/** Goes to whatever one types a part of the name of. */
export function Switcher({ close }: { readonly close: () => void }) {
  const client = useClient()
  const [goals, setGoals] = useState(() => goalsOf(client))
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [newest] = useState(() => client.state.view(everywhere))
  const [fetching, setFetching] = useState(newest.ids.peek() === undefined)
  const [entered, setEntered] = useState(false) // before what is typed was found
  const query = typed.trim()
  const before = useRef({ query, ranked: [] as readonly Goal[] })
  const ranked = useMemo(() => {
    const { current } = before
    const stays = query === current.query && current.ranked.length > 0 // what one is about to choose stays where it is
    before.current = stays ? current : { query, ranked: rank(goals, query.replace(/^[#@]/, ''), most) }
    return before.current.ranked
  }, [query, goals])
  const found = [...ranked, ...(query === '' ? [] : [searchFor(query)])]
  useEffect(() => {
    if (!fetching) {
      return
    }
    const timer = setTimeout(setFetching, longest, false)
    void client.history.newest(newest, lookedAt).then(() => {
      setGoals(goalsOf(client))
      setFetching(false)
    })
    return () => clearTimeout(timer)
  }, [])
  const go = (goal: Goal) => {
    close()
    client.go(goal.to)
  }
  useLayoutEffect(() => {
    const [first] = found
    if (entered && !fetching && first !== undefined) {
      go(first)
    }
  }, [fetching])
  const key = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? found.length - 1 : 0
    const goal = found[at]
    if (composes(event) || goal === undefined || (by === 0 && event.key !== 'Enter')) {
      return
    }
    event.preventDefault()
    if (by === 0 && fetching && ranked.length === 0) {
      setEntered(true)
    } else if (by === 0) {
      go(goal)
    } else {
      setAt((at + by) % found.length)
    }
  }
  return (
    <Dialog class="switcher" title={text.goTo} onClose={close}>
      <input
        type="text"
        autofocus
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        maxlength={200}
        placeholder={text.goToHint}
        aria-label={text.goToHint}
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls="goals"
        aria-activedescendant={found.length > 0 ? `goal-${at}` : undefined}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
          setEntered(false)
        }}
        onKeyDown={key}
      />
      <ul id="goals" class="goals" role="listbox" aria-label={text.suggestions}>
        {found.map((goal, i) => (
          <li key={goal.key} id={`goal-${i}`} role="option" aria-selected={i === at} onMouseDown={(event) => event.preventDefault()} onClick={() => go(goal)}>
            <bdi class="name">{goal.label}</bdi> <bdi class="detail">{goal.detail}</bdi>
            <Count count={goal.count} loud={false} />
          </li>
        ))}
      </ul>
      <p class={entered ? 'hint' : 'hidden'} role="status">
        {entered ? text.loading : query === '' ? '' : text.suggested(found.length)}
      </p>
    </Dialog>
  )
}

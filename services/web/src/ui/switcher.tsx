import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
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

/** Goes to whatever one types a part of the name of. */
export function Switcher({ close }: { readonly close: () => void }) {
  const client = useClient()
  const [goals, setGoals] = useState(() => goalsOf(client))
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
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
    const { history, state } = client
    const view = state.view(everywhere)
    if (view.ids.peek() === undefined) {
      void history.newest(view, lookedAt).then(() => setGoals(goalsOf(client)))
    }
  }, [])
  const go = (goal: Goal) => {
    close()
    client.go(goal.to)
  }
  const key = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? found.length - 1 : 0
    const goal = found[at]
    if (composes(event) || goal === undefined || (by === 0 && event.key !== 'Enter')) {
      return
    }
    event.preventDefault()
    if (by === 0) {
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
        onInput={(event) => (setTyped(event.currentTarget.value), setAt(0))}
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
      <p class="hidden" role="status">
        {query === '' ? '' : text.suggested(found.length)}
      </p>
    </Dialog>
  )
}

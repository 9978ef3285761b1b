import { signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { text } from '../text/text'
import { useModal } from './dialog'

/** A question to which the answer is yes or no. */
export interface Question {
  readonly title: string
  /** What follows from a yes. */
  readonly sentence?: string
  /** What the button does that means yes. */
  readonly yes: string
  /** What the other one says; undefined: "Cancel". */
  readonly no?: string
  /** Whether a yes can't be taken back. */
  readonly danger?: boolean
}

interface Asked {
  readonly question: Question
  readonly answer: (yes: boolean) => void
}

const asked = signal<readonly Asked[]>([])

/** Asks the user, and returns whether the answer is yes. Whoever closes the question means no. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((answer) => (asked.value = [...asked.peek(), { question, answer }]))
}

/** The question that is asked, one after the other; the page has it once. */
export function Asking() {
  const [first, ...rest] = asked.value
  if (first === undefined) {
    return null
  }
  const answer = (yes: boolean) => {
    asked.value = rest
    first.answer(yes)
  }
  return <Ask key={asked.value.length} question={first.question} answer={answer} />
}

function Ask({ question, answer }: { readonly question: Question; readonly answer: (yes: boolean) => void }) {
  const { dialog, closed } = useModal(() => answer(false))
  const title = useId()
  const sentence = useId()
  const danger = question.danger ?? false
  return (
    <dialog ref={dialog} class="ask" role="alertdialog" aria-labelledby={title} aria-describedby={sentence} onClose={closed}>
      <h2 id={title}>{question.title}</h2>
      <p id={sentence}>{question.sentence}</p>
      <p class="buttons">
        <button type="button" autofocus={danger} onClick={() => answer(false)}>
          {question.no ?? text.cancel}
        </button>
        <button type="button" class={danger ? 'danger' : 'primary'} autofocus={!danger} onClick={() => answer(true)}>
          {question.yes}
        </button>
      </p>
    </dialog>
  )
}

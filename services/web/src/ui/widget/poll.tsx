import { Pencil } from 'lucide'
import { useState } from 'preact/hooks'
import { useClient } from '../../client'
import type { Message } from '../../state/model'
import type { Option, Poll as Known } from '../../state/widget'
import { list, text } from '../../text/text'
import { Icon } from '../icon'
import { namesOf } from '../names'
import { useNumbers } from './numbers'
import { OneField } from './onefield'
import { typedIn } from './typed'
import type { Add } from './widget'

/** How many of those who chose an option are named. */
const named = 12

interface Props {
  readonly message: Message
  readonly poll: Known
  readonly add: Add
  readonly problemID: string
}

/** A question, whose options can be chosen and added to. Its author can change it. */
export function Poll({ message, poll, add, problemID }: Props) {
  const { state } = useClient()
  const number = useNumbers(poll.next)
  const mine = message.sender_id === state.self.value
  const words = text.reading
  const id = `poll-${message.id}`
  const question = `${id}-question`
  const [asking, setAsking] = useState(() => typedIn(question) !== undefined)
  const all = new Set(poll.options.flatMap((option) => option.voters)).size
  const hasOption = (name: string) => poll.options.some((option) => option.name === name)
  return (
    <section class="poll" aria-labelledby={id}>
      <p class="widget-title">
        <strong id={id} dir="auto">
          {poll.question === '' ? words.poll : poll.question}
        </strong>
        {mine && !asking ? (
          <button class="icon" aria-label={words.editQuestion} title={words.editQuestion} onClick={() => setAsking(true)}>
            <Icon of={Pencil} />
          </button>
        ) : null}
      </p>
      {asking ? (
        <OneField
          name={question}
          label={words.question}
          button={text.save}
          value={poll.question}
          problemID={problemID}
          close={() => setAsking(false)}
          done={async (typed) => {
            const done = typed === '' || typed === poll.question || (await add({ type: 'question', question: typed }))
            setAsking(!done)
            return done
          }}
        />
      ) : null}
      <ul class="options">
        {poll.options.map((option) => (
          <li key={option.key}>
            <Choice option={option} all={all} choose={(chosen) => void add({ type: 'vote', key: option.key, vote: chosen ? 1 : -1 })} />
          </li>
        ))}
      </ul>
      <OneField
        name={`${id}-option`}
        label={words.newOption}
        button={words.addOption}
        value=""
        problemID={problemID}
        done={(option) => (option === '' ? Promise.resolve(false) : add(hasOption(option) ? undefined : { type: 'new_option', idx: number(), option }))}
      />
    </section>
  )
}

function Choice({ option, all, choose }: { readonly option: Option; readonly all: number; readonly choose: (chosen: boolean) => void }) {
  const { state } = useClient()
  const { voters } = option
  const mine = voters.includes(state.self.value)
  const names = namesOf(state, voters).slice(0, named)
  const more = voters.length - names.length
  return (
    <button class="poll-option" aria-pressed={mine} style={{ '--share': all === 0 ? '0%' : `${(100 * voters.length) / all}%` }} onClick={() => choose(!mine)}>
      <span class="votes">
        {voters.length}
        <span class="hidden"> {text.reading.votes(voters.length)}:</span>
      </span>
      <span class="poll-option-name" dir="auto">
        {option.name}
      </span>
      <span class="voters">{list(more > 0 ? [...names, text.reading.others(more)] : names)}</span>
    </button>
  )
}

import { X } from 'lucide'
import '../../style/form.css'
import '../../style/lists.css'
import { useState } from 'preact/hooks'
import { call } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { Avatar } from '../avatar'
import { folded } from '../completion'
import { useFetched } from '../fetched'
import { Form } from '../form/form'
import { Many } from '../form/many'
import { Icon } from '../icon'
import { allPeople, groupsAmong } from '../people'
import { canAddTo } from '../rights'
import { addPeople } from '../stream'

/** How many members are listed at most. */
const mostShown = 100

/** Who is subscribed to a stream; people are added and removed by those who may. They are fetched when they are first shown, and events keep them. */
export function Members({ id }: { readonly id: number }) {
  const client = useClient()
  const { state } = client
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [problem, setProblem] = useState('')
  const words = text.acting.streams
  const members = state.members.value.get(id)
  useFetched(members === undefined, () => client.attempt(() => client.history.members(id)).then(setProblem), id)
  const name = state.streamName(id)
  const add = async () => {
    await addPeople(client, id, chosen)
    setChosen([])
  }
  const remove = (user: number) => void client.act(() => call('DELETE /users/me/subscriptions', { subscriptions: [name], principals: [user] }))
  const all = state.active.value.filter((user) => members?.has(user.user_id)).map((user) => ({ id: user.user_id, name: state.nameOf(user.user_id) }))
  const wanted = folded(typed.trim())
  const matching = all.filter((one) => folded(one.name).includes(wanted))
  const others = allPeople(client, true).filter((one) => members?.has(one.id) !== true)
  return (
    <section>
      <h3>{members === undefined ? text.people : words.members(all.length)}</h3>
      <p class="problem" role="alert">
        {problem}
      </p>
      {canAddTo(client, id) ? (
        <Form action={words.add} label={words.addPeople} submit={() => (chosen.length === 0 ? Promise.resolve() : add())}>
          <Many label={words.addPeople} hint={words.addPeopleHint} from={[...others, ...groupsAmong(client, others)]} chosen={chosen} choose={setChosen} />
        </Form>
      ) : null}
      {all.length > 10 ? (
        <input type="search" dir="auto" aria-label={words.findMember} placeholder={words.findMember} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      ) : null}
      <ul class="listed">
        {matching.slice(0, mostShown).map((one) => (
          <li key={one.id} class="member">
            <Avatar user={one.id} size={24} /> <bdi>{one.name}</bdi>
            {state.isAdmin.value && one.id !== state.self.value ? (
              <button type="button" class="icon" aria-label={words.removeMember(one.name)} title={words.removeMember(one.name)} onClick={() => remove(one.id)}>
                <Icon of={X} />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {matching.length > mostShown ? <p class="hint">{words.more(matching.length - mostShown)}</p> : null}
    </section>
  )
}

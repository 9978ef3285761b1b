import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { Stream } from '../../state/model'
import { text } from '../../text/text'
import { useAction } from './action'
import { allPeople } from './choices'
import { Many } from '../form/many'
import { Problem } from './problem'
import { Cell, Rows } from './rows'

/** Who is subscribed to a stream: they are fetched once somebody wants to see them, and events keep them. */
export function StreamMembers({ stream }: { readonly stream: Stream }) {
  const client = useClient()
  const { state } = client
  const [adding, setAdding] = useState<readonly number[]>([])
  const [open, setOpen] = useState(false)
  const action = useAction()
  const words = text.administration.streams
  const { stream_id: id, name } = stream
  const members = state.members.value.get(id)
  const fetched = members !== undefined
  useEffect(() => {
    if (open && !fetched) {
      void action.run(() => client.history.members(id))
    }
  }, [open, fetched, id])
  const add = async () => {
    if (await action.run(() => call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: adding }))) {
      setAdding([])
    }
  }
  const remove = (user: number) => void action.run(() => call('DELETE /users/me/subscriptions', { subscriptions: [name], principals: [user] }))
  const shown = [...(members ?? [])].filter((user) => !state.inactive.value.has(user)).map((user) => ({ id: user, name: state.nameOf(user) }))
  return (
    <details class="apart" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{fetched ? words.membersCount(shown.length) : words.members}</summary>
      <Problem>{action.problem}</Problem>
      <Many label={words.addMembers} from={allPeople(client, true).filter((one) => members?.has(one.id) !== true)} chosen={adding} choose={setAdding} />
      {adding.length === 0 ? null : (
        <p class="field-buttons">
          <button class="primary" disabled={action.busy} onClick={() => void add()}>
            {words.subscribe}
          </button>
        </p>
      )}
      {fetched ? (
        <Rows label={words.members} items={shown.sort((a, b) => a.name.localeCompare(b.name))} keyOf={(one) => one.id} columns={[words.member, words.doing]} class="members">
          {(one) => (
            <>
              <Cell>
                <span dir="auto">{one.name}</span>
              </Cell>
              <Cell>
                <button class="plain" disabled={action.busy} aria-label={words.unsubscribeOf(one.name)} onClick={() => remove(one.id)}>
                  {words.unsubscribe}
                </button>
              </Cell>
            </>
          )}
        </Rows>
      ) : null}
    </details>
  )
}

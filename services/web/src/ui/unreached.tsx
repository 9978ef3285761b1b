import { useMemo } from 'preact/hooks'
import { useClient } from '../client'
import { mentionedIn } from '../markdown/names'
import type { TopicPlace } from '../state/conversation'
import type { State } from '../state/state'
import { list, text } from '../text/text'
import { useFetched } from './fetched'
import { canAddTo } from './rights'
import { addPeople } from './stream'

/** Says whom a message mentions in vain, since they aren't subscribed to its stream, and adds them for those who may. */
export function Unreached({ place: { stream }, content, added }: { readonly place: TopicPlace; readonly content: string; readonly added: () => void }) {
  const client = useClient()
  const { state } = client
  const users = state.users.value
  const mentioned = useMemo(() => peopleIn(state, content), [content, users])
  const members = state.members.value.get(stream)
  useFetched(mentioned.length > 0 && members === undefined, () => client.attempt(() => client.history.members(stream)), stream)
  const missing = members === undefined ? [] : mentioned.filter((id) => !members.has(id))
  const add = async () => {
    if (await client.act(() => addPeople(client, stream, missing))) {
      added()
    }
  }
  return (
    <div class="unreached" role="status">
      {missing.length === 0 ? null : (
        <p>
          {text.unreached(list(missing.map((id) => state.nameOf(id))))}{' '}
          {canAddTo(client, stream) ? (
            <button type="button" class="plain" onClick={() => void add()}>
              {text.addToStream}
            </button>
          ) : null}
        </p>
      )}
    </div>
  )
}

/** Returns the people whom a message mentions; bots get what mentions them in any case. */
function peopleIn(state: State, content: string): readonly number[] {
  const named = mentionedIn(content)
  const active = named.length === 0 ? [] : state.activePeople.value
  const found = named.flatMap(({ name, id }) => active.find((user) => user.user_id === (id ?? user.user_id) && user.full_name.toLowerCase() === name.toLowerCase()) ?? [])
  return [...new Set(found.map((user) => user.user_id))].filter((id) => id !== state.self.value)
}

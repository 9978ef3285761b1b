import { useClient } from '../../client'
import { moment, text } from '../../text/text'
import { hereOfPerson } from '../presence'

/** Says whether somebody is there, or when they were there last. */
export function HereText({ id }: { readonly id: number }) {
  const { state } = useClient()
  const here = hereOfPerson(state, id)
  const { active = 0, idle = 0 } = state.presences.value.get(id) ?? {}
  const last = Math.max(active, idle)
  if (here === 'away') {
    return <>{last === 0 ? text.profiles.away : text.profiles.lastSeen(moment(new Date(last * 1000)))}</>
  }
  return <>{here === 'active' ? text.online : text.idle}</>
}

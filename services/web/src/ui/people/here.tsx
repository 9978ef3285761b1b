import { useClient } from '../../client'
import { text } from '../../text/text'
import { hereOfPerson } from '../presence'

/** A dot that says whether somebody is there. */
export function HereMark({ person }: { readonly person: number }) {
  const { state } = useClient()
  const here = hereOfPerson(state, person)
  return here === 'away' ? <span class="here" aria-hidden="true" /> : <span class={`here ${here}`} role="img" aria-label={here === 'active' ? text.online : text.idle} />
}

import '../../style/form.css'
import '../../style/people.css'
import { Group } from './group'
import { Person } from './person'
import type { Shown } from './shown'
import { OwnStatus } from './status'

/** The dialog about a person, a group, or one's own status. */
export function PeopleDialog({ what }: { readonly what: Shown }) {
  if (what === 'status') {
    return <OwnStatus />
  }
  return 'person' in what ? <Person key={what.person} id={what.person} /> : <Group key={what.group} id={what.group} />
}

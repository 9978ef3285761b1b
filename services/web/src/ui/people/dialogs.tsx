import { useState } from 'preact/hooks'
import '../../style/form.css'
import '../../style/people.css'
import { Group } from './group'
import { Person } from './person'
import type { Shown } from './shown'
import { OwnStatus } from './status'

/** The dialog about a person, a group, or one's own status. From there it goes on to others. */
export function PeopleDialog({ what: first, close }: { readonly what: Shown; readonly close: () => void }) {
  const [what, show] = useState(first)
  if (what === 'status') {
    return <OwnStatus close={close} />
  }
  return 'person' in what ? <Person key={what.person} id={what.person} show={show} close={close} /> : <Group key={what.group} id={what.group} show={show} close={close} />
}

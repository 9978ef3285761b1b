import { useClient } from '../../client'
import type { User } from '../../state/model'
import type { ProfileField } from '../../state/organization'
import { text } from '../../text/text'
import { answersOf, choicesOf, fieldTypes } from '../administration/fieldtypes'
import { Many } from '../form/many'
import { SelectField } from '../form/chosen'
import { useSaving } from '../form/saving'
import { TextField } from '../form/typed'

/** The longest answers of short and of long text, in characters. */
const longestShort = 50
const longestLong = 500

interface Props {
  readonly user: User
  readonly field: ProfileField
  /** Saves an answer; an empty one removes it. */
  readonly store: (answer: string | readonly number[]) => Promise<unknown>
}

/** Somebody's answer to a question of profiles, to be changed. */
export function AnswerField({ user, field, store }: Props) {
  const value = user.profile_data?.[field.id]?.value ?? ''
  const shared = { label: field.name, hint: field.hint, value, save: store }
  switch (field.type) {
    case fieldTypes.choice:
      return <SelectField {...shared} options={[{ value: '', name: text.administration.noAnswer }, ...choicesOf(field)]} />
    case fieldTypes.people:
      return <People field={field} chosen={answersOf(value)} store={store} />
    case fieldTypes.long:
      return <TextField {...shared} long most={longestLong} />
    case fieldTypes.date:
      return <TextField {...shared} type="date" />
    case fieldTypes.link:
      return <TextField {...shared} type="url" />
    default:
      return <TextField {...shared} most={longestShort} />
  }
}

function People({ field, chosen, store }: Omit<Props, 'user'> & { readonly chosen: readonly number[] }) {
  const { state } = useClient()
  const saving = useSaving(chosen, store, false)
  const from = state.activePeople.value.map((user) => ({ id: user.user_id, name: state.nameOf(user.user_id) }))
  return <Many label={field.name} hint={field.hint} from={from} chosen={saving.value} choose={(ids) => void saving.save(ids)} problem={saving.problem} />
}

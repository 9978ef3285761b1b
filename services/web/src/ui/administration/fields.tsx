import { ArrowDown, ArrowUp } from 'lucide'
import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { ProfileField } from '../../state/organization'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Icon } from '../icon'
import { useAction } from './action'
import { Field } from './field'
import { isGiven } from './fieldtypes'
import { Problem } from './problem'

/** The questions that people answer in their profiles, in their order. */
export function Fields() {
  const { profileFields } = useClient().state.organization
  const [open, setOpen] = useState<number | 'new'>()
  const words = text.administration.fields
  const opened = profileFields.value.find((field) => field.id === open) // others may change or delete it meanwhile
  return (
    <>
      <p>{words.hint}</p>
      <p class="field-buttons">
        <button class="primary" onClick={() => setOpen('new')}>
          {words.add}
        </button>
      </p>
      {profileFields.value.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ol class="cards" aria-label={words.list}>
        {profileFields.value.map((field, i) => (
          <Question key={field.id} field={field} at={i} change={() => setOpen(field.id)} />
        ))}
      </ol>
      {open === 'new' ? <Field onClose={() => setOpen(undefined)} /> : opened && <Field field={opened} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Question({ field, at, change }: { readonly field: ProfileField; readonly at: number; readonly change: () => void }) {
  const { profileFields } = useClient().state.organization
  const action = useAction()
  const words = text.administration.fields
  const types: Readonly<Record<number, string>> = words.types
  const order = profileFields.value.map((one) => one.id)
  const move = (to: number) => {
    if (to < 0 || to >= order.length) {
      return
    }
    const rest = order.filter((id) => id !== field.id)
    void action.run(() => call('PATCH /realm/profile_fields', { order: [...rest.slice(0, to), field.id, ...rest.slice(to)] }))
  }
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(field.name), sentence: words.removeHint, yes: text.remove, danger: true })) {
      await action.run(() => call('DELETE /realm/profile_fields/{field_id}', { field_id: field.id }))
    }
  }
  return (
    <li class="card">
      <div dir="auto">
        <strong>{field.name}</strong> <span class="soft">{types[field.type]}</span>
        <p>{field.hint}</p>
        <Problem>{action.problem}</Problem>
      </div>
      <span class="field-buttons">
        <button class="icon" aria-label={words.upOf(field.name)} title={words.up} aria-disabled={at === 0} onClick={() => move(at - 1)}>
          <Icon of={ArrowUp} />
        </button>
        <button class="icon" aria-label={words.downOf(field.name)} title={words.down} aria-disabled={at === order.length - 1} onClick={() => move(at + 1)}>
          <Icon of={ArrowDown} />
        </button>
        {isGiven(field) ? null : (
          <button aria-label={words.changeOf(field.name)} onClick={change}>
            {text.edit}
          </button>
        )}
        <button aria-disabled={action.busy} aria-label={words.removeOf(field.name)} onClick={() => void remove()}>
          {text.remove}
        </button>
      </span>
    </li>
  )
}

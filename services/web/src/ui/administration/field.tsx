import { X } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, type CallError } from '../../api/request'
import { useClient } from '../../client'
import type { ExternalAccount, ProfileField } from '../../state/organization'
import { text } from '../../text/text'
import { Dialog } from '../dialog'
import { Form, Input, Select } from '../form/form'
import { Icon } from '../icon'
import { onceRendered } from '../rendered'
import { accountOf, choicesOf, customAccount as custom, dataOf, fieldTypes, merged, type Choice } from './fieldtypes'

/** The longest name and hint, in characters. */
const longestName = 40
const longestHint = 80

/** Adds a profile field, or edits one. */
export function Field({ field, onClose }: { readonly field?: ProfileField; readonly onClose: () => void }) {
  const { settings, organization: { profileFields } } = useClient().state
  const [type, setType] = useState(String(field?.type ?? fieldTypes.short))
  const [choices, setChoices] = useState<readonly Choice[]>(field?.type === fieldTypes.choice ? choicesOf(field) : [{ value: '', name: '' }])
  const known = useRef(field)
  useEffect(() => {
    const before = known.current
    known.current = field
    if (before !== undefined && field?.type === fieldTypes.choice) {
      setChoices((own) => merged(own, choicesOf(before), choicesOf(field)))
    }
  }, [field?.field_data])
  const [account, setAccount] = useState(field?.type === fieldTypes.account ? accountOf(field).subtype : custom)
  const words = text.administration.fields
  const types: Readonly<Record<number, string>> = words.types
  const accounts = (settings.value['realm_default_external_accounts'] ?? {}) as Readonly<Record<string, ExternalAccount>>
  const given = type === String(fieldTypes.account) && account !== custom // the server knows its name and its hint
  const data = (pattern: string): object | undefined => {
    if (type === String(fieldTypes.choice)) {
      return dataOf(choices)
    }
    return type !== String(fieldTypes.account) ? undefined : account === custom ? { subtype: custom, url_pattern: pattern } : { subtype: account }
  }
  const save = async ({ name = '', hint = '', url_pattern = '' }: Readonly<Record<string, string>>) => {
    const of = data(url_pattern)
    const params = { name, hint, ...(of === undefined ? {} : { field_data: of as never }) }
    await (field === undefined
      ? call('POST /realm/profile_fields', { ...params, field_type: Number(type) })
      : call('PATCH /realm/profile_fields/{field_id}', { ...params, field_id: field.id }))
  }
  return (
    <Dialog title={field?.name ?? words.add} class="panel" onClose={onClose}>
      <Form action={field === undefined ? words.make : text.save} submit={save} made={({ name = '' }) => profileFields.peek().some((one) => one.id !== field?.id && one.name === name.trim())} done={onClose} blame={blame}>
        {field === undefined ? (
          <Select name="field_type" label={words.type} value={type} options={Object.values(fieldTypes).map((one) => ({ value: String(one), name: types[one] ?? '' }))} change={setType} />
        ) : null}
        {type === String(fieldTypes.account) ? (
          <Select
            name="account"
            label={words.account}
            value={account}
            options={[...Object.entries(accounts).map(([value, one]) => ({ value, name: one.name })), { value: custom, name: words.otherAccount }]}
            change={setAccount}
          />
        ) : null}
        {given ? null : (
          <>
            <Input name="name" label={words.name} value={field?.name ?? ''} most={longestName} required />
            <Input name="hint" label={words.hintLabel} hint={words.hintHint} value={field?.hint ?? ''} most={longestHint} />
          </>
        )}
        {type === String(fieldTypes.account) && account === custom ? (
          <Input name="url_pattern" label={words.pattern} hint={words.patternHint} value={field?.type === fieldTypes.account ? (accountOf(field).url_pattern ?? '') : ''} required code />
        ) : null}
        {type === String(fieldTypes.choice) ? <Choices choices={choices} change={setChoices} /> : null}
      </Form>
    </Dialog>
  )
}

/** The field that a refusal is about. */
function blame({ message, field }: CallError): string {
  return field !== '' ? field : /label|name is/i.test(message) ? 'name' : /hint/i.test(message) ? 'hint' : /pattern/i.test(message) ? 'url_pattern' : ''
}

/** The choices of a field, each in a line that keeps its value when it is renamed. */
function Choices({ choices, change }: { readonly choices: readonly Choice[]; readonly change: (choices: readonly Choice[]) => void }) {
  const words = text.administration.fields
  const list = useRef<HTMLUListElement>(null)
  const add = () => {
    change([...choices, { value: '', name: '' }])
    onceRendered(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()) // to be filled in
  }
  return (
    <fieldset class="field choices">
      <legend>{words.choices}</legend>
      <ul ref={list}>
        {choices.map((choice, i) => (
          <li key={i} class="choice">
            <input
              aria-label={words.choice(i + 1)}
              dir="auto"
              autocomplete="off"
              value={choice.name}
              onInput={(event) => change(choices.map((one, j) => (i === j ? { ...one, name: event.currentTarget.value } : one)))}
            />
            <button type="button" class="icon" aria-label={words.removeOf(choice.name)} onClick={() => change(choices.filter((_, j) => i !== j))}>
              <Icon of={X} />
            </button>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" onClick={add}>
          {words.addChoice}
        </button>
      </p>
    </fieldset>
  )
}

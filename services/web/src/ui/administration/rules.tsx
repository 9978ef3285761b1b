import { useEffect, useState } from 'preact/hooks'
import '../../style/administration.css'
import { call, quoted } from '../../api/request'
import { useClient } from '../../client'
import { languages } from '../../text/languages'
import { byName } from '../../text/order'
import { duration, text } from '../../text/text'
import { SelectField, Toggle } from '../form/chosen'
import { NumberField, TextField } from '../form/typed'
import { Domains } from './domains'
import { isOwner } from './rights'
import { fromUnit, inUnit, rules, spoken, type Rule } from './rulelist'

/** The words for a rule. */
interface Words {
  readonly label: string
  readonly hint?: string
  readonly choices?: Readonly<Record<string, string>>
}

/** The value in the state that is no stream. */
const noStream = -1

/** The provider of video calls that is none. */
const noCalls = 0

/** Saves a setting; the types of values are those of the list of rules. */
function store(name: string, value: unknown): Promise<unknown> {
  return call('PATCH /realm', { [name]: value })
}

/** All settings of the organization, by topic. Each is saved at once. */
export function Rules() {
  const words = text.administration.topics
  return (
    <>
      {Object.entries(rules).map(([topic, all]) => (
        <section key={topic} aria-labelledby={`rules-${topic}`}>
          <h3 id={`rules-${topic}`}>{words[topic as keyof typeof rules]}</h3>
          <div class="fields">
            {all.map((rule) => (
              <RuleField key={rule.name} rule={rule} />
            ))}
          </div>
        </section>
      ))}
    </>
  )
}

function RuleField({ rule }: { readonly rule: Rule }) {
  const client = useClient()
  const { settings, streams } = client.state
  const words = (text.administration.rules as unknown as Readonly<Record<string, Words>>)[rule.name] ?? { label: rule.name }
  const value = settings.value['realm_' + rule.name]
  const disabled = rule.owners === true && !isOwner(client)
  const shared = { label: words.label, hint: disabled ? text.administration.ownersOnly : words.hint, disabled }
  const { name } = rule
  switch (rule.kind) {
    case 'switch': {
      const not = rule.not === true
      return <Toggle {...shared} value={(value === true) !== not} save={(on) => store(name, on !== not)} />
    }
    case 'choice':
      return (
        <SelectField
          {...shared}
          value={String(value)}
          options={rule.of.map((one) => ({ value: String(one), name: words.choices?.[String(one)] ?? String(one) }))}
          save={(chosen) => store(name, JSON.parse(chosen))}
        />
      )
    case 'limit':
      return <Limit rule={rule} {...shared} value={Number(value ?? rule.none)} />
    case 'number':
      return <NumberField {...shared} value={Number(value ?? 0)} save={(typed) => store(name, typed)} />
    case 'code':
      return <TextField {...shared} value={String(value ?? '')} most={100} save={(typed) => store(name, quoted(typed))} />
    case 'stream': {
      const named = [...streams.value.values()].sort(byName)
      const options = [{ value: noStream, name: text.administration.noStream }, ...named.map((s) => ({ value: s.stream_id, name: s.name }))]
      return <SelectField {...shared} value={Number(value ?? noStream)} options={options} save={(chosen) => store(name, chosen)} />
    }
    case 'language':
      return (
        <SelectField {...shared} value={String(value)} options={Object.entries(languages).map(([code, of]) => ({ value: code, name: of.name }))} save={(code) => store(name, quoted(code))} />
      )
    case 'calls': {
      const all = Object.values((settings.value['realm_available_video_chat_providers'] ?? {}) as Readonly<Record<string, { readonly name: string; readonly id: number }>>)
      return <SelectField {...shared} value={Number(value)} options={all.map((one) => ({ value: one.id, name: one.id === noCalls ? text.administration.noCalls : one.name }))} save={(id) => store(name, id)} />
    }
    case 'domains':
      return <Domains {...shared} value={value === true} save={(on) => store(name, on)} />
    case 'methods':
      return <Methods {...shared} value={(value ?? {}) as Readonly<Record<string, boolean>>} />
  }
}

interface LimitProps {
  readonly rule: Rule & { readonly kind: 'limit' }
  readonly label: string
  readonly hint: string | undefined
  readonly disabled: boolean
  readonly value: number
}

function Limit({ rule, label, hint, disabled, value }: LimitProps) {
  const [typing, setTyping] = useState(false)
  const words = text.administration.limits
  const send = async (chosen: number) => {
    await store(rule.name, chosen === rule.none && rule.unit === 'day' ? 'forever' : chosen)
    setTyping(false)
  }
  const values = [...new Set([...rule.of, ...(value === rule.none ? [] : [value])])].sort((a, b) => a - b)
  const said = (seconds: number) => {
    const { unit, count } = spoken(rule.unit, seconds)
    return duration(unit, count)
  }
  const options = [
    { value: rule.none, name: rule.unit === 'day' ? words.forever : words.always },
    ...values.map((one) => ({ value: one, name: said(one) })),
  ]
  const other = { name: words.other, open: typing, choose: () => setTyping(true) }
  const choose = (chosen: number) => {
    setTyping(false)
    return send(chosen)
  }
  return (
    <div class="fields">
      <SelectField label={label} hint={hint} disabled={disabled} value={value} options={options} save={choose} other={other} />
      {typing ? (
        <NumberField
          label={rule.unit === 'day' ? words.days(label) : words.minutes(label)}
          least={1}
          value={value === rule.none ? 0 : inUnit(rule.unit, value)}
          save={(typed) => send(fromUnit(rule.unit, typed))}
        />
      ) : null}
    </div>
  )
}

interface MethodsProps {
  readonly label: string
  readonly hint: string | undefined
  readonly disabled: boolean
  readonly value: Readonly<Record<string, boolean>>
}

/** The ways to sign in: a switch for each. */
function Methods({ label, hint, disabled, value }: MethodsProps) {
  const client = useClient()
  const words = text.administration
  const [providers, setProviders] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    void client.act(async () => {
      const { external_authentication_methods: all } = await call('GET /server_settings', {})
      setProviders(new Map(all.map((one) => [one.name, one.display_name])))
    })
  }, [])
  const named = (method: string) => (method === 'Email' ? words.withPassword : (providers.get(method) ?? words.provider(method)))
  return (
    <fieldset class="field group" disabled={disabled}>
      <legend>{label}</legend>
      <p class="field-hint">{hint}</p>
      {Object.entries(value).map(([method, open]) => (
        <Toggle key={method} label={named(method)} disabled={disabled} value={open} save={(on) => store('authentication_methods', { [method]: on })} />
      ))}
    </fieldset>
  )
}

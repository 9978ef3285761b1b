import { call, quoted } from '../../api/request'
import { useClient } from '../../client'
import type { Domain } from '../../state/organization'
import { text } from '../../text/text'
import { Toggle } from '../form/chosen'
import { Check, Form, Input } from '../form/form'
import { useAction } from './action'
import { Problem } from './problem'

interface Props {
  readonly label: string
  readonly hint: string | undefined
  readonly value: boolean
  readonly save: (on: boolean) => Promise<unknown>
}

/** Whether addresses must be of some domains, and of which. */
export function Domains({ label, hint, value, save }: Props) {
  const { domains } = useClient().state.organization
  const words = text.administration.domains
  const add = ({ domain = '', below }: Readonly<Record<string, string>>) => call('POST /realm/domains', { domain: quoted(domain.trim()), allow_subdomains: below === 'on' })
  return (
    <div class="fields">
      <Toggle label={label} hint={hint} value={value} save={save} />
      <details open={value}>
        <summary>{words.list}</summary>
        <ul class="cards">
          {domains.value.map((domain) => (
            <DomainRow key={domain.domain} domain={domain} />
          ))}
        </ul>
        <Form action={words.add} submit={add} made={({ domain = '' }) => domains.peek().some((one) => one.domain === domain.trim().toLowerCase())} blame={() => 'domain'}>
          <Input name="domain" label={words.domain} most={255} required />
          <Check name="below" label={words.below} />
        </Form>
      </details>
    </div>
  )
}

function DomainRow({ domain: { domain, allow_subdomains: below } }: { readonly domain: Domain }) {
  const action = useAction()
  const words = text.administration.domains
  return (
    <li class="card">
      <div>
        <strong>{domain}</strong>
        <Toggle label={words.below} value={below} save={(on) => call('PATCH /realm/domains/{domain}', { domain, allow_subdomains: on })} />
        <Problem>{action.problem}</Problem>
      </div>
      <button type="button" aria-disabled={action.busy} aria-label={words.removeOf(domain)} onClick={() => void action.run(() => call('DELETE /realm/domains/{domain}', { domain }))}>
        {text.remove}
      </button>
    </li>
  )
}

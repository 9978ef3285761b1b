import { useState } from 'preact/hooks'
import '../../style/administration.css'
import type { CallError } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { folded } from '../completion'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { shortNameOf, type BotKey } from './botkey'
import { inOrder, integrationOf } from './integrationlist'
import { Webhook } from './keyshown'
import { makeBot } from './makebot'
import { kinds } from './rights'

/** The services that can post messages, each with what makes an address for it. */
export function Integrations() {
  const { integrations } = useClient().state.organization
  const [making, setMaking] = useState<string>()
  const [typed, setTyped] = useState('')
  const words = text.administration.integrations
  const search = folded(typed.trim())
  const shown = inOrder(integrations.value).filter((path) => folded(integrationOf(path).name).includes(search))
  return (
    <>
      <p>{words.hint}</p>
      <div class="filters">
        <label class="grow">
          <span class="hidden">{words.find}</span>
          <input type="search" placeholder={words.find} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
      </div>
      <p class="soft" role="status">
        {words.count(shown.length)}
      </p>
      <ul class="cards" aria-label={words.list}>
        {shown.map((path) => {
          const { name, purpose } = integrationOf(path)
          return (
            <li key={path} class="card">
              <div>
                <strong>{name}</strong>
                <p class="soft">{purpose === undefined ? '' : words.about[purpose]}</p>
              </div>
              <button aria-label={words.makeFor(name)} onClick={() => setMaking(path)}>
                {words.make}
              </button>
            </li>
          )
        })}
      </ul>
      {making === undefined ? null : <NewIntegration name={making} onClose={() => setMaking(undefined)} />}
    </>
  )
}

/** Makes the bot of an integration, and then shows its address. */
function NewIntegration({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const client = useClient()
  const [made, setMade] = useState<BotKey>()
  const words = text.administration.integrations
  const make = async ({ full_name = '' }: Readonly<Record<string, string>>, again: boolean) =>
    setMade(await makeBot(client, { full_name, short_name: shortNameOf(full_name) || name, bot_type: kinds.incoming }, undefined, again))
  return (
    <Dialog title={integrationOf(name).name} class="panel" onClose={onClose}>
      {made === undefined ? (
        <Form action={words.make} submit={make} blame={({ message }: CallError) => (/name/i.test(message) ? 'full_name' : '')}>
          <Input name="full_name" label={words.botName} hint={words.botNameHint} value={integrationOf(name).name} most={100} required />
        </Form>
      ) : (
        <div class="fields">
          <p>{text.administration.bots.once}</p>
          <Webhook made={made} integration={name} />
        </div>
      )}
    </Dialog>
  )
}

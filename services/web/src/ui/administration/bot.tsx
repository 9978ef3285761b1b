import { useEffect, useState } from 'preact/hooks'
import { call, quoted } from '../../api/request'
import { callWithFile } from '../../api/file'
import { useClient } from '../../client'
import type { Bot as BotAccount } from '../../state/organization'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Avatar } from '../avatar'
import { Dialog } from '../dialog'
import { FoundField, SelectField, Toggle } from '../form/chosen'
import { Form, Input } from '../form/form'
import { TextField } from '../form/typed'
import { useAction } from './action'
import type { BotKey } from './botkey'
import { allPeople } from '../people'
import { allStreams } from './choices'
import { Copy } from './copy'
import { FileButton, images } from './filebutton'
import { KeyShown } from './keyshown'
import { siteOf } from './makebot'
import { Problem } from './problem'
import { isAdmin, kinds } from './rights'

/** A bot: its picture, settings and key, and a button that deactivates it. */
export function Bot({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const client = useClient()
  const bot = client.state.organization.bots.value.get(id)
  const picture = useAction()
  const words = text.administration.bots
  if (bot === undefined) {
    return null
  }
  const service = bot.services[0]
  return (
    <Dialog title={bot.full_name} class="panel" onClose={onClose}>
      <div class="who">
        <Avatar key={bot.avatar_url} user={id} size={48} />
        <p>
          {bot.email}
          <br />
          <span class="soft">{(words.kinds as Readonly<Record<number, string>>)[bot.bot_type]}</span>
        </p>
        <FileButton label={words.picture} accept={images} disabled={picture.busy} take={(file) => void picture.run(() => callWithFile('PATCH /bots/{bot_id}', { bot_id: id }, file))} />
      </div>
      <Problem>{picture.problem}</Problem>
      <div class="fields">
        <TextField label={words.name} value={bot.full_name} most={100} required save={(full_name) => call('PATCH /bots/{bot_id}', { bot_id: id, full_name })} />
        {isAdmin(client) ? (
          <FoundField
            label={words.owner}
            options={allPeople(client).map(({ id, name }) => ({ value: id, name }))}
            value={bot.owner_id ?? 0}
            name={client.state.nameOf(bot.owner_id ?? 0)}
            missed={text.profiles.nobody}
            save={(owner) => call('PATCH /bots/{bot_id}', { bot_id: id, bot_owner_id: owner })}
          />
        ) : null}
        <StreamChoice label={words.sendsTo} value={bot.default_sending_stream} save={(name) => call('PATCH /bots/{bot_id}', { bot_id: id, default_sending_stream: name })} />
        {bot.bot_type === kinds.incoming ? (
          <Configuration id={id} />
        ) : (
          <>
            <StreamChoice label={words.hears} value={bot.default_events_register_stream} save={(name) => call('PATCH /bots/{bot_id}', { bot_id: id, default_events_register_stream: name })} />
            <Toggle label={words.hearsAll} value={bot.default_all_public_streams} save={(on) => call('PATCH /bots/{bot_id}', { bot_id: id, default_all_public_streams: on })} />
          </>
        )}
        {bot.bot_type === kinds.outgoing && service !== undefined ? (
          <>
            <TextField label={words.url} type="url" value={service.base_url} most={2048} required save={(url) => call('PATCH /bots/{bot_id}', { bot_id: id, service_payload_url: quoted(url), service_interface: service.interface })} />
            <SelectField
              label={words.form}
              value={service.interface}
              options={[{ value: 1, name: words.forms.own }, { value: 2, name: words.forms.slack }]}
              save={(form) => call('PATCH /bots/{bot_id}', { bot_id: id, service_payload_url: quoted(service.base_url), service_interface: form })}
            />
            <Copy label={words.token} value={service.token} />
          </>
        ) : null}
      </div>
      <Key bot={bot} />
      <Activity bot={bot} />
    </Dialog>
  )
}

/** One of the streams, by its name, or none. */
function StreamChoice({ label, value, save }: { readonly label: string; readonly value: string | null; readonly save: (name: string) => Promise<unknown> }) {
  const client = useClient()
  const options = [{ value: '', name: text.administration.noStream }, ...allStreams(client).map((one) => ({ value: one.name, name: one.name }))]
  return <SelectField label={label} value={value ?? ''} options={options} save={save} />
}

/** The values that a bot is configured with. No event has them, but the response to any change does, even to one that changes nothing. */
function Configuration({ id }: { readonly id: number }) {
  const action = useAction()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const words = text.administration.bots
  const change = async (config: Readonly<Record<string, string>> | undefined) => {
    const { config_data: now } = await call('PATCH /bots/{bot_id}', { bot_id: id, ...(config === undefined ? {} : { config_data: config }) })
    setValues(now)
  }
  useEffect(() => void action.run(() => change(undefined)), [id])
  return (
    <details>
      <summary>{words.configuration}</summary>
      <Problem>{action.problem}</Problem>
      <dl class="values">
        {Object.entries(values).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Form action={words.configure} submit={({ key = '', value = '' }) => change({ [key]: value })} blame={() => 'value'}>
        <Input name="key" label={words.configKey} required />
        <Input name="value" label={words.configValue} required />
      </Form>
    </details>
  )
}

/** The key is shown when it is made, and never again: the server keeps only its hash. */
function Key({ bot }: { readonly bot: BotAccount }) {
  const client = useClient()
  const action = useAction()
  const [made, setMade] = useState<BotKey>()
  const words = text.administration.bots
  const renew = async () => {
    if (await ask({ title: words.renewQuestion(bot.full_name), sentence: words.renewHint, yes: words.renew, danger: true })) {
      await action.run(async () => {
        const { api_key: key } = await call('POST /bots/{bot_id}/api_key/regenerate', { bot_id: bot.user_id })
        setMade({ email: bot.email, key, site: siteOf(client.state), token: bot.services[0]?.token })
      })
    }
  }
  if (!bot.is_active) {
    return null
  }
  return (
    <div class="apart">
      {made === undefined ? <p>{words.keyHint}</p> : <KeyShown made={made} incoming={bot.bot_type === kinds.incoming} />}
      <p class="field-buttons">
        <button aria-disabled={action.busy} onClick={() => void renew()}>
          {words.renew}
        </button>
      </p>
      <Problem>{action.problem}</Problem>
    </div>
  )
}

function Activity({ bot }: { readonly bot: BotAccount }) {
  const action = useAction()
  const words = text.administration.bots
  const deactivate = async () => {
    if (await ask({ title: words.deactivateQuestion(bot.full_name), sentence: words.deactivateHint, yes: words.deactivate, danger: true })) {
      await action.run(() => call('DELETE /bots/{bot_id}', { bot_id: bot.user_id }))
    }
  }
  return (
    <div class="apart">
      {bot.is_active ? (
        <button class="danger" aria-disabled={action.busy} onClick={() => void deactivate()}>
          {words.deactivate}
        </button>
      ) : (
        <button aria-disabled={action.busy} onClick={() => void action.run(() => call('POST /users/{user_id}/reactivate', { user_id: bot.user_id }))}>
          {words.reactivate}
        </button>
      )}
      <Problem>{action.problem}</Problem>
    </div>
  )
}

import { useId, useState } from 'preact/hooks'
import { call, CallError, quoted } from '../../api/request'
import type { Calls } from '../../api/schema'
import { useClient } from '../../client'
import type { Subscription } from '../../state/model'
import { askPermission, permission } from '../../sync/notify'
import { PushError } from '../../sync/push'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { folded } from '../completion'
import { SelectField, Switch, Toggle } from '../form/chosen'
import { Pauses } from '../quiet'
import { play } from '../sound'

type Change = Calls['PATCH /settings/notifications']['params']

const store = (change: Change) => call('PATCH /settings/notifications', change)

/** Ways to hear of a message in a stream: the setting for all streams, and the property of one. */
const ways = [
  { setting: 'enable_stream_desktop_notifications', property: 'desktop_notifications', name: 'desktop' },
  { setting: 'enable_stream_audible_notifications', property: 'audible_notifications', name: 'sound' },
  { setting: 'enable_stream_push_notifications', property: 'push_notifications', name: 'push' },
  { setting: 'enable_stream_email_notifications', property: 'email_notifications', name: 'mail' },
  { setting: 'wildcard_mentions_notify', property: 'wildcard_mentions_notify', name: 'everybody' },
] as const

/** How many streams are listed that somebody looks for. */
const listed = 30

/** What the account is notified of, and how. */
export function Notifications() {
  const { settings } = useClient().state
  const said = text.notifications
  const toggle = (name: Exclude<keyof Change, 'desktop_icon_count_display' | 'notification_sound'>, label: string, hint?: string) => (
    <Toggle label={label} hint={hint} value={settings.value[name] === true} save={(value) => store({ [name]: value })} />
  )
  const sounds = (settings.value['available_notification_sounds'] ?? []) as readonly string[]
  return (
    <div class="fields">
      <Pauses />

      <h3>{said.personal}</h3>
      <Toggle
        label={said.desktop}
        hint={permission.value === 'denied' ? text.alerts.hindrances.forbidden : undefined}
        value={settings.value['enable_desktop_notifications'] === true}
        save={(value) => (value ? void askPermission() : undefined, store({ enable_desktop_notifications: value }))}
      />
      {toggle('pm_content_in_desktop_notifications', said.content)}
      {toggle('enable_sounds', said.sound)}
      <SelectField
        label={said.whichSound}
        value={String(settings.value['notification_sound'] ?? '')}
        options={sounds.map((name) => ({ value: name, name }))}
        save={(name) => (play(name), store({ notification_sound: quoted(name) }))}
      />
      <ThisBrowser />
      {toggle('enable_offline_push_notifications', said.push)}
      {toggle('enable_online_push_notifications', said.pushOnline)}
      {toggle('enable_offline_email_notifications', said.mail)}
      <SelectField
        label={said.count}
        value={Number(settings.value['desktop_icon_count_display'] ?? 1) as 1 | 2 | 3}
        options={[
          { value: 1, name: said.counts.all },
          { value: 2, name: said.counts.personal },
          { value: 3, name: said.counts.none },
        ]}
        save={(desktop_icon_count_display) => store({ desktop_icon_count_display })}
      />

      <h3>{said.streams}</h3>
      <Streams />

      <h3>{said.mails}</h3>
      {toggle('message_content_in_email_notifications', said.mailContent)}
      {toggle('realm_name_in_notifications', said.mailOrganization)}
      {toggle('enable_login_emails', said.mailLogin)}
      {toggle('enable_digest_emails', said.mailDigest)}

      <h3>{said.presence}</h3>
      {toggle('presence_enabled', said.presenceShown, said.presenceHint)}
    </div>
  )
}

/** What is of this browser alone: notifications while no page is open. */
function ThisBrowser() {
  const { push } = useClient()
  const save = async (on: boolean) => {
    try {
      await (on ? push.turnOn() : push.turnOff())
    } catch (error) {
      throw error instanceof PushError ? new CallError(text.alerts.hindrances[error.why], 0, '', 0) : error
    }
  }
  return <Toggle label={text.alerts.push} hint={text.alerts.pushHint} value={push.on.value} save={save} />
}

/** A table of the ways in which streams notify: all of them, and those that have their own. */
function Streams() {
  const { settings, subscriptions } = useClient().state
  const [typed, setTyped] = useState('')
  const id = useId()
  const said = text.notifications
  const wanted = folded(typed.trim())
  const all = [...subscriptions.value.values()].sort(byName)
  const own = all.filter((stream) => ways.some(({ property }) => stream[property] !== null))
  const shown = wanted === '' ? own : all.filter((stream) => folded(stream.name).includes(wanted)).slice(0, listed)
  return (
    <>
      <p class="field-hint">{said.streamsHint}</p>
      <div class="field">
        <label for={id}>{said.find}</label>
        <input id={id} type="search" autocomplete="off" maxlength={60} dir="auto" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </div>
      <div class="wide-table" tabIndex={0} role="group" aria-label={said.streams}>
        <table class="ways">
          <thead>
            <tr>
              <th scope="col">{text.stream}</th>
              {ways.map(({ name }) => (
                <th key={name} scope="col">
                  {said.ways[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{said.allStreams}</th>
              {ways.map(({ setting, name }) => (
                <td key={name}>
                  <Switch label={said.wayOf(said.ways[name], said.allStreams)} value={settings.value[setting] === true} save={(value) => store({ [setting]: value })} />
                </td>
              ))}
            </tr>
            {shown.map((stream) => (
              <StreamRow key={stream.stream_id} stream={stream} />
            ))}
          </tbody>
        </table>
      </div>
      {wanted !== '' && shown.length === 0 ? <p class="field-hint">{said.noStream}</p> : null}
    </>
  )
}

function StreamRow({ stream }: { readonly stream: Subscription }) {
  const { settings } = useClient().state
  const said = text.notifications
  return (
    <tr>
      <th scope="row" dir="auto">
        #{stream.name}
      </th>
      {ways.map(({ setting, property, name }) => (
        <td key={name} class={stream[property] === null ? 'inherited' : ''}>
          <Switch
            label={said.wayOf(said.ways[name], stream.name)}
            value={stream[property] ?? settings.value[setting] === true}
            save={(value) => call('POST /users/me/subscriptions/properties', { subscription_data: [{ stream_id: stream.stream_id, property, value }] })}
          />
        </td>
      ))}
    </tr>
  )
}

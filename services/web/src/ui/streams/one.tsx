import '../../style/form.css'
import '../../style/lists.css'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { Subscription } from '../../state/model'
import { text } from '../../text/text'
import { Content } from '../content'
import { Dialog } from '../dialog'
import { Toggle } from '../form/chosen'
import { useGone } from '../gone'
import { manageStream } from '../screens'
import { set, subscribe, unsubscribe } from '../stream'
import { Members } from './members'

/** A stream: what it is for, what one has set for it, and who is in it. */
export function OneStream({ id, close }: { readonly id: number; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const stream = state.streams.value.get(id)
  const own = state.subscriptions.value.get(id)
  const words = text.acting.stream
  useGone(stream === undefined, close, text.gone.stream) // it was archived, or can't be seen any more
  if (stream === undefined) {
    return null
  }
  return (
    <Dialog class="lists" title={`#${stream.name}`} onClose={close}>
      <div class="one-stream">
        {stream.rendered_description === '' ? null : <Content html={stream.rendered_description} />}
        <p class="buttons">
          <a class="button" href={client.address({ narrow: [{ operator: 'stream', operand: id }] })} onClick={close}>
            {text.acting.streams.open}
          </a>
          {own === undefined && state.me.value?.is_guest !== false ? null : (
            <button type="button" class={own === undefined ? 'primary' : ''} onClick={() => void (own === undefined ? subscribe : unsubscribe)(client, id)}>
              {own === undefined ? words.subscribe : words.unsubscribe}
            </button>
          )}
          {state.isAdmin.value ? (
            <button type="button" onClick={() => manageStream(client, id)}>
              {words.manage}
            </button>
          ) : null}
        </p>
        {own === undefined ? null : <Own subscription={own} />}
        <Members id={id} />
      </div>
    </Dialog>
  )
}

/** The notifications that a stream can have of its own, each with the setting that holds where it has none. */
const notifications = [
  ['desktop_notifications', 'enable_stream_desktop_notifications', 'desktop'],
  ['audible_notifications', 'enable_stream_audible_notifications', 'audible'],
  ['push_notifications', 'enable_stream_push_notifications', 'push'],
  ['email_notifications', 'enable_stream_email_notifications', 'mail'],
  ['wildcard_mentions_notify', 'wildcard_mentions_notify', 'wildcard'],
] as const

/** What one has set for a stream. */
function Own({ subscription }: { readonly subscription: Subscription }) {
  const client = useClient()
  const { settings } = client.state
  const words = text.acting.streams
  const save = (property: string) => (value: boolean | string) => call('POST /users/me/subscriptions/properties', { subscription_data: [{ stream_id: subscription.stream_id, property, value }] })
  return (
    <section>
      <h3>{words.settings}</h3>
      <div class="toggles">
        <Toggle label={words.isPinned} value={subscription.pin_to_top} save={save('pin_to_top')} />
        <Toggle label={words.isMuted} value={subscription.is_muted} save={save('is_muted')} />
        {notifications.map(([property, general, name]) => (
          <Toggle key={property} label={words[name]} value={subscription[property] ?? settings.value[general] === true} save={save(property)} />
        ))}
        <label class="color">
          <input type="color" value={fullColor(subscription.color)} onChange={(event) => void set(client, subscription.stream_id, 'color', event.currentTarget.value)} /> {words.color}
        </label>
      </div>
    </section>
  )
}

/** A colour in the form that the field wants: #abc is #aabbcc. */
function fullColor(color: string): string {
  return /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[0-9a-f]/gi, '$&$&') : color
}

import '../../style/form.css'
import '../../style/lists.css'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { Subscription } from '../../state/model'
import { text } from '../../text/text'
import { Avatar } from '../avatar'
import { Content } from '../content'
import { Dialog } from '../dialog'
import { Toggle } from '../form/chosen'
import { Form } from '../form/form'
import { PeopleField } from '../people'
import { canInvite } from '../rights'
import { set, subscribe, unsubscribe } from '../stream'

/** How many members are listed at most. */
const mostShown = 100

/** A stream: what it is for, what one has set for it, and who is in it. */
export function OneStream({ id, close }: { readonly id: number; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const stream = state.streams.value.get(id)
  const own = state.subscriptions.value.get(id)
  const words = text.acting.stream
  useEffect(() => {
    if (stream === undefined) {
      close() // it was deleted, or can't be seen any more
    }
  }, [stream === undefined])
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

/** Who is subscribed; people are added by those who may. */
function Members({ id }: { readonly id: number }) {
  const client = useClient()
  const { state } = client
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [problem, setProblem] = useState('')
  const words = text.acting.streams
  const members = state.members.value.get(id)
  useEffect(() => {
    if (members === undefined) {
      void client.attempt(() => client.history.members(id)).then(setProblem)
    }
  }, [members === undefined])
  const name = state.streamName(id)
  const add = async () => {
    await call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: chosen })
    setChosen([])
  }
  const remove = (user: number) => void client.act(() => call('DELETE /users/me/subscriptions', { subscriptions: [name], principals: [user] }))
  const wanted = typed.trim().toLowerCase()
  const matching = [...(members ?? [])].filter((user) => state.nameOf(user).toLowerCase().includes(wanted)).sort((a, b) => state.nameOf(a).localeCompare(state.nameOf(b)))
  const canAdd = canInvite(client) && (state.subscriptions.value.has(id) || state.streams.value.get(id)?.invite_only === false)
  return (
    <section>
      <h3>{members === undefined ? text.people : words.members(members.size)}</h3>
      <p class="problem" role="alert">
        {problem}
      </p>
      {canAdd ? (
        <Form action={words.add} label={words.addPeople} submit={() => (chosen.length === 0 ? Promise.resolve() : add())}>
          <div class="new-place">
            <PeopleField label={words.addPeople} chosen={chosen} change={setChosen} {...(members === undefined ? {} : { without: members })} />
          </div>
        </Form>
      ) : null}
      {(members?.size ?? 0) > 10 ? (
        <input type="search" dir="auto" aria-label={words.findMember} placeholder={words.findMember} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      ) : null}
      <ul class="listed">
        {matching.slice(0, mostShown).map((user) => (
          <li key={user} class="person">
            <Avatar user={user} size={24} /> <bdi>{state.nameOf(user)}</bdi>
            {state.isAdmin.value && user !== state.self.value ? (
              <button type="button" class="icon" aria-label={words.removeMember(state.nameOf(user))} title={words.removeMember(state.nameOf(user))} onClick={() => remove(user)}>
                ✕
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {matching.length > mostShown ? <p class="hint">{words.more(matching.length - mostShown)}</p> : null}
    </section>
  )
}

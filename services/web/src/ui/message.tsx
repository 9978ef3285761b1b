import { useSignal, type Signal } from '@preact/signals'
import type { Client } from '../client'
import { useClient } from '../client'
import type { Place } from '../state/conversation'
import type { Message } from '../state/model'
import { narrowTo } from '../state/narrow'
import type { View } from '../state/view'
import { clock, day, moment, text } from '../text/text'
import { Actions, flag, hasEdits } from './actions'
import { Avatar } from './avatar'
import { Body } from './body'
import { editing, Editor } from './editor'
import { headingOf } from './groups'
import { useWaiting } from './later'
import { PlaceMenu } from './placemenu'
import { Reactions } from './reactions'
import { showEdits, showPeople } from './screens'
import { now } from './today'

/** The flags of messages that are meant for oneself. */
const loud = new Set(['mentioned', 'wildcard_mentioned', 'has_alert_word'])

interface Props {
  readonly message: Signal<Message>
  /** The message above it; undefined: it is the first. */
  readonly before: Signal<Message> | undefined
  /** Whether there are messages of several places. */
  readonly places: boolean
  /** The unread messages begin here. */
  readonly unread: boolean
  readonly selected: boolean
  readonly view: View
}

/** A message with what is above it. */
export function MessageRow(props: Props) {
  const client = useClient()
  const pointed = useSignal(false)
  const isActive = pointed.value || props.selected // what only an active message shows isn't made for the others
  const waits = useWaiting()
  const message = props.message.value
  const isEdited = editing.value?.id === message.id
  const time = new Date(message.timestamp * 1000)
  const { state } = client
  const { day: isDay, place, sender } = headingOf(message, props.before?.value, (m) => state.placeOf(m))
  const name = state.users.value.has(message.sender_id) ? state.nameOf(message.sender_id) : message.sender_full_name
  const showSender = () => showPeople(client, { person: message.sender_id })
  const classes = ['message', sender ? 'with-sender' : '', props.selected ? 'selected' : '', pointed.value ? 'pointed' : '', message.flags.some((flag) => loud.has(flag)) ? 'mentioned' : '']
  return (
    <>
      {isDay ? (
        <h2 class="day">
          <span>{day(time, now())}</span>
        </h2>
      ) : null}
      {props.unread ? (
        <p class="new">
          <span>{text.newMessages}</span>
        </p>
      ) : null}
      {props.places && place ? <PlaceHeading place={state.placeOf(message)} menu={!waits} /> : null}
      <article
        id={`message-${message.id}`}
        data-message={message.id}
        class={classes.filter(Boolean).join(' ')}
        tabIndex={props.selected ? 0 : -1}
        aria-labelledby={`sender-${message.id}`}
        aria-describedby={`said-${message.id} when-${message.id}`}
        onPointerMove={(event) => (pointed.value = event.pointerType === 'mouse')} // what a finger brings up must not be under it, and what passes under a mouse that rests isn't pointed at
        onPointerLeave={() => (pointed.value = false)}
        onClick={(event) => choose(event, props.view, message.id)}
      >
        {sender ? (
          <span class="sender-picture" onClick={showSender}>
            {waits ? <span class="avatar later" /> : <Avatar key={message.sender_id} user={message.sender_id} size={36} />}
          </span>
        ) : null}
        <div class="message-body">
          <p class={sender ? 'sender' : 'sender hidden'}>
            <strong id={`sender-${message.id}`}>
              <button class="sender-name" aria-haspopup="dialog" onClick={showSender}>
                <bdi>{name}</bdi>
              </button>
            </strong>
            {state.users.value.get(message.sender_id)?.is_bot ? <span class="tag">{text.bot}</span> : null}
            {state.inactive.value.has(message.sender_id) ? <span class="tag">{text.deactivated}</span> : null}
          </p>
          {isEdited ? <Editor message={message} /> : message.flags.includes('collapsed') ? <Collapsed message={message} /> : <Body message={message} view={props.view} />}
          {message.reactions.length === 0 ? null : <Reactions message={message} />}
        </div>
        <p id={`when-${message.id}`} class="when">
          {message.flags.includes('starred') ? <span class="starred" role="img" aria-label={text.starred}>★</span> : null}
          {message.last_edit_timestamp === undefined ? null : <Edited message={message} />}
          {waits ? null : (
            <a href={client.address({ narrow: narrowTo(state.placeOf(message)), near: message.id })} title={isActive ? moment(time) : undefined}>
              <time dateTime={time.toISOString()}>{clock(time)}</time>
            </a>
          )}
        </p>
        {isActive && !isEdited ? <Actions message={message} name={name} /> : null}
      </article>
    </>
  )
}

/** Says that a message was edited, and leads to how. */
function Edited({ message }: { readonly message: Message }) {
  const client = useClient()
  return hasEdits(client, message) ? (
    <button class="edited" onClick={() => showEdits(client, message)}>
      {text.edited}
    </button>
  ) : (
    <span class="edited">{text.edited}</span>
  )
}

/** In place of a message that somebody doesn't want to see. */
function Collapsed({ message }: { readonly message: Message }) {
  const client = useClient()
  return (
    <p id={`said-${message.id}`}>
      <button class="plain" aria-expanded={false} onClick={() => flag(client, message, 'collapsed')}>
        {text.acting.expand}
      </button>
    </p>
  )
}

/** Selects a message that was clicked, unless the click was for something in it, or marked text. */
function choose(event: MouseEvent, view: View, id: number): void {
  const inside = event.target instanceof Element && event.target.closest('a, button, summary, input, textarea, select, .sender-picture')
  if (!inside && getSelection()?.isCollapsed !== false) {
    view.selected.value = view.selected.peek() === id ? undefined : id
  }
}

/** The heading over messages of a place, where there are those of several. */
export function PlaceHeading({ place, menu = true }: { readonly place: Place; readonly menu?: boolean }) {
  const client = useClient()
  return (
    <div class={place.kind === 'topic' ? 'place' : 'place private'} style={{ '--stream': colorOf(client, place) }}>
      <h3 class="place-name">
        {place.kind === 'topic' ? (
          <>
            <a class="place-stream" dir="auto" href={client.address({ narrow: [{ operator: 'stream', operand: place.stream }] })}>
              #{client.state.streamName(place.stream)}
            </a>
            {' '}
            <span aria-hidden="true">›</span>{' '}
            <a dir="auto" href={client.address({ narrow: narrowTo(place) })}>
              {place.topic}
            </a>
          </>
        ) : (
          <a dir="auto" href={client.address({ narrow: narrowTo(place) })}>
            {place.people.length === 0 ? text.notesToSelf : client.nameOf(place)}
          </a>
        )}
      </h3>
      {menu ? <PlaceMenu place={place} /> : null}
    </div>
  )
}

function colorOf(client: Client, place: Place): string | undefined {
  return place.kind === 'topic' ? client.state.subscriptions.value.get(place.stream)?.color : undefined
}

import { signal, useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { keyOf } from '../state/conversation'
import { narrowTo } from '../state/narrow'
import { everywhere, lookedAt, recentOf, type Recent as Row } from '../state/recent'
import { clock, day, list, moment, text } from '../text/text'
import '../style/recent.css'
import { Avatar } from './avatar'
import { folded } from './completion'
import { restore } from './dialog'
import { useGradually } from './gradually'
import { NothingYet } from './nothing'
import { markPlaceAsRead } from './read'
import { now } from './today'

/** How many conversations are listed at most, and how many people of each have their picture. */
const mostListed = 300
const mostPictured = 4

/** What is listed, as it was left. */
const wanted = signal('')
const unreadOnly = signal(false)
const mineOnly = signal(false)
const mutedToo = signal(false)

/** The conversations in which something was said last, in a table. */
export function Recent() {
  const client = useClient()
  const { history, state } = client
  const words = text.reading.recent
  const view = useMemo(() => state.view(everywhere), [state.registrations.value])
  useEffect(() => {
    restore() // the messages that had the focus were gone before this was loaded
    return () => restore()
  }, [])
  useEffect(() => {
    if (view.ids.peek() === undefined) {
      void history.newest(view, lookedAt)
    }
  }, [view])
  const rows = useComputed(() => {
    const messages = (view.ids.value ?? []).flatMap((id) => state.message(id)?.value ?? [])
    return recentOf(messages, state.unread.places(), state.self.value)
  })
  const found = useComputed(() => new Map(rows.value.map((row) => [row, folded([client.nameOf(row.place), ...row.people.map((id) => state.nameOf(id))].join(' '))]))) // by all keys, since there may be thousands
  const typed = folded(wanted.value.trim())
  const listed = rows.value.filter((row) => (typed === '' || found.value.get(row)?.includes(typed)) && isWanted(client, row)).slice(0, mostListed)
  const loaded = view.ids.value !== undefined
  return (
    <section id="messages" class="recent" tabIndex={-1} aria-label={words.title} aria-busy={!loaded}>
      <search class="recent-filters" aria-label={words.filter}>
        <input type="search" dir="auto" aria-label={words.filter} placeholder={words.filter} maxlength={60} value={wanted.value} onInput={(event) => (wanted.value = event.currentTarget.value)} />
        <Switch on={unreadOnly} name={words.unread} />
        <Switch on={mineOnly} name={words.mine} />
        <Switch on={mutedToo} name={words.muted} />
      </search>
      {view.problem.value === '' ? null : (
        <p class="hint" role="alert">
          {view.problem.value} <button onClick={() => void history.newest(view, lookedAt)}>{text.tryAgain}</button>
        </p>
      )}
      <p class="hidden" role="status">
        {loaded ? words.listed(listed.length) : text.loading}
      </p>
      {loaded && rows.value.length === 0 ? <NothingYet /> : listed.length === 0 ? <p class="hint">{loaded ? words.none : text.loading}</p> : <Table rows={listed} />}
      {loaded && !view.foundOldest.value ? (
        <p class="hint">
          <button onClick={() => void history.older(view, lookedAt)}>{words.more}</button>
        </p>
      ) : null}
    </section>
  )
}

function Switch({ on, name }: { readonly on: typeof unreadOnly; readonly name: string }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on.value} onChange={(event) => (on.value = event.currentTarget.checked)} />
      {name}
    </label>
  )
}

function isWanted(client: Client, { place, people }: Row): boolean {
  const { state } = client
  return (mutedToo.value || !state.isMuted(place)) && (!unreadOnly.value || state.unread.in(place) > 0) && (!mineOnly.value || people.includes(state.self.value))
}

function Table({ rows }: { readonly rows: readonly Row[] }) {
  const words = text.reading.recent
  const shown = useGradually(rows)
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.conversation}</th>
          <th scope="col" class="recent-unread">
            {words.unread}
          </th>
          <th scope="col" class="recent-people">
            {text.people}
          </th>
          <th scope="col" class="recent-time">
            {words.time}
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <Line key={keyOf(row.place)} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ row }: { readonly row: Row }) {
  const client = useClient()
  const { state } = client
  const { place, people, time } = row
  const unread = state.unread.in(place)
  const name = place.kind === 'topic' ? place.topic : place.people.length === 0 ? text.notesToSelf : client.nameOf(place)
  const at = time === undefined ? undefined : new Date(time * 1000)
  const seen = now()
  const isMuted = state.isMuted(place)
  return (
    <tr class={[unread > 0 ? 'unread' : '', isMuted ? 'muted' : ''].join(' ')}>
      <td class="recent-name">
        <div>
          {place.kind === 'topic' ? (
            <a class="recent-stream" dir="auto" href={client.address({ narrow: [{ operator: 'stream', operand: place.stream }] })} style={{ '--stream': state.subscriptions.value.get(place.stream)?.color }}>
              {state.streamName(place.stream)}
            </a>
          ) : (
            <span class="recent-stream private">{text.privateMessages}</span>
          )}
          <a class="recent-topic" dir="auto" href={client.address({ narrow: narrowTo(place) })}>
            {name}
            {isMuted ? <span class="hidden">, {text.muted}</span> : null}
          </a>
        </div>
      </td>
      <td class="recent-unread">
        {unread === 0 ? null : (
          <button class="count" aria-label={`${name}: ${text.reading.markAllRead(unread)}`} title={text.reading.markAllRead(unread)} onClick={() => markPlaceAsRead(client, place)}>
            {unread}
          </button>
        )}
      </td>
      <td class="recent-people" title={list(people.map((id) => state.nameOf(id)))}>
        <span class="hidden">{list(people.slice(0, mostPictured).map((id) => state.nameOf(id)))}</span>
        {people.slice(0, mostPictured).map((id) => (
          <Avatar key={id} user={id} size={24} />
        ))}
        {people.length > mostPictured ? <span class="recent-more">+{people.length - mostPictured}</span> : null}
      </td>
      <td class="recent-time">
        {at === undefined ? null : (
          <time dateTime={at.toISOString()} title={moment(at)}>
            {at.toDateString() === seen.toDateString() ? clock(at) : day(at, seen)}
          </time>
        )}
      </td>
    </tr>
  )
}

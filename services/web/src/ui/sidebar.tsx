import { useComputed, useSignal } from '@preact/signals'
import { AtSign, BellRing, CalendarClock, Clock, type IconNode, Lock, MessagesSquare, PencilLine, Search, Star, X } from 'lucide'
import { useClient } from '../client'
import { keyOf, privatePlace, type Place } from '../state/conversation'
import type { Subscription } from '../state/model'
import { narrowTo, placeOfNarrow, streamOfNarrow, type Narrow } from '../state/narrow'
import { byName } from '../text/order'
import { text } from '../text/text'
import { Count } from './count'
import { useFetched } from './fetched'
import { menuOpen } from './frame'
import { useAfterMessages, useGradually } from './gradually'
import { keyName } from './help'
import { Icon } from './icon'
import { whenIdle } from './idle'
import { MenuButton } from './menu'
import { OrganizationMenu } from './organization'
import { HereMark } from './people/here'
import { PlaceMenu, StreamMenu } from './placemenu'
import { canCreate } from './rights'
import { browseStreams, goTo, newStream, showDrafts, showScheduled } from './screens'
import { Section } from './section'

/** How many private conversations and topics are listed at first. */
const fewConversations = 8
const fewTopics = 5

/** How many are listed at most before one wants all: those with unread messages may be hundreds, or thousands. */
const mostConversations = 20
const mostTopics = 15

/** Everything that one can go to. */
export function Sidebar({ organization, signedOut }: { readonly organization: string; readonly signedOut: () => void }) {
  const client = useClient()
  const { state } = client
  const mentions = state.mentions.value.size
  const after = useAfterMessages()
  return (
    <aside id="sidebar" class="sidebar" aria-label={text.menu}>
      <header class="bar">
        <OrganizationMenu organization={organization} signedOut={signedOut} />
        <button class="icon menu-close" aria-label={text.close} onClick={() => (menuOpen.value = false)}>
          <Icon of={X} />
        </button>
      </header>
      <nav aria-label={text.views}>
        <button class="entry go-to" aria-keyshortcuts="Control+K Meta+K" onClick={() => goTo(client)}>
          <span class="sign" aria-hidden="true">
            <Icon of={Search} />
          </span>
          <span class="entry-name">{text.goTo} …</span>
          <kbd>{keyName('Ctrl+k')}</kbd>
        </button>
        <ul>
          <Entry narrow={[]} recent name={text.reading.recent.title} sign={Clock} />
          <Entry narrow={[]} name={text.everything} sign={MessagesSquare} />
          <Entry narrow={[{ operator: 'is', operand: 'mentioned' }]} name={text.mentions} sign={AtSign} count={mentions} loud />
          {state.alertWords.value.length === 0 ? null : <Entry narrow={[{ operator: 'is', operand: 'alerted' }]} name={text.reading.alerts} sign={BellRing} />}
          <Entry narrow={[{ operator: 'is', operand: 'starred' }]} name={text.starred} sign={Star} count={state.settings.value['starred_message_counts'] === true ? state.starred.value.size : 0} counts={text.starredCount} />
          <Unsent />
        </ul>
        {after ? (
          <>
            <Conversations />
            <Streams />
          </>
        ) : null}
      </nav>
    </aside>
  )
}

interface EntryProps {
  readonly narrow: Narrow
  /** Whether it is the table of conversations. */
  readonly recent?: boolean
  readonly name: string
  readonly sign?: IconNode
  readonly count?: number
  /** Says what is counted; undefined: what is unread. */
  readonly counts?: (count: number) => string
  /** Whether the count wants attention. */
  readonly loud?: boolean
  readonly muted?: boolean
  /** The menu of what it leads to. */
  readonly menu?: preact.ComponentChildren
  readonly children?: preact.ComponentChildren
}

function Entry({ narrow, recent = false, name, sign, count = 0, counts = text.unread, loud = false, muted = false, menu, children }: EntryProps) {
  const client = useClient()
  const { destination } = client
  const here = client.page.value === undefined && recent === (destination.value.recent ?? false) && JSON.stringify(destination.value.narrow) === JSON.stringify(narrow)
  return (
    <li class="row">
      <a class={muted ? 'entry muted' : 'entry'} href={client.address(recent ? { narrow, recent } : { narrow })} aria-current={here ? 'page' : undefined} onClick={() => (menuOpen.value = false)}>
        {sign === undefined ? null : (
          <span class="sign" aria-hidden="true">
            <Icon of={sign} />
          </span>
        )}
        {children}
        <bdi class="entry-name">
          {name}
          {muted ? <span class="hidden">, {text.muted}</span> : null}
        </bdi>
        <Count count={count} says={counts} loud={loud} />
      </a>
      {menu}
    </li>
  )
}

/** What was written and isn't sent: drafts, and messages that are going to be. */
function Unsent() {
  const client = useClient()
  const { drafts, waiting } = client
  useFetched(true, () => whenIdle(() => void waiting.look()))
  return (
    <>
      <ListEntry name={text.acting.drafts} sign={PencilLine} count={drafts.left.value} counts={text.draftCount} open={() => showDrafts(client)} />
      {waiting.count.value === 0 ? null : <ListEntry name={text.acting.scheduled} sign={CalendarClock} count={waiting.count.value} counts={text.scheduledCount} open={() => showScheduled(client)} />}
    </>
  )
}

interface ListEntryProps extends Required<Pick<EntryProps, 'name' | 'sign' | 'count' | 'counts'>> {
  readonly open: () => void
}

/** An entry that opens a list over the messages. */
function ListEntry({ name, sign, count, counts, open }: ListEntryProps) {
  return (
    <li class="row">
      <button class="entry opens-list" onClick={open}>
        <span class="sign" aria-hidden="true">
          <Icon of={sign} />
        </span>
        <span class="entry-name">{name}</span>
        <Count count={count} says={counts} loud={false} />
      </button>
    </li>
  )
}

/** Private conversations, those with unread messages and the current one in any case. */
function Conversations() {
  const client = useClient()
  const { state } = client
  const all = useSignal(false)
  const current = placeOfNarrow(client.destination.value.narrow, state.self.value)
  const known = state.conversations.value.map((c) => privatePlace(c.people, state.self.value))
  const wanted = known.filter((place, i) => all.value || i < fewConversations || state.unread.in(place) > 0)
  const listed = all.value ? wanted : wanted.slice(0, mostConversations)
  const left = wanted.slice(listed.length).reduce((sum, place) => sum + (current !== undefined && keyOf(place) === keyOf(current) ? 0 : state.unread.in(place)), 0)
  if (current?.kind === 'private' && !listed.some((place) => keyOf(place) === keyOf(current))) {
    listed.unshift(current)
  }
  const shown = useGradually(listed)
  return (
    <Section name="conversations" title={text.privateMessages} count={known.reduce((sum, place) => sum + state.unread.in(place), 0)}>
      <ul aria-labelledby="conversations">
        {shown.map((place) => (
          <Entry key={keyOf(place)} narrow={narrowTo(place)} name={place.people.length === 0 ? text.notesToSelf : client.nameOf(place)} count={state.unread.in(place)} loud>
            <Here people={place.people} />
          </Entry>
        ))}
        {known.length > fewConversations ? (
          <li>
            <button class="entry plain more" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
              <span class="entry-name">{all.value ? text.fewerConversations : text.moreConversations}</span>
              <Count count={left} loud />
            </button>
          </li>
        ) : null}
      </ul>
    </Section>
  )
}

/** A dot that says whether somebody is there. */
function Here({ people }: { readonly people: readonly number[] }) {
  const [person] = people
  if (people.length !== 1 || person === undefined) {
    return <span class="here group" aria-hidden="true" />
  }
  return <HereMark person={person} />
}

/** The streams: those that are pinned, those in which something is going on, and the others. */
function Streams() {
  const client = useClient()
  const { state } = client
  const sorted = useComputed(() => [...state.subscriptions.value.values()].sort(byName)) // and not again for each topic that is opened
  const open = useComputed(() => streamOfNarrow(client.destination.value.narrow))
  const groups = useComputed(() => {
    const quiet = (stream: Subscription) => stream.stream_weekly_traffic === 0 && !state.unreadOfStreams.value.has(stream.stream_id)
    return Map.groupBy(sorted.value, (stream) => (stream.pin_to_top ? 'pinned' : quiet(stream) && stream.stream_id !== open.value ? 'quiet' : 'active'))
  })
  const group = (name: 'pinned' | 'active' | 'quiet', title: string, beside?: preact.ComponentChildren) => {
    const streams = groups.value.get(name) ?? []
    const count = streams.reduce((sum, stream) => sum + (state.unreadOfStreams.value.get(stream.stream_id) ?? 0), 0)
    return streams.length === 0 && beside === undefined ? null : (
      <Section name={`streams-${name}`} title={title} count={count} beside={beside}>
        <StreamList labelledby={`streams-${name}`} streams={streams} />
      </Section>
    )
  }
  const words = text.acting.streams
  return (
    <>
      {group('pinned', words.pinned)}
      {group(
        'active',
        text.streams,
        <MenuButton
          label={words.menu}
          items={() => [
            { name: words.title, key: 'q', does: () => browseStreams(client) },
            ...(canCreate(client) ? [{ name: words.create, does: () => newStream(client) }] : []),
          ]}
        >
          +
        </MenuButton>,
      )}
      {state.subscriptions.value.size === 0 ? <p class="hint">{text.noStreams}</p> : null}
      {group('quiet', words.quiet)}
    </>
  )
}

function StreamList({ labelledby, streams }: { readonly labelledby: string; readonly streams: readonly Subscription[] }) {
  const shown = useGradually(streams)
  return (
    <ul aria-labelledby={labelledby}>
      {shown.map((stream) => (
        <Stream key={stream.stream_id} stream={stream} />
      ))}
    </ul>
  )
}

function Stream({ stream }: { readonly stream: Subscription }) {
  const client = useClient()
  const { state } = client
  const id = stream.stream_id
  // Of hundreds of streams, those alone are drawn again that change.
  const count = useComputed(() => state.unreadOfStreams.value.get(id) ?? 0).value
  const open = useComputed(() => streamOfNarrow(client.destination.value.narrow) === id).value
  const here = useComputed(() => streamOfNarrow(client.destination.value.narrow) === id && client.page.value === undefined && client.destination.value.narrow.length === 1).value
  const narrow: Narrow = [{ operator: 'stream', operand: id }]
  return (
    <li>
      <div class="row">
        <a
          class={stream.is_muted ? 'entry muted' : 'entry'}
          href={client.address({ narrow })}
          data-stream={id}
          aria-current={here ? 'page' : undefined}
          aria-expanded={open}
          onClick={() => (menuOpen.value = false)}
        >
          <span class="sign colored" style={{ '--stream': stream.color }} aria-hidden="true">
            {stream.invite_only ? <Icon of={Lock} /> : '#'}
          </span>
          <bdi class="entry-name">
            {stream.name}
            {stream.invite_only ? <span class="hidden">, {text.privateStream}</span> : null}
            {stream.is_muted ? <span class="hidden">, {text.muted}</span> : null}
          </bdi>
          <Count count={count} loud={false} />
        </a>
        <StreamMenu stream={id} tabIndex={-1} />
      </div>
      {open ? <Topics stream={stream} /> : null}
    </li>
  )
}

/** The newest topics of a stream, as many of those with unread messages as have room, and the current one in any case. */
function Topics({ stream }: { readonly stream: Subscription }) {
  const client = useClient()
  const { state } = client
  const all = useSignal(false)
  const id = stream.stream_id
  const topics = state.topics.value.get(id)
  useFetched(topics === undefined, () => client.need(() => client.history.topics(id)), id)
  const current = placeOfNarrow(client.destination.value.narrow, state.self.value)
  const places = (topics ?? []).map((topic) => ({ kind: 'topic', stream: id, topic: topic.name }) satisfies Place)
  const isCurrent = (place: Place) => current !== undefined && keyOf(place) === keyOf(current)
  const wanted = all.value ? places : places.filter((place, i) => i < fewTopics || state.unread.in(place) > 0 || isCurrent(place))
  const isListed = (place: Place, i: number) => all.value || i < mostTopics || isCurrent(place)
  const listed = wanted.filter(isListed)
  const left = wanted.reduce((sum, place, i) => sum + (isListed(place, i) || state.isMuted(place) ? 0 : state.unread.in(place)), 0)
  if (current?.kind === 'topic' && topics !== undefined && !places.some(isCurrent)) {
    listed.unshift({ ...current, stream: id })
  }
  const shown = useGradually(listed)
  return (
    <ul class="topics" aria-label={text.topicsOf(stream.name)}>
      {shown.map((place) => (
        <Entry key={keyOf(place)} narrow={narrowTo(place)} name={place.topic} count={state.unread.in(place)} muted={state.isMuted(place)} menu={<PlaceMenu place={place} tabIndex={-1} />} />
      ))}
      {places.length > fewTopics ? (
        <li>
          <button class="entry plain" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
            <span class="entry-name">{all.value ? text.fewerTopics : text.moreTopics}</span>
            <Count count={left} loud={false} />
          </button>
        </li>
      ) : null}
    </ul>
  )
}

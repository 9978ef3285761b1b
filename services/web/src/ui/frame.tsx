import { signal, type Signal } from '@preact/signals'
import { Menu as MenuSign } from 'lucide'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { useClient } from '../client'
import { placeOfNarrow } from '../state/narrow'
import { unreadCount } from '../state/attention'
import { text } from '../text/text'
import { About } from './about'
import { AskAlerts } from './askalerts'
import { useAlerts } from './alerts'
import { Arrivals } from './arrivals'
import { Asking } from './ask'
import { Compose } from './compose'
import { Feed } from './feed'
import { Help } from './help'
import { Icon } from './icon'
import { useKeys } from './keys'
import { lazy } from './lazy'
import { look } from './look'
import { Menu } from './menu'
import { Notices } from './notices'
import { NotSubscribed } from './notsubscribed'
import { Overlays } from './overlay'
import { peopleOpen, room } from './people/panel'
import { Unsent } from './pending'
import { NarrowMenu } from './placemenu'
import { Paused, ReadAll } from './read'
import { Renewal } from './renewal'
import { Search } from './search'
import { areaTitle } from './settings/pages'
import { Sidebar } from './sidebar'
import { Tip } from './tip'
import { titleOf } from './title'
import { followDay } from './today'

/** What hears when a device closes things; TypeScript doesn't know it yet. */
declare class CloseWatcher {
  onclose: (() => void) | null
  destroy(): void
}

/** Whether the sidebar is over the messages, where there is no room beside them. */
export const menuOpen = signal(false)

const Recent = lazy(() => import('./recent').then((file) => file.Recent))
const PeopleList = lazy(() => import('./people/list').then((file) => file.PeopleList), false)
const Settings = lazy(() => import('./settings/screen').then((file) => file.Settings))

/** Shows the sidebar over the messages, and goes into it. */
function openMenu(): void {
  menuOpen.value = true
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#sidebar .menu-close')?.focus())
}

/** Closes the sidebar when the focus goes to what is under it: notices are over it. */
function leaveMenu({ target }: FocusEvent): void {
  if (target instanceof Element && target.closest('.notices') === null) {
    menuOpen.value = false
  }
}

/** The screen of those who are signed in. */
export function Frame({ signedOut }: { readonly signedOut: () => void }) {
  const client = useClient()
  useKeys(client)
  useAlerts(client)
  useEffect(() => look(client.state), [client])
  useEffect(followDay, [])
  useClosing(menuOpen, menuOpen.value)
  useClosing(peopleOpen, peopleOpen.value && !room.value)
  const { destination, page, state } = client
  const title = page.value === undefined ? titleOf(client, destination.value) : areaTitle(page.value.area)
  const count = unreadCount(state)
  const organization = String(state.settings.value['realm_name'] ?? '')
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · ${organization}`
  }, [title, count, organization])
  useLayoutEffect(() => { // and what the next key opens stays
    menuOpen.value = false
    peopleOpen.value = false
  }, [client.visits.value])
  const people = peopleOpen.value || (room.value && page.value === undefined)
  return (
    <div class={['frame', menuOpen.value ? 'menu-open' : '', people ? 'with-people' : ''].filter(Boolean).join(' ')}>
      <a class="skip" href={page.value === undefined ? '#messages' : '#settings'} onClick={(event) => (event.preventDefault(), focusMain())}>
        {page.value === undefined ? text.messages : title}
      </a>
      <Sidebar organization={organization} signedOut={signedOut} />
      <main class="main" onFocusCapture={leaveMenu}>
        <Renewal />
        <AskAlerts />
        {page.value === undefined ? <Messages title={title} /> : <Settings page={page.value} />}
        <div class="notices">
          <Notices />
        </div>
        {page.value === undefined ? <Compose place={placeOfNarrow(destination.value.narrow, state.self.value)} /> : null}
      </main>
      {people ? <PeopleList /> : null}
      <Help />
      <Overlays />
      <Menu />
      <Asking />
      <Arrivals />
      <Tip />
    </div>
  )
}

/** Has what closes things on a device, such as the key for going back on phones, close something that is over the messages. Not all browsers have it. */
function useClosing(open: Signal<boolean>, isOver: boolean): void {
  useEffect(() => {
    if (!isOver || !('CloseWatcher' in globalThis)) {
      return
    }
    const watcher = new CloseWatcher()
    watcher.onclose = () => (open.value = false)
    return () => watcher.destroy()
  }, [isOver])
}

/** Goes to the messages, or to the page that is shown in place of them. */
export function focusMain(): void {
  document.querySelector<HTMLElement>('#messages, #settings')?.focus()
}

/** What the user looks at. */
function Messages({ title }: { readonly title: string }) {
  const { destination } = useClient()
  return (
    <>
      <header class="bar">
        <MenuButton />
        <h1>{title}</h1>
        <About narrow={destination.value.narrow} />
        <NarrowMenu narrow={destination.value.narrow} />
        <ReadAll />
        <Search />
      </header>
      <Offline />
      <Paused />
      <NotSubscribed />
      {destination.value.recent === true ? <Recent /> : <Feed />}
      <Unsent />
    </>
  )
}

/** Shows the sidebar where there is no room for it beside the rest. */
export function MenuButton() {
  return (
    <button class="icon menu-button" aria-label={text.menu} aria-expanded={menuOpen.value} aria-controls="sidebar" onClick={openMenu}>
      <Icon of={MenuSign} />
    </button>
  )
}

/** Says so when there is no connection. */
export function Offline() {
  const { status } = useClient().connection
  return (
    <p class={status.value === 'offline' ? 'offline shown' : 'offline'} role="status">
      {status.value === 'offline' ? text.offline : ''}
    </p>
  )
}

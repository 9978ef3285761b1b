import type { ComponentType } from 'preact'
import type { Client } from '../../client'
import type { Area } from '../../state/page'
import { text } from '../../text/text'
import { organizationPages } from '../administration/pages'
import { lazy } from '../lazy'

/** A page of settings. */
export interface SettingsPage {
  readonly area: Area
  /** What its address ends with: #settings/display. */
  readonly path: string
  readonly title: () => string
  /** Who may see it; undefined: everybody. */
  readonly may?: (client: Client) => boolean
  /** The heading above it and those after it, in the list of pages; undefined: that of the one before. */
  readonly group?: () => string
  readonly Component: ComponentType
}

/** All pages, in the order of their lists. A page's file is loaded when it is first opened. */
export const pages: readonly SettingsPage[] = [
  { area: 'settings', path: 'profile', title: () => text.account.profile, Component: lazy(() => import('./profile').then((file) => file.Profile)) },
  { area: 'settings', path: 'account', title: () => text.account.account, Component: lazy(() => import('./account').then((file) => file.Account)) },
  { area: 'settings', path: 'display', title: () => text.settings.display, Component: lazy(() => import('./display').then((file) => file.Display)) },
  { area: 'settings', path: 'notifications', title: () => text.notifications.title, Component: lazy(() => import('./notifications').then((file) => file.Notifications)) },
  { area: 'settings', path: 'alert-words', title: () => text.account.words, Component: lazy(() => import('./words').then((file) => file.AlertWords)) },
  { area: 'settings', path: 'muted-topics', title: () => text.account.muted, Component: lazy(() => import('./muted').then((file) => file.MutedTopics)) },
  { area: 'settings', path: 'files', title: () => text.account.files, Component: lazy(() => import('./files').then((file) => file.Files)) },
  { area: 'settings', path: 'keys', title: () => text.help, Component: lazy(() => import('./keys').then((file) => file.Keys)) },
  ...organizationPages,
]

/** Returns the pages of an area that a client's user may see. */
export function maySee(client: Client, area: Area): readonly SettingsPage[] {
  return pages.filter((page) => page.area === area && (page.may?.(client) ?? true))
}

/** Returns the name of an area. */
export function areaTitle(area: Area): string {
  return area === 'settings' ? text.settings.title : text.settings.organization
}

import type { ComponentType } from 'preact'
import type { Client } from '../../client'
import { text } from '../../text/text'
import { lazy } from '../lazy'
import type { SettingsPage } from '../settings/pages'
import { isAdmin, isMember, kinds, mayAddEmoji, mayInvite, mayMakeBot } from './rights'

type Words = typeof text.administration.pages

/** Makes a page of the organization, whose name and group are among the words of pages. */
function page(path: keyof Words, group: keyof Words, may: (client: Client) => boolean, load: () => Promise<ComponentType>): SettingsPage {
  const words = () => text.administration.pages
  return { area: 'organization', path, title: () => words()[path], group: () => words()[group], may, Component: lazy(load) }
}

/** The pages of the organization. What members don't find here, they may not do. */
export const organizationPages: readonly SettingsPage[] = [
  page('general', 'organization', isAdmin, () => import('./general').then((file) => file.General)),
  page('rules', 'organization', isAdmin, () => import('./rules').then((file) => file.Rules)),
  page('exports', 'organization', isAdmin, () => import('./exports').then((file) => file.Exports)),
  page('people', 'peopleGroup', isAdmin, () => import('./people').then((file) => file.People)),
  page('invitations', 'peopleGroup', mayInvite, () => import('./invitations').then((file) => file.Invitations)),
  page('groups', 'peopleGroup', isMember, () => import('./groups').then((file) => file.Groups)),
  page('fields', 'peopleGroup', isAdmin, () => import('./fields').then((file) => file.Fields)),
  page('streams', 'content', isAdmin, () => import('./streams').then((file) => file.Streams)),
  page('defaults', 'content', isAdmin, () => import('./defaults').then((file) => file.Defaults)),
  page('emoji', 'content', mayAddEmoji, () => import('./emoji').then((file) => file.Emoji)),
  page('linkifiers', 'content', isAdmin, () => import('./linkifiers').then((file) => file.Linkifiers)),
  page('bots', 'programs', isMember, () => import('./bots').then((file) => file.Bots)),
  page('integrations', 'programs', (client) => mayMakeBot(client, kinds.incoming), () => import('./integrations').then((file) => file.Integrations)),
]

import { effect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { Organizations } from '../sync/organizations'
import { clock, text } from '../text/text'
import { mayInvite } from './administration/rights'
import { helpOpen, keyName } from './help'
import { MenuButton, type Item } from './menu'
import { invitations } from './nothing'
import { findPeople } from './people/panel'
import { addOrganization, showPeople } from './screens'
import { maySee } from './settings/pages'

/** The button of the organization's menu. */
export const organizationMenu = 'organization-menu'

/** The organization's name, with the menu of what isn't about messages. */
export function OrganizationMenu({ organization, signedOut }: { readonly organization: string; readonly signedOut: () => void }) {
  const client = useClient()
  const parent = String(client.state.settings.value['realm_bot_domain'] ?? '')
  const others = useMemo(() => new Organizations(parent), [parent])
  useEffect(() => others.remember(organization), [others, organization])
  useEffect(() => effect(() => (client.connection.status.value === 'signed out' ? others.forget() : undefined)), [client, others])
  useSwitching(others)
  const items = () => [
    { name: text.profiles.status, does: () => showPeople(client, 'status') },
    { name: text.profiles.people, does: findPeople },
    ...(mayInvite(client) ? [{ name: text.organizations.invite, href: invitations }] : []),
    { name: text.settings.title, href: '#settings' },
    ...(maySee(client, 'organization').length > 0 ? [{ name: text.settings.organization, href: '#organization' }] : []),
    { name: text.help, does: () => (helpOpen.value = true) },
    ...linksTo(others),
    { name: text.organizations.add, does: () => addOrganization(client, others, parent) },
    { name: text.signOut, apart: true, does: () => void signOut(client, () => (others.forget(), signedOut())) },
  ]
  return (
    <h2>
      <MenuButton id={organizationMenu} class="menu-opener plain" items={items}>
        <bdi class="organization-name">{organization}</bdi>{' '}
        <span class="own-name">
          <bdi>{client.state.me.value?.full_name}</bdi>
          {statusOf(client).map((part) => (
            <span key={part}>
              {' · '}
              <bdi>{part}</bdi>
            </span>
          ))}
        </span>
      </MenuButton>
    </h2>
  )
}

/** What others see of oneself, and one would forget. */
function statusOf({ state, silence }: Client): readonly string[] {
  const until = silence.until.value
  const { text: status = '', away = false } = state.statuses.value.get(state.self.value) ?? {}
  return [...(away ? [text.profiles.away] : []), ...(status === '' ? [] : [status]), ...(until === undefined ? [] : [text.alerts.quietUntil(clock(until))])]
}

/** The entries of the other organizations. */
function linksTo(organizations: Organizations): readonly Item[] {
  const links = organizations.list().map(({ subdomain, name }, i) => ({ subdomain, name, href: organizations.address(subdomain), key: keyName(`Ctrl+${i + 1}`) }))
  return links.filter(({ subdomain }) => subdomain !== organizations.own).map((link, i) => ({ ...link, apart: i === 0 }))
}

/** Has Ctrl with a figure lead to the organization at that place of the list, where the browser leaves these keys to pages. */
function useSwitching(organizations: Organizations): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const at = event.ctrlKey && !event.altKey && !event.shiftKey && !event.metaKey && /^[1-9]$/.test(event.key) ? organizations.list()[Number(event.key) - 1] : undefined
      if (at === undefined) {
        return
      }
      event.preventDefault()
      if (at.subdomain !== organizations.own) {
        location.assign(organizations.address(at.subdomain))
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [organizations])
}

async function signOut(client: Client, signedOut: () => void): Promise<void> {
  const done = await client.act(async () => {
    const { sessions } = await call('GET /sessions', {})
    const current = sessions.find((session) => session.current)
    if (current !== undefined) {
      await call('DELETE /sessions/{session_id}', { session_id: current.id })
    }
  })
  if (done) {
    signedOut()
  }
}

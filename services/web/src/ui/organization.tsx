import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { text } from '../text/text'
import { helpOpen } from './help'
import { MenuButton } from './menu'
import { findPeople } from './people/panel'
import { shown } from './people/shown'
import { maySee } from './settings/pages'

/** The button of the organization's menu. */
export const organizationMenu = 'organization-menu'

/** The organization's name, with the menu of what isn't about messages. */
export function OrganizationMenu({ organization, signedOut }: { readonly organization: string; readonly signedOut: () => void }) {
  const client = useClient()
  const items = () => [
    { name: text.profiles.status, does: () => (shown.value = 'status') },
    { name: text.profiles.people, does: findPeople },
    { name: text.settings.title, href: '#settings' },
    ...(maySee(client, 'organization').length > 0 ? [{ name: text.settings.organization, href: '#organization' }] : []),
    { name: text.help, does: () => (helpOpen.value = true) },
    { name: text.signOut, does: () => void signOut(client, signedOut) },
  ]
  return (
    <h2>
      <MenuButton id={organizationMenu} class="menu-opener plain" items={items}>
        <bdi class="organization-name">{organization}</bdi>{' '}
        <bdi class="own-name">{client.state.me.value?.full_name}</bdi>
      </MenuButton>
    </h2>
  )
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

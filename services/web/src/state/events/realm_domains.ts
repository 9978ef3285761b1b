import type { RealmDomainsAddEvent, RealmDomainsChangeEvent, RealmDomainsRemoveEvent } from '../../api/schema'
import type { State } from '../state'

/** Addresses of other domains may join. */
export function realmDomains(state: State, event: RealmDomainsAddEvent | RealmDomainsChangeEvent | RealmDomainsRemoveEvent): void {
  const { domains } = state.organization
  const name = event.op === 'remove' ? event.domain : event.realm_domain.domain
  const rest = domains.value.filter((d) => d.domain !== name)
  domains.value = event.op === 'remove' ? rest : [...rest, event.realm_domain].sort((a, b) => (a.domain < b.domain ? -1 : 1))
}

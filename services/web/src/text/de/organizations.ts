import type { organizations as english } from '../en/organizations'

/** Several organizations side by side. */
export const organizations: typeof english = {
  invite: 'Leute einladen',
  add: 'Weitere Organisation',
  address: 'Ihre Adresse oder ihr Name darin',
  hint: (host) => `Wie in name.${host}`,
  notHere: (host) => `Das ist keine Organisation von ${host}. Die anderer Server haben ihre eigenen Seiten.`,
  go: 'Öffnen',
}

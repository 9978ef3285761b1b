import type { signin as english } from '../en/signin'

/** Signing in and out. */
export const signin: typeof english = {
  signIn: 'Anmelden',
  signInTo: (organization) => `Anmelden bei ${organization}`,
  signInWith: (provider) => `Weiter mit ${provider}`,
  sessionEnded: 'Deine Sitzung ist beendet. Melde dich an, um weiterzumachen, wo du warst.',
  accountDeactivated: 'Dein Konto wurde deaktiviert. Wer die Organisation verwaltet, kann es wieder aktivieren.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  forgotten: 'Passwort vergessen?',
  noAccount: 'Noch kein Konto?',
  or: 'oder',
  noOrganization: 'Unter dieser Adresse gibt es keine Organisation.',
  isDeactivated: 'Diese Organisation wurde stillgelegt. Niemand kann sich anmelden.',
  signUpOrganization: 'Neue Organisation anlegen',
  signOut: 'Abmelden',
}

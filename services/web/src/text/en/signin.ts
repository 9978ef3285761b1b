/** Signing in and out. */
export const signin = {
  signIn: 'Sign in',
  signInTo: (organization: string) => `Sign in to ${organization}`,
  signInWith: (provider: string) => `Continue with ${provider}`,
  sessionEnded: 'Your session has ended. Sign in to go on where you were.',
  accountDeactivated: 'Your account was deactivated. An administrator of the organization can activate it again.',
  email: 'Email address',
  password: 'Password',
  forgotten: 'Forgotten your password?',
  noAccount: 'No account yet?',
  or: 'or',
  noOrganization: 'There is no organization at this address.',
  isDeactivated: 'This organization was deactivated. Nobody can sign in.',
  signUpOrganization: 'Sign up an organization',
  signOut: 'Sign out',
}

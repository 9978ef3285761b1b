/** Signing in and out. */
export const signin = {
  signIn: 'Sign in',
  signInTo: (organization: string) => `Sign in to ${organization}`,
  signInWith: (provider: string) => `Continue with ${provider}`,
  email: 'Email address',
  password: 'Password',
  forgotten: 'Forgotten your password?',
  noAccount: 'No account yet?',
  or: 'or',
  noOrganization: 'There is no organization at this address.',
  signUpOrganization: 'Sign up an organization',
  signOut: 'Sign out',
}

// A certified OpenID Connect provider for tests: who signs in as "ann", with any password, is ann@harbour.example. Its address isn't
// verified if it begins with "unverified", and its group is "cranes" if it begins with "crane".
//
//   node provider.mjs PORT REDIRECT_URI [ISSUER]
//
// It prints its address as soon as it serves. With an ISSUER that is its address: that of a proxy in front of it, which ends TLS.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [port, redirect, address] = process.argv.slice(2);
const issuer = address ?? `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: 'chat', client_secret: 'hush', redirect_uris: [redirect] }],
  claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id, email: `${id}@harbour.example`, email_verified: !id.startsWith('unverified'), name: `${id} of the harbour`,
      groups: id.startsWith('crane') ? ['cranes'] : [],
    }),
  }),
});
provider.proxy = address !== undefined;
createServer(provider.callback()).listen(Number(port), '127.0.0.1', () => console.log(issuer));

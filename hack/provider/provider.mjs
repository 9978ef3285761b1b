// A certified OpenID Connect provider for tests: who signs in as "ann", with any password, is ann@harbour.example.
//
//   node provider.mjs REDIRECT_URI
//
// It prints its address as soon as it serves.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: 'chat', client_secret: 'hush', redirect_uris: [process.argv[2]] }],
  claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id, email: `${id}@harbour.example`, email_verified: !id.startsWith('unverified'), name: `${id} of the harbour`,
      groups: id === 'cleo' ? ['cranes'] : [],
    }),
  }),
});
server.on('request', provider.callback());
console.log(issuer);

/** Several organizations side by side. */
export const organizations = {
  invite: 'Invite people',
  add: 'Another organization',
  address: 'Its address, or its name there',
  hint: (host: string) => `As in name.${host}`,
  notHere: (host: string) => `That is no organization of ${host}. Those of other servers have pages of their own.`,
  go: 'Go there',
}

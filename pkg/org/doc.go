// Package org manages organizations: who they are, what they have chosen, and which of them a host name
// means.
//
// An organization lives at a subdomain of the server's external host: with the external host
// chat.example, acme.chat.example is the organization with the subdomain "acme". The external host
// itself, and everything that isn't below it (localhost, an address), is the organization with the
// empty subdomain. Names are compared without case and ports don't count.
//
// A new organization has one account, its notification bot; streams and people are for others to
// make. It comes to be in one transaction with whatever its creator adds.
package org

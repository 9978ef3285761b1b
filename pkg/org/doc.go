// Package org creates organizations, finds them by host name, and stores their settings.
//
// An organization has a subdomain of the server's external host: with the external host
// chat.example, acme.chat.example is the organization with the subdomain "acme". The external host
// itself, and every host that isn't below it (localhost, an IP address), is the organization with the
// empty subdomain. Comparisons of names ignore case and ports.
//
// A new organization has one account, its notification bot. Callers add streams and people, in the same
// transaction.
package org

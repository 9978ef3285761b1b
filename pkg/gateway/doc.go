// Package gateway formats and parses the addresses of incoming mail: one for each stream, and one in each mail that can be answered.
// Package incomingmail handles the mail.
//
// The local part of an address has at most 64 bytes, which all mail servers accept (RFC 5321). Letter case doesn't matter.
package gateway

// Package gateway manages the addresses that mail comes in at: one for each stream, and one in each mail that can be answered. It
// knows how they are written, not what happens to the mail (package received).
//
// The local part of an address is at most as long as all mail servers accept (RFC 5321, 64 bytes), and letter case doesn't
// matter.
package gateway

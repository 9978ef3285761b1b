// Package gateway manages the addresses that mail comes in at: one for each stream, and one in each mail that can be answered. It
// knows how they are written, not what happens to the mail (package received).
//
// An address has no longer local part than mail servers have to take (RFC 5321, 64 bytes), whatever letter case it comes back in.
package gateway

// Package secrets makes the values of the operator's own Secrets and decides when a token is replaced.
// It is pure but for the randomness; reading and writing is others' business.
package secrets

// Package secrets generates the values of the operator's own Secrets and decides when a token is replaced. Except for
// randomness, its functions are pure.
package secrets

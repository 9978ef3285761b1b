// Package contract tests what every endpoint has to keep, whatever it is for. It knows no endpoint by
// name: what it sends is made from their declarations, so that a new one is tested from its first day.
package contract

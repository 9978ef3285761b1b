// Package subscriptions has the endpoints of who is subscribed to which streams, and of how subscribers see
// theirs.
package subscriptions

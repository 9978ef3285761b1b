// Package subscriptions is the part of the interface that is about who is subscribed to which streams.
package subscriptions

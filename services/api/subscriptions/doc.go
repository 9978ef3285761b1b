// Package subscriptions has the endpoints of subscriptions to streams and their properties.
package subscriptions

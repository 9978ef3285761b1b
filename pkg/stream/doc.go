// Package stream manages streams: listing them, who sees them, creating and deactivating them.
//
// It promises:
//
//   - A name belongs to one active stream of the organization, whatever its case. A deactivated stream
//     keeps its name without occupying it.
//   - Whatever a sender must know of a stream has a version ([Facts]), which grows when any of it
//     changes: a message is stored only if what was decided on still holds.
//   - Deactivating a stream makes it private and ends its subscriptions. Its messages stay.
//
// Who is subscribed to what is in package subscription.
package stream

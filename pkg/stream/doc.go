// Package stream lists, creates, changes and deactivates streams, and decides who may see them.
//
// It promises:
//
//   - Active streams of an organization have different names, even without regard to case. The name of a
//     deactivated stream can be used again.
//   - The facts of a stream that decide who may send ([Facts]) have a version, which grows when one of them
//     changes. A message is stored only if its sender was checked with the current version.
//   - Deactivating a stream makes it private and ends its subscriptions. Its messages stay.
//
// Subscriptions are in package subscription.
package stream

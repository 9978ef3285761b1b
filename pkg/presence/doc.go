// Package presence is Redis' memory of who was at their computer, and with which client.
//
// It promises:
//
//   - A report is one round trip, and so is a listing, even together; nothing is searched for.
//   - What is older than [Kept] is neither given nor kept for long, and an account has a bounded number
//     of clients, whatever they call themselves.
//   - A report that others are to be told of stays marked until [Keeper.Told]. So if whoever tells them
//     fails in between, the next report is one that they are to be told of.
package presence

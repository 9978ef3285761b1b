// Package presence is Redis' memory of who was at their computer, and with which client.
//
// It promises:
//
//   - A report is one round trip, and so is a listing, even together; nothing is searched for.
//   - What is older than [Kept] is neither given nor kept for long, and an account has a bounded number
//     of clients, whatever they call themselves.
//   - A report that has to be sent to others stays marked until [Keeper.Told]. So if that
//     fails, the next report has to be sent.
package presence

// Package presence tracks whether people are at their computer, and what they say of themselves (rest-api.md, section 4.9).
//
// Who is there is in Redis ([Keeper]):
//
//   - A report is one round trip, and so is a listing, even together; nothing is searched for.
//   - What is older than [Kept] is neither returned nor kept for long, and an account has a bounded number
//     of clients, whatever they call themselves.
//   - A report that must be sent to others stays marked until [Keeper.MarkReported]. So if that
//     fails, the next report must be sent.
//
// What people say is in the database, and so are events ([Service]). Redis and the database can't change in one step.
// Redis comes first: so an initial state that contains the event contains the report, too, and an event that couldn't
// be recorded is made up for by the next report.
package presence

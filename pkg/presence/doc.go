// Package presence tracks the presence and the statuses of people (rest-api.md, section 4.9).
//
// Presence is in Redis ([Store]):
//
//   - A report is one round trip, and so is a listing, or both together. Neither searches.
//   - Reports that are older than [Retention] aren't returned, and are deleted soon. An account has a bounded number
//     of clients, whatever they call themselves.
//   - A report that must be sent to others stays marked until [Store.MarkReported]. If sending fails, the next
//     report is sent.
//
// Statuses and events are in the database ([Service]). Redis and the database can't change atomically, so Redis
// changes first. Therefore an initial state that contains the event also contains the report, and if an event can't
// be recorded, the next report records one.
package presence

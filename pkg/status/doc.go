// Package status is what people say of themselves, and whether they are at their computer (rest-api.md,
// section 4.9).
//
// What they say is in the database. Who is there is in Redis (package presence), while events go through
// the database's log, so the two can't change in one step. Redis comes first, and remembers that others
// are marked as reported: so an initial state that contains the event contains the report, too, and an
// event that couldn't be recorded is made up for by the next report.
package status

package subscription

import (
	"context"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// Limits of a request. A transaction that emits events delays those of every organization until it ends
// (docs/decisions/0014-short-transactions.md).
const (
	// MaxStreams is the maximum number of streams to join and to leave together.
	MaxStreams = 100
	// MaxPeople is the maximum number of people.
	MaxPeople = 1000
	// maxMemberships is the maximum product of both.
	maxMemberships = 10_000
	// maxProperties is the maximum number of properties of the caller's own subscriptions.
	maxProperties = 1000
)

// The errors of requests that exceed a limit.
var (
	// ErrManyStreams says that there are more than [MaxStreams].
	ErrManyStreams = fault.Bad("Too many streams: the request has %d, the limit is %d.")
	// ErrManyPeople says that there are more than [MaxPeople].
	ErrManyPeople = fault.Bad("Too many principals: the request has %d, the limit is %d.")
	// ErrManyMemberships says that there are more than [maxMemberships].
	ErrManyMemberships = fault.Bad("Too many subscriptions at once: %d streams for %d principals are %d, the limit is %d.")
	// ErrManyProperties says that there are more than [maxProperties].
	ErrManyProperties = fault.Bad("Too many properties: the request has %d, the limit is %d.")
)

// The errors of creating too many streams. The limits apply to administrators, too.
var (
	// ErrFull says that the organization would have too many streams.
	ErrFull = fault.Bad("%d more streams would be more than this organization can have (limit: %d). Archive streams that nobody needs, or ask for a higher limit.")
	// ErrManyInDay says that the account would create too many streams within 24 hours, and when it may create these.
	ErrManyInDay = fault.Bad("%d more streams would be more than an account can make in 24 hours (limit: %d). Try again in %s, or ask for a higher limit.")
	// ErrManyForDay says that these are more than an account may create within 24 hours.
	ErrManyForDay = fault.Bad("%d streams are more than an account can make in 24 hours (limit: %d). Ask for a higher limit.")
)

// mayHave returns [ErrFull], [ErrManyInDay] or [ErrManyForDay] if this many new streams would exceed the limits of
// the organization or the account. Concurrent requests don't see each other's streams, so together they may exceed
// the limits by a few.
func mayHave(ctx context.Context, tx *store.Tx, who actor.Actor, o org.Org, more int) error {
	there, err := tx.CountStreams(ctx)
	if err != nil {
		return err
	}
	if int(there)+more > o.Settings.MaxStreams {
		return ErrFull.Format(more, o.Settings.MaxStreams)
	}
	perDay := o.Settings.MaxStreamsPerDay
	if more > perDay {
		return ErrManyForDay.Format(more, perDay)
	}
	seconds, err := tx.CreationLeavesDay(ctx, int64(who.User), int32(perDay-more)) // a setting has 31 bits
	switch {
	case store.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return ErrManyInDay.Format(more, perDay, wait(seconds))
}

// wait formats a duration in hours and minutes, rounded up: 5h12m.
func wait(seconds int64) string {
	minutes := (time.Duration(seconds)*time.Second + time.Minute - 1).Truncate(time.Minute)
	return strings.TrimSuffix(minutes.String(), "0s")
}

// checkSize checks the number of streams and people of a request.
func checkSize(streams int, whom Principals) error {
	people := max(1, len(whom.IDs)+len(whom.Emails)) // the caller alone, if nobody is named
	switch {
	case streams > MaxStreams:
		return ErrManyStreams.Format(streams, MaxStreams)
	case people > MaxPeople:
		return ErrManyPeople.Format(people, MaxPeople)
	case streams*people > maxMemberships:
		return ErrManyMemberships.Format(streams, people, streams*people, maxMemberships)
	default:
		return nil
	}
}

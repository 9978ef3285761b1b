package subscription

import "chatserver.dev/pkg/fault"

// What one request may be about. A transaction that records events holds back those of every
// organization until it ends (docs/decisions/0014-short-transactions.md).
const (
	// MaxStreams is the greatest number of streams, to join and to leave together.
	MaxStreams = 100
	// MaxPeople is the greatest number of people.
	MaxPeople = 1000
	// MaxMemberships is the greatest product of both.
	MaxMemberships = 10_000
	// MaxProperties is the greatest number of properties of the caller's own subscriptions.
	MaxProperties = 1000
)

// What is wrong with requests that are about too much.
var (
	// ErrManyStreams says that there are more than [MaxStreams].
	ErrManyStreams = fault.Bad("Too many streams: the request has %d, the limit is %d.")
	// ErrManyPeople says that there are more than [MaxPeople].
	ErrManyPeople = fault.Bad("Too many principals: the request has %d, the limit is %d.")
	// ErrManyMemberships says that there are more than [MaxMemberships].
	ErrManyMemberships = fault.Bad("Too many subscriptions at once: %d streams for %d principals are %d, the limit is %d.")
	// ErrManyProperties says that there are more than [MaxProperties].
	ErrManyProperties = fault.Bad("Too many properties: the request has %d, the limit is %d.")
)

// checkSize decides whether a request may be about so many streams and these people.
func checkSize(streams int, whom Principals) error {
	people := max(1, len(whom.IDs)+len(whom.Emails)) // the caller alone, if nobody is named
	switch {
	case streams > MaxStreams:
		return ErrManyStreams.Format(streams, MaxStreams)
	case people > MaxPeople:
		return ErrManyPeople.Format(people, MaxPeople)
	case streams*people > MaxMemberships:
		return ErrManyMemberships.Format(streams, people, streams*people, MaxMemberships)
	default:
		return nil
	}
}

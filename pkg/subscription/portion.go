package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

const (
	// portionRows bounds how many subscriptions one transaction changes, unless one person's are more.
	portionRows = 400
	// portionPeople bounds of how many people: each of them gets a message, and others hear of each in an event
	// that names all of them.
	portionPeople = 20
)

// portion is of how many people one transaction changes the subscriptions to some streams.
func portion(streams int) int { return max(1, min(portionPeople, portionRows/max(1, streams))) }

// adding is what is left of subscribing people to streams. Everything was checked before.
type adding struct {
	streams []id.Stream
	colors  map[id.Stream]string
	created []sqlc.Stream
	people  []person
	tell    bool // those who were subscribed by somebody else
}

// addMore subscribes some more of the people.
func (s *Service) addMore(ctx context.Context, tx *store.Tx, who actor.Actor, left adding, some []person) (Answer, error) {
	streams, err := lockAgain(ctx, tx, who, left.streams)
	if err != nil {
		return Answer{}, err
	}
	outcome, err := s.add(ctx, tx, streams, some, left.colors)
	if err != nil || !left.tell {
		return outcome.answer(), err
	}
	return outcome.answer(), s.tellSubscribed(ctx, tx, notice{who: who, created: left.created, outcome: outcome})
}

// removing is what is left of unsubscribing people from streams.
type removing struct {
	streams []id.Stream
	people  []person
}

// removeMore unsubscribes some more of the people.
func removeMore(ctx context.Context, tx *store.Tx, who actor.Actor, left removing, some []person) (Removed, error) {
	streams, err := lockAgain(ctx, tx, who, left.streams)
	if err != nil {
		return Removed{}, err
	}
	return remove(ctx, tx, streams, some)
}

// lockAgain takes the locks of streams and reads those that are still active.
func lockAgain(ctx context.Context, tx *store.Tx, who actor.Actor, streams []id.Stream) ([]sqlc.Stream, error) {
	for _, s := range slices.Sorted(slices.Values(streams)) {
		if err := tx.LockSubscriptions(ctx, s); err != nil {
			return nil, err
		}
	}
	rows := make([]sqlc.Stream, 0, len(streams))
	for _, s := range streams {
		row, err := tx.StreamByID(ctx, who.User, s)
		if err != nil {
			return nil, fmt.Errorf("read stream %d: %w", s, err)
		}
		if !row.Stream.Deactivated {
			rows = append(rows, row.Stream)
		}
	}
	return rows, stream.LockEnding(ctx, tx, rows...)
}

// include adds what became of other people.
func (a Answer) include(more Answer) {
	maps.Copy(a.Subscribed, more.Subscribed)
	maps.Copy(a.Already, more.Already)
}

// split is the first people of a list, those of one transaction, and the rest.
func split(people []person, streams int) (first, rest []person) {
	n := min(portion(streams), len(people))
	return people[:n], people[n:]
}

func streamIDs(rows []sqlc.Stream) []id.Stream {
	list := make([]id.Stream, len(rows))
	for i, row := range rows {
		list[i] = row.StreamID
	}
	return list
}

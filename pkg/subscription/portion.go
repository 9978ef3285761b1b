package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

const (
	// portionStreams bounds the subscriptions to how many streams one transaction changes, if there are new ones among
	// them: each of those gets a message.
	portionStreams = 6
	// portionKnown bounds to how many, if none is new.
	portionKnown = 20
	// portionRows bounds how many subscriptions one transaction changes.
	portionRows = 100
	// portionPeople bounds of how many people: each of them gets a message, and others are notified of each in an event
	// that names all of them.
	portionPeople = 20
)

// portion is of how many people one transaction changes the subscriptions to some streams, at most.
func portion(streams int) int { return max(1, min(portionPeople, portionRows/max(1, streams))) }

// part is a request that is about few enough streams for one transaction.
type part struct {
	request Request
	names   []string // of its streams, as they are stored; nil: nobody is subscribed
	leave   []string // of streams to be left; nil: none
	last    bool     // of the parts that a request was divided into
	news    news     // of the parts before
}

// divide divides a request. Where it makes several parts, it checks the whole of it first, and leaves out the names of
// streams that were named before.
func (s *Service) divide(ctx context.Context, who actor.Actor, request Request) ([]part, error) {
	names, err := cleanNames(request.Streams)
	if err != nil || len(names) <= portionStreams {
		return []part{{request: request, names: names, last: true}}, err
	}
	found := named{}
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if found, err = findNamed(ctx, tx, who, names); err != nil {
			return err
		}
		_, _, _, err = s.check(ctx, tx, who, o, request, found)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := []part(nil)
	for _, some := range found.chunks() {
		one := part{request: request}
		one.request.Streams = make([]Wanted, len(some))
		for i, at := range some {
			one.request.Streams[i] = request.Streams[at]
			one.names = append(one.names, names[at])
		}
		parts = append(parts, one)
	}
	parts[len(parts)-1].last = true
	return parts, nil
}

// chunks are the places of the names, in their order, as many at a time as one transaction is about.
func (n named) chunks() (chunks [][]int) {
	places := slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(n.missing), maps.Values(n.places))))
	room := 0 // for streams that are known
	for _, at := range places {
		cost := 1
		if slices.Contains(n.missing, at) {
			cost = portionKnown / portionStreams
		}
		if room < cost {
			chunks, room = append(chunks, nil), portionKnown
		}
		chunks[len(chunks)-1] = append(chunks[len(chunks)-1], at)
		room -= cost
	}
	return chunks
}

// adding is what is left of subscribing people to streams. Everything was checked before.
type adding struct {
	streams []id.Stream
	colors  map[id.Stream]string
	people  []person
	notify  bool // those who were subscribed by somebody else
	last    bool // part of the request
	news    news
}

// addRest subscribes the rest of the people to the streams of one part of a request, and adds to the answer.
func (s *Service) addRest(ctx context.Context, who actor.Actor, left *adding, answer *Answer) error {
	most := portion(len(left.streams))
	// Each transaction also reads all subscribers of the streams, so very small ones take long.
	pace := steps.NewPace(max(1, most/2), most, s.now)
	for len(left.people) > 0 {
		some := left.people[:min(pace.Rows(), len(left.people))]
		more, now := Answer{}, adding{}
		err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
			streams, err := lockAgain(ctx, tx, left.streams)
			if err != nil {
				return err
			}
			j, err := s.prepare(ctx, tx, streams, some)
			if err != nil {
				return err
			}
			more, now = j.answer(), *left
			now.news = left.news.with(who, j)
			notify, err := s.prepareSubscribed(ctx, tx, who, now, some)
			if err != nil {
				return err
			}
			pace.Begin(len(some))
			if err := j.write(ctx, tx, left.colors); err != nil {
				return err
			}
			return notify(ctx)
		})
		if err != nil {
			return err
		}
		pace.End()
		answer.include(more)
		left.news, left.people = now.news, left.people[len(some):]
	}
	return nil
}

// removing is what is left of unsubscribing people from streams, in portions.
type removing []struct {
	streams []id.Stream
	people  []person
}

// portions divides the streams and people of a request.
func portions(streams []id.Stream, whom []person) removing {
	list := removing{}
	for some := range slices.Chunk(streams, portionKnown) {
		for people := range slices.Chunk(whom, portion(len(some))) {
			list = append(list, removing{{some, people}}...)
		}
	}
	return list
}

// removeRest unsubscribes what is left, and adds to the answer.
func (s *Service) removeRest(ctx context.Context, who actor.Actor, left removing, answer *Answer) error {
	for _, some := range left {
		more := Answer{}
		err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
			streams, err := lockAgain(ctx, tx, some.streams)
			if err != nil {
				return err
			}
			if err := stream.LockEnding(ctx, tx, streams...); err != nil {
				return err
			}
			more, err = remove(ctx, tx, streams, some.people)
			return err
		})
		if err != nil {
			return err
		}
		answer.include(more)
	}
	return nil
}

// lockAgain takes the locks of streams and reads those that are still active.
func lockAgain(ctx context.Context, tx *store.Tx, streams []id.Stream) ([]sqlc.Stream, error) {
	for _, s := range slices.Sorted(slices.Values(streams)) {
		if err := tx.LockSubscriptions(ctx, s); err != nil {
			return nil, err
		}
	}
	rows := make([]sqlc.Stream, 0, len(streams))
	for _, s := range streams {
		row, err := tx.StreamByID(ctx, 0, s)
		if err != nil {
			return nil, fmt.Errorf("read stream %d: %w", s, err)
		}
		if !row.Stream.Deactivated {
			rows = append(rows, row.Stream)
		}
	}
	return rows, nil
}

func streamIDs(rows []sqlc.Stream) []id.Stream {
	return lists.Map(rows, func(row sqlc.Stream) id.Stream { return row.StreamID })
}

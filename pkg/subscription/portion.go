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
	"chatserver.dev/pkg/user"
)

const (
	// portionStreams is the maximum number of streams of one transaction if they are new. Each new stream gets a message.
	portionStreams = 6
	// portionKnown is the maximum number of streams of one transaction if none is new.
	portionKnown = 20
	// portionRows is the maximum number of subscriptions that one transaction changes.
	portionRows = 100
	// portionPeople is the maximum number of people of one transaction. Each receives a message, and is announced to the
	// other subscribers in an event that contains all of them.
	portionPeople = 20
)

// portion returns how many people's subscriptions to these many streams one transaction changes.
func portion(streams int) int { return max(1, min(portionPeople, portionRows/max(1, streams))) }

// part is a part of a request whose streams are few enough for one transaction.
type part struct {
	request Request
	names   []string // of its streams, as they are stored; nil: nobody is subscribed
	leave   []string // of streams to be left; nil: none
	last    bool     // it is the last part of the request
	news    news     // of earlier parts
}

// divide divides a request into parts. If there are several, it checks the whole request first, and leaves out repeated
// names.
func (s *Service) divide(ctx context.Context, who actor.Actor, request Request) ([]part, error) {
	names, err := cleanNames(request.Streams)
	if err != nil || len(names) <= portionStreams {
		return []part{{request: request, names: names, last: true}}, err
	}
	found, whom := named{}, []person(nil)
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if found, err = findNamed(ctx, tx, who, names); err != nil {
			return err
		}
		_, _, whom, err = s.check(ctx, tx, who, o, request, found)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := []part(nil)
	for _, some := range found.chunks(len(whom)) {
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

// chunks returns the indexes of the names, in order, divided into chunks for one transaction each. If there are many people, chunks
// have fewer streams, since each transaction reads all subscribers of its streams.
func (n named) chunks(people int) (chunks [][]int) {
	indexes := slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(n.missing), maps.Values(n.indexes))))
	known := portionKnown / min(portionKnown, portionRows/max(1, min(people, portionPeople))) // the share of a known stream
	room := 0                                                                                 // in the current chunk, in shares
	for _, at := range indexes {
		cost := known
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

// adding is the rest of a part that subscribes people to streams. It has been checked.
type adding struct {
	streams []id.Stream
	colors  map[id.Stream]string
	people  []person
	notify  bool // people whom another account subscribes
	last    bool // it is of the last part of the request
	news    news
}

// addRest subscribes the rest of the people to the streams of one part of a request, except for those who have been
// deactivated meanwhile, and adds the result to the answer.
func (s *Service) addRest(ctx context.Context, who actor.Actor, left *adding, answer *Answer) error {
	if err := s.skipJoined(ctx, who, left, answer); err != nil {
		return err
	}
	limit := portion(len(left.streams))
	// Each transaction also reads all subscribers of the streams, so many small ones would take long.
	pace := steps.NewPace(max(1, limit/2), limit, s.now)
	for len(left.people) > 0 {
		some := left.people[:min(pace.Rows(), len(left.people))]
		more, now := Answer{}, adding{}
		err := s.writeInTurn(ctx, who, func(tx *store.Tx, who actor.Actor) error {
			seen, err := lockAgain(ctx, tx, who.User, left.streams)
			if err != nil {
				return err
			}
			if err := s.mayStillAdd(ctx, tx, who, left, seen); err != nil {
				return err
			}
			streams := rowsOf(seen)
			active, err := stillActive(ctx, tx, some)
			if err != nil {
				return err
			}
			j, err := s.prepare(ctx, tx, streams, active)
			if err != nil {
				return err
			}
			more, now = j.answer(), *left
			now.news = left.news.with(who, j)
			notify, err := s.prepareSubscribed(ctx, tx, who, now, active)
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

// skipJoined adds the people who are in all of the streams already to the answer, and leaves them out of the rest, unless they are still to
// be notified.
func (s *Service) skipJoined(ctx context.Context, who actor.Actor, left *adding, answer *Answer) error {
	if len(left.people) == 0 {
		return nil
	}
	return s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := activeStreams(ctx, tx, who.User, left.streams)
		if err != nil {
			return err
		}
		j := joining{streams: rowsOf(seen)}
		if j.active, err = activeAmong(ctx, tx, j.streams, left.people); err != nil {
			return err
		}
		rest := []person(nil)
		for _, p := range left.people {
			if len(j.joined(p.id)) > 0 || left.last && len(left.news.joined[p.id]) > 0 {
				rest = append(rest, p)
			} else {
				j.people = append(j.people, p)
			}
		}
		answer.include(j.answer())
		left.people = rest
		return nil
	})
}

// write executes the only transaction of a request, or the first of several.
func (s *Service) write(ctx context.Context, who actor.Actor, f func(tx *store.Tx, who actor.Actor) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error { return f(tx, who) })
}

// writeInTurn executes a large transaction, or one of several of a request, when it is the organization's turn. Several requests of
// an account take turns for minutes, so f gets the caller as they are then. It fails with the errors of [user.Current].
func (s *Service) writeInTurn(ctx context.Context, who actor.Actor, f func(tx *store.Tx, who actor.Actor) error) error {
	return s.db.InTurn(ctx, who.Org(), func() error {
		return s.write(ctx, who, func(tx *store.Tx, who actor.Actor) error {
			now, err := user.Current(ctx, tx, who)
			if err != nil {
				return err
			}
			return f(tx, now)
		})
	})
}

// mayStillAdd fails if who may no longer subscribe people to the streams of a request, which it made some of.
func (s *Service) mayStillAdd(ctx context.Context, tx *store.Tx, who actor.Actor, left *adding, streams []stream.Visible) error {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	if err := s.maySubscribeOthers(who, o, left.notify); err != nil {
		return err
	}
	found := slices.DeleteFunc(slices.Clone(streams), func(seen stream.Visible) bool {
		return slices.ContainsFunc(left.news.created, func(row sqlc.Stream) bool { return row.StreamID == seen.StreamID })
	})
	if _, unauthorized := joinable(who, found); len(unauthorized) > 0 {
		return ErrNoAccess.Format(unauthorized[0])
	}
	return nil
}

// removal is a portion of a request that unsubscribes people from streams.
type removal struct {
	streams []id.Stream
	people  []person
	others  bool // they aren't the caller
}

// portions divides the streams and people of a request. others says whether they are others than the caller.
func portions(streams []id.Stream, whom []person, others bool) (list []removal) {
	for some := range slices.Chunk(streams, portionKnown) {
		for people := range slices.Chunk(whom, portion(len(some))) {
			list = append(list, removal{some, people, others})
		}
	}
	return list
}

// removeRest unsubscribes the rest, and adds the result to the answer.
func (s *Service) removeRest(ctx context.Context, who actor.Actor, left []removal, answer *Answer) error {
	for _, some := range left {
		more := Answer{}
		err := s.writeInTurn(ctx, who, func(tx *store.Tx, who actor.Actor) error {
			if some.others && !who.Role.IsAdmin() {
				return ErrNotAdmin
			}
			seen, err := lockAgain(ctx, tx, who.User, some.streams)
			if err != nil {
				return err
			}
			streams := rowsOf(seen)
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

// lockAgain takes the locks of streams and returns those that are still active, and whether who is subscribed.
func lockAgain(ctx context.Context, tx *store.Tx, who id.User, streams []id.Stream) ([]stream.Visible, error) {
	for _, s := range slices.Sorted(slices.Values(streams)) {
		if err := tx.LockSubscriptions(ctx, s); err != nil {
			return nil, err
		}
	}
	return activeStreams(ctx, tx, who, streams)
}

// activeStreams returns those of the streams that are active, in their order, and whether who is subscribed.
func activeStreams(ctx context.Context, tx *store.Tx, who id.User, streams []id.Stream) ([]stream.Visible, error) {
	seen := make([]stream.Visible, 0, len(streams))
	for _, s := range streams {
		row, err := tx.StreamByID(ctx, who, s)
		if err != nil {
			return nil, fmt.Errorf("read stream %d: %w", s, err)
		}
		if !row.Stream.Deactivated {
			seen = append(seen, stream.Visible{Stream: row.Stream, Subscribed: row.Subscribed})
		}
	}
	return seen, nil
}

func rowsOf(streams []stream.Visible) []sqlc.Stream {
	return lists.Map(streams, func(seen stream.Visible) sqlc.Stream { return seen.Stream })
}

func streamIDs(rows []sqlc.Stream) []id.Stream {
	return lists.Map(rows, func(row sqlc.Stream) id.Stream { return row.StreamID })
}

package subscription

import (
	"context"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// The errors of unsubscribing (rest-api.md, section 3.5), besides [ErrPrincipal], [ErrCreate] and those of invalid names
// of streams.
var (
	// ErrNotAdmin says that only administrators may unsubscribe others.
	ErrNotAdmin = fault.Plain("This action requires administrative rights")
	// ErrNoStreams says that there are no streams with some of the names.
	ErrNoStreams = fault.Bad("Stream(s) (%s) do not exist")
)

// leaving returns the names of the streams to leave in their stored form. It fails with [ErrNotAdmin] if who
// may not unsubscribe these people.
func leaving(who actor.Actor, names []string, whom Principals) ([]string, error) {
	if whom.others(who) && !who.Role.IsAdmin() {
		return nil, ErrNotAdmin
	}
	return cleanNames(lists.Map(names, func(name string) Wanted { return Wanted{Name: name} }))
}

func (s *Service) unsubscribe(
	ctx context.Context, tx *store.Tx, who actor.Actor, o org.Org, names []string, whom Principals,
) (answer Answer, left []removal, err error) {
	found, err := lockNamed(ctx, tx, who, names)
	if err != nil {
		return answer, nil, err
	}
	if len(found.missing) > 0 {
		if !o.Settings.CreateStreamPolicy.Allows(who, s.now()) {
			return answer, nil, ErrCreate
		}
		unknown := lists.Map(found.missing, func(at int) string { return names[at] })
		return answer, nil, ErrNoStreams.Format(strings.Join(unknown, ", "))
	}
	people, err := people(ctx, tx, o, who, whom)
	if err != nil {
		return answer, nil, err
	}
	streams := rowsOf(found.known)
	all := portions(streamIDs(streams), people, whom.others(who))
	if len(all) == 0 {
		return answer, nil, nil
	}
	answer, err = remove(ctx, tx, streams[:len(all[0].streams)], all[0].people)
	return answer, all[1:], err
}

// remove unsubscribes all of the people from all of the streams and emits the events. The caller holds the streams' locks.
func remove(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, people []person) (answer Answer, err error) {
	active, err := activeAmong(ctx, tx, streams, people)
	if err != nil {
		return answer, err
	}
	ended, left, leavers := []event.Membership(nil), []event.Event{}, map[id.Stream][]id.User{}
	for _, p := range people {
		removed := event.SubscriptionRemoved{User: p.id}
		for _, row := range streams {
			membership := event.Membership{Stream: row.StreamID, User: p.id}
			if !active[membership] {
				answer.NotRemoved = append(answer.NotRemoved, row.Name)
				continue
			}
			answer.Removed = append(answer.Removed, row.Name)
			removed.Streams = append(removed.Streams, event.StreamName{ID: row.StreamID, Name: row.Name})
			leavers[row.StreamID], ended = append(leavers[row.StreamID], p.id), append(ended, membership)
		}
		if len(removed.Streams) > 0 {
			left = append(left, removed)
		}
	}
	if len(ended) == 0 {
		return answer, nil
	}
	// Everything is read before the first write.
	leaving, err := stream.PrepareLeaving(ctx, tx, ended)
	if err != nil {
		return answer, err
	}
	before, err := readSubscribers(ctx, tx, streams)
	if err != nil {
		return answer, err
	}
	peers := []event.Event{}
	for _, row := range streams {
		for _, user := range leavers[row.StreamID] {
			peers = append(peers, event.PeerRemoved{Stream: row.StreamID, Private: row.InviteOnly, User: user, Altered: leavers[row.StreamID]})
		}
	}
	// The order of the events is that of events.md, section 3.9.
	if err := tx.Emit(ctx, left...); err != nil {
		return answer, err
	}
	if err := leaving.Write(ctx, tx); err != nil {
		return answer, err
	}
	if err := tx.Emit(ctx, peers...); err != nil {
		return answer, err
	}
	return answer, leaveEmpty(ctx, tx, streams, before, leavers)
}

// leaveEmpty deactivates private streams that lost their last subscriber, and emits an event for public ones.
func leaveEmpty(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, before, leavers map[id.Stream][]id.User) error {
	for _, row := range streams {
		stays := func(user id.User) bool { return !slices.Contains(leavers[row.StreamID], user) }
		var err error
		switch {
		case len(leavers[row.StreamID]) == 0 || slices.ContainsFunc(before[row.StreamID], stays):
			continue
		case row.InviteOnly:
			_, err = stream.End(ctx, tx, row) // only deactivated accounts are still subscribed
		default:
			err = tx.Emit(ctx, event.StreamVacated{Streams: []event.Stream{stream.Object(row)}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

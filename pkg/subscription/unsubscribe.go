package subscription

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mark"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// What unsubscribing fails with (rest-api.md, section 3.5), beside [ErrPrincipal], [ErrCreate] and
// what can be wrong with names of streams.
var (
	// ErrNotAdmin says that only administrators may unsubscribe others.
	ErrNotAdmin = fault.Plain("This action requires administrative rights")
	// ErrNoStreams says that there are no streams with some of the names.
	ErrNoStreams = fault.Bad("Stream(s) (%s) do not exist")
)

// Removed is what became of unsubscribing: the name of the stream for each person and stream.
type Removed struct {
	Removed    []string
	NotRemoved []string // who wasn't subscribed
}

// Unsubscribe unsubscribes people from the streams with these names. A private stream that loses its
// last subscriber is deactivated. Many people are unsubscribed in several transactions, as in [Service.Subscribe].
func (s *Service) Unsubscribe(ctx context.Context, who actor.Actor, names []string, whom Principals) (Removed, error) {
	if err := checkSize(len(names), whom); err != nil {
		return Removed{}, err
	}
	names, err := leaving(who, names, whom)
	if err != nil {
		return Removed{}, err
	}
	removed, left := Removed{}, removing(nil)
	err = s.db.Write(ctx, who.Org(), func(tx *store.Tx) (err error) {
		removed, left, err = s.unsubscribe(ctx, tx, who, names, whom)
		return err
	})
	if err != nil {
		return Removed{}, err
	}
	if err := s.removeRest(ctx, who, left, &removed); err != nil {
		return Removed{}, err
	}
	return removed, nil
}

// include adds what became of other people.
func (r *Removed) include(more Removed) {
	r.Removed = append(r.Removed, more.Removed...)
	r.NotRemoved = append(r.NotRemoved, more.NotRemoved...)
}

// leaving returns the stored names of the streams to be left, if who may unsubscribe these people
// leave any.
func leaving(who actor.Actor, names []string, whom Principals) ([]string, error) {
	if whom.others(who) && !who.Role.IsAdmin() {
		return nil, ErrNotAdmin
	}
	wanted := make([]Wanted, len(names))
	for i, name := range names {
		wanted[i].Name = name
	}
	return cleanNames(wanted)
}

func (s *Service) unsubscribe(
	ctx context.Context, tx *store.Tx, who actor.Actor, names []string, whom Principals,
) (removed Removed, left removing, err error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return Removed{}, nil, err
	}
	found, err := lockNamed(ctx, tx, who, names)
	if err != nil {
		return Removed{}, nil, err
	}
	if len(found.missing) > 0 {
		if !permit.CreateStreams(who, o.Settings.CreateStreamPolicy, s.now()) {
			return Removed{}, nil, ErrCreate
		}
		unknown := make([]string, len(found.missing))
		for i, at := range found.missing {
			unknown[i] = names[at]
		}
		return Removed{}, nil, ErrNoStreams.Format(strings.Join(unknown, ", "))
	}
	leaving, err := people(ctx, tx, o, who, whom)
	if err != nil {
		return Removed{}, nil, err
	}
	streams := make([]sqlc.Stream, len(found.known))
	for i, seen := range found.known {
		streams[i] = seen.Stream
	}
	all := portions(streamIDs(streams), leaving)
	if len(all) == 0 {
		return Removed{Removed: []string{}, NotRemoved: []string{}}, nil, nil
	}
	removed, err = remove(ctx, tx, streams[:len(all[0].streams)], all[0].people)
	return removed, all[1:], err
}

// remove unsubscribes all of the people from all of the streams, whose locks are held, and records the events of
// it.
func remove(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, leaving []person) (Removed, error) {
	removed := Removed{Removed: []string{}, NotRemoved: []string{}}
	rows, err := tx.SubscriptionsAmong(ctx, streamNumbers(streams), userNumbers(leaving))
	if err != nil {
		return Removed{}, fmt.Errorf("read subscriptions: %w", err)
	}
	active := make(map[event.Membership]bool, len(rows))
	for _, row := range rows {
		active[event.Membership{Stream: row.StreamID, User: row.UserID}] = row.Active
	}

	ended := event.Change{}
	events := []event.Event{}
	leavers := map[id.Stream][]id.User{}
	for _, p := range leaving {
		left := event.SubscriptionRemoved{User: p.id}
		for _, row := range streams {
			if !active[event.Membership{Stream: row.StreamID, User: p.id}] {
				removed.NotRemoved = append(removed.NotRemoved, row.Name)
				continue
			}
			removed.Removed = append(removed.Removed, row.Name)
			left.Streams = append(left.Streams, event.StreamName{ID: row.StreamID, Name: row.Name})
			leavers[row.StreamID] = append(leavers[row.StreamID], p.id)
		}
		if len(left.Streams) > 0 {
			events = append(events, left)
			ended.Unsubscribed = append(ended.Unsubscribed, left.Change().Unsubscribed...)
		}
	}
	if len(events) == 0 {
		return removed, nil
	}
	// Everything is read before the first write.
	unread, err := mark.Look(ctx, tx, ended.Unsubscribed)
	if err != nil {
		return Removed{}, err
	}
	before, err := subscribers(ctx, tx, streamNumbers(streams))
	if err != nil {
		return Removed{}, err
	}
	for _, row := range streams {
		for _, user := range leavers[row.StreamID] {
			events = append(events, event.PeerRemoved{Stream: row.StreamID, Private: row.InviteOnly, User: user, Altered: leavers[row.StreamID]})
		}
	}
	if err := end(ctx, tx, ended.Unsubscribed); err != nil {
		return Removed{}, err
	}
	if err := unread.Read(ctx, tx); err != nil {
		return Removed{}, err
	}
	if err := tx.EmitAll(ctx, events); err != nil {
		return Removed{}, err
	}
	return removed, leaveEmpty(ctx, tx, streams, before, leavers)
}

// end writes that subscriptions ended.
func end(ctx context.Context, tx *store.Tx, ended []event.Membership) error {
	streams, users := make([]int64, len(ended)), make([]int64, len(ended))
	for i, m := range ended {
		streams[i], users[i] = int64(m.Stream), int64(m.User)
	}
	if err := tx.Unsubscribe(ctx, streams, users); err != nil {
		return fmt.Errorf("unsubscribe: %w", err)
	}
	return nil
}

// leaveEmpty deals with the streams that lost their last subscriber.
func leaveEmpty(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, before, leavers map[id.Stream][]id.User) error {
	for _, row := range streams {
		stays := func(user id.User) bool { return !slices.Contains(leavers[row.StreamID], user) }
		var err error
		switch {
		case len(leavers[row.StreamID]) == 0 || slices.ContainsFunc(before[row.StreamID], stays):
			continue
		case row.InviteOnly:
			_, err = stream.End(ctx, tx, row) // what is left are deactivated accounts
		default:
			err = tx.Emit(ctx, event.StreamVacated{Streams: []event.Stream{stream.Object(row)}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package subscription

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// outcome is what became of subscribing some people to some streams.
type outcome struct {
	streams []sqlc.Stream
	people  []person
	// added are the memberships that are new; all others were there.
	added map[event.Membership]bool
}

// newcomers are those who are new in a stream, in the order of the people.
func (o outcome) newcomers(s id.Stream) []person {
	list := []person{}
	for _, p := range o.people {
		if o.added[event.Membership{Stream: s, User: p.id}] {
			list = append(list, p)
		}
	}
	return list
}

// joined are the streams that a person is new in, in the order of the streams.
func (o outcome) joined(user id.User) []sqlc.Stream {
	list := []sqlc.Stream{}
	for _, row := range o.streams {
		if o.added[event.Membership{Stream: row.StreamID, User: user}] {
			list = append(list, row)
		}
	}
	return list
}

func (o outcome) answer() Answer {
	a := Answer{Subscribed: map[string][]string{}, Already: map[string][]string{}}
	for _, p := range o.people {
		for _, row := range o.streams {
			names := a.Already
			if o.added[event.Membership{Stream: row.StreamID, User: p.id}] {
				names = a.Subscribed
			}
			names[p.email] = append(names[p.email], row.Name)
		}
	}
	return a
}

// known is what is read of some streams and people before they are subscribed.
type known struct {
	active      map[event.Membership]bool
	used        map[id.User]map[string]bool // colors
	count       map[id.User]int             // of subscriptions
	subscribers map[id.Stream][]id.User
	traffic     map[id.Stream]*int
}

// know reads what there is to know of streams, whose locks are held, and of people.
func (s *Service) know(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, whom []person) (k known, err error) {
	k = known{
		active: map[event.Membership]bool{}, used: make(map[id.User]map[string]bool, len(whom)), count: make(map[id.User]int, len(whom)),
	}
	users := userNumbers(whom)
	rows, err := tx.SubscriptionsAmong(ctx, streamNumbers(streams), users)
	if err != nil {
		return k, fmt.Errorf("read subscriptions: %w", err)
	}
	for _, row := range rows {
		k.active[event.Membership{Stream: row.StreamID, User: row.UserID}] = row.Active
	}
	taken, err := tx.ColorsOf(ctx, users)
	if err != nil {
		return k, fmt.Errorf("read colors: %w", err)
	}
	for _, p := range whom {
		k.used[p.id] = map[string]bool{}
	}
	for _, row := range taken {
		k.used[row.UserID][row.Color] = true
		k.count[row.UserID]++
	}
	if k.subscribers, err = subscribers(ctx, tx, streamNumbers(streams)); err != nil {
		return k, err
	}
	k.traffic, err = s.traffic(ctx, tx, streams)
	return k, err
}

// outcome is what becomes of subscribing people to streams.
func (k known) outcome(streams []sqlc.Stream, whom []person) outcome {
	o := outcome{streams: streams, people: whom, added: map[event.Membership]bool{}}
	for _, p := range whom {
		for _, row := range streams {
			if membership := (event.Membership{Stream: row.StreamID, User: p.id}); !k.active[membership] {
				o.added[membership] = true
			}
		}
	}
	return o
}

// add subscribes people to streams, and emits the events. Of streams that the transaction has just made nothing is
// known. Colors are for subscriptions that are new altogether; empty ones are chosen here.
func (k known) add(ctx context.Context, tx *store.Tx, o outcome, colors map[id.Stream]string) error {
	if len(o.added) == 0 {
		return nil
	}
	params := k.missing(o, colors)
	rows, err := tx.Subscribe(ctx, params.streams, params.users, params.colors)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	own := make(map[event.Membership]sqlc.Subscription, len(rows))
	for _, row := range rows {
		own[event.Membership{Stream: row.StreamID, User: row.UserID}] = row
	}
	return k.emit(ctx, tx, o, own)
}

// additions are parallel lists, as the query takes them.
type additions struct {
	streams, users []int64
	colors         []string
}

// missing are the memberships that aren't there, with their colors.
func (k known) missing(o outcome, colors map[id.Stream]string) additions {
	palette := palette()
	list := additions{}
	for _, p := range o.people {
		for _, row := range o.joined(p.id) {
			color := colors[row.StreamID]
			if color == "" {
				color = pickColor(palette, k.used[p.id], k.count[p.id])
			}
			k.used[p.id][color] = true
			k.count[p.id]++
			list.streams = append(list.streams, int64(row.StreamID))
			list.users = append(list.users, int64(p.id))
			list.colors = append(list.colors, color)
		}
	}
	return list
}

// emit records the events of what was added, in the order that clients rely on (events.md, section
// 3.9).
func (k known) emit(ctx context.Context, tx *store.Tx, o outcome, own map[event.Membership]sqlc.Subscription) error {
	all := make(map[id.Stream][]id.User, len(o.streams))
	for _, row := range o.streams {
		all[row.StreamID] = slices.Sorted(slices.Values(slices.Concat(k.subscribers[row.StreamID], ids(o.newcomers(row.StreamID)))))
	}
	events := []event.Event{}
	for _, row := range o.streams {
		events = append(events, appearance(row, o.newcomers(row.StreamID), all[row.StreamID])...)
	}
	together := event.SubscriptionsAdded{}
	for _, p := range o.people {
		added := event.SubscriptionAdded{User: p.id}
		for _, row := range o.joined(p.id) {
			subscription := object(row, own[event.Membership{Stream: row.StreamID, User: p.id}])
			subscription.WeeklyTraffic, subscription.Subscribers = k.traffic[row.StreamID], all[row.StreamID]
			added.Subscriptions = append(added.Subscriptions, subscription)
		}
		if len(added.Subscriptions) > 0 {
			together = append(together, added)
		}
	}
	if len(together) == 1 {
		events = append(events, together[0])
	} else {
		events = append(events, together)
	}
	for _, row := range o.streams {
		altered := ids(o.newcomers(row.StreamID))
		for _, user := range altered {
			events = append(events, event.PeerAdded{Stream: row.StreamID, Private: row.InviteOnly, User: user, Altered: altered})
		}
	}
	return tx.EmitAll(ctx, events)
}

// appearance returns the events that make a stream visible to somebody: a public one that had no
// subscribers into everyone's, a private one into that of newcomers who aren't administrators.
func appearance(row sqlc.Stream, newcomers []person, subscribers []id.User) []event.Event {
	switch {
	case len(newcomers) == 0:
		return nil
	case row.InviteOnly:
		others := slices.DeleteFunc(slices.Clone(newcomers), func(p person) bool { return p.role.IsAdmin() })
		if len(others) == 0 {
			return nil
		}
		return []event.Event{event.StreamCreated{Streams: []event.Stream{stream.Object(row)}, To: ids(others)}}
	case len(newcomers) == len(subscribers):
		guests := slices.DeleteFunc(slices.Clone(newcomers), func(p person) bool { return p.role < actor.Guest })
		return []event.Event{event.StreamOccupied{Streams: []event.Stream{stream.Object(row)}, Guests: ids(guests)}}
	default:
		return nil
	}
}

func ids(people []person) []id.User {
	list := make([]id.User, len(people))
	for i, p := range people {
		list[i] = p.id
	}
	return list
}

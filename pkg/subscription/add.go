package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// joining is the subscription of some people to some streams in one transaction. The maps have no entries for streams that
// the transaction has just created.
type joining struct {
	streams     []sqlc.Stream
	people      []person
	active      map[event.Membership]bool   // existing subscriptions
	used        map[id.User]map[string]bool // colors in use
	count       map[id.User]int             // number of subscriptions
	subscribers map[id.Stream][]id.User     // before the change, of streams that somebody joins
	traffic     map[id.Stream]*int          // weekly, of the same streams
	mailIn      gateway.Pattern
}

// prepare reads the data of a joining. The caller holds the locks of the streams.
func (s *Service) prepare(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, whom []person) (j joining, err error) {
	j = joining{
		streams: streams, people: whom, mailIn: s.orgs.Config().MailIn,
		used: make(map[id.User]map[string]bool, len(whom)), count: make(map[id.User]int, len(whom)),
	}
	if j.active, err = activeAmong(ctx, tx, streams, whom); err != nil {
		return j, err
	}
	taken, err := tx.ColorsOf(ctx, userNumbers(whom))
	if err != nil {
		return j, err
	}
	for _, p := range whom {
		j.used[p.id] = map[string]bool{}
	}
	for _, row := range taken {
		j.used[row.UserID][row.Color] = true
		j.count[row.UserID]++
	}
	// Streams that nobody joins have no events, and may have many subscribers.
	streams = slices.DeleteFunc(slices.Clone(streams), func(row sqlc.Stream) bool { return len(j.newcomers(row.StreamID)) == 0 })
	if len(streams) == 0 {
		return j, nil
	}
	if j.subscribers, err = readSubscribers(ctx, tx, streams); err != nil {
		return j, err
	}
	j.traffic, err = s.traffic(ctx, tx, streams)
	return j, err
}

// activeAmong returns the subscriptions of these people to these streams; true: active.
func activeAmong(ctx context.Context, tx *store.Tx, streams []sqlc.Stream, whom []person) (map[event.Membership]bool, error) {
	rows, err := tx.SubscriptionsAmong(ctx, streamNumbers(streams), userNumbers(whom))
	active := make(map[event.Membership]bool, len(rows))
	for _, row := range rows {
		active[event.Membership{Stream: row.StreamID, User: row.UserID}] = row.Active
	}
	return active, err
}

// newcomers returns the people who are not subscribed to a stream yet, in the order of the people.
func (j joining) newcomers(in id.Stream) []person {
	return slices.DeleteFunc(slices.Clone(j.people), func(p person) bool { return j.active[event.Membership{Stream: in, User: p.id}] })
}

// joined returns the streams that a person is not subscribed to yet, in the order of the streams.
func (j joining) joined(user id.User) []sqlc.Stream {
	return slices.DeleteFunc(slices.Clone(j.streams), func(row sqlc.Stream) bool { return j.active[event.Membership{Stream: row.StreamID, User: user}] })
}

func (j joining) answer() Answer {
	a := newAnswer()
	for _, p := range j.people {
		for _, row := range j.streams {
			names := a.Subscribed
			if j.active[event.Membership{Stream: row.StreamID, User: p.id}] {
				names = a.Already
			}
			names[p.email] = append(names[p.email], row.Name)
		}
	}
	return a
}

// write subscribes the people and emits the events. colors apply to subscriptions that never existed before; for an empty
// one, write picks a color.
func (j joining) write(ctx context.Context, tx *store.Tx, colors map[id.Stream]string) error {
	palette := palette()
	streams, users, chosen := []int64(nil), []int64(nil), []string(nil)
	for _, p := range j.people {
		for _, row := range j.joined(p.id) {
			color := colors[row.StreamID]
			if color == "" {
				color = pickColor(palette, j.used[p.id], j.count[p.id])
			}
			j.used[p.id][color] = true
			j.count[p.id]++
			streams, users, chosen = append(streams, int64(row.StreamID)), append(users, int64(p.id)), append(chosen, color)
		}
	}
	if len(streams) == 0 {
		return nil
	}
	rows, err := tx.Subscribe(ctx, streams, users, chosen)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, j.events(lists.Index(rows, func(row sqlc.Subscription) event.Membership {
		return event.Membership{Stream: row.StreamID, User: row.UserID}
	}))...)
}

// events returns the events of the new subscriptions, in the order that clients rely on (events.md, section 3.9).
func (j joining) events(own map[event.Membership]sqlc.Subscription) []event.Event {
	events, all := []event.Event{}, make(map[id.Stream][]id.User, len(j.streams))
	for _, row := range j.streams {
		newcomers := j.newcomers(row.StreamID)
		if len(newcomers) == 0 {
			continue
		}
		all[row.StreamID] = slices.Sorted(slices.Values(slices.Concat(j.subscribers[row.StreamID], ids(newcomers))))
		events = append(events, appearance(row, newcomers, all[row.StreamID])...)
	}
	together := event.SubscriptionsAdded{}
	for _, p := range j.people {
		added := event.SubscriptionAdded{User: p.id}
		for _, row := range j.joined(p.id) {
			subscription := object(row, own[event.Membership{Stream: row.StreamID, User: p.id}], j.mailIn)
			subscription.WeeklyTraffic, subscription.Subscribers = j.traffic[row.StreamID], all[row.StreamID]
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
	for _, row := range j.streams {
		altered := ids(j.newcomers(row.StreamID))
		for _, user := range altered {
			events = append(events, event.PeerAdded{Stream: row.StreamID, Private: row.InviteOnly, User: user, Altered: altered})
		}
	}
	return events
}

// appearance returns the events that make a stream visible: a public one without subscribers so far to everybody, a
// private one to the newcomers who aren't administrators.
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
	return lists.Map(people, func(p person) id.User { return p.id })
}

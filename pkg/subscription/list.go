package subscription

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// List returns the caller's subscriptions to active streams, by name, with each stream's subscribers if requested.
func (s *Service) List(ctx context.Context, who actor.Actor, withSubscribers bool) ([]event.Subscription, error) {
	list := []event.Subscription{}
	err := s.db.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		rows, err := tx.SubscriptionsOf(ctx, who.User, false)
		if err != nil {
			return err
		}
		complete, err := s.completer(ctx, tx, who, streamsOf(rows), withSubscribers)
		if err != nil {
			return err
		}
		list = lists.Map(rows, complete.own)
		return nil
	})
	return list, err
}

// NeverSubscribed is a stream that its viewer was never subscribed to.
type NeverSubscribed struct {
	event.Stream
	// WeeklyTraffic is the rounded number of messages a week; null for a stream younger than a week.
	WeeklyTraffic *int `json:"stream_weekly_traffic"`
	// Subscribers are the active accounts subscribed, ascending; absent where not asked for or not the
	// viewer's to know.
	Subscribers []id.User `json:"subscribers,omitzero"`
}

// State is the subscriptions in the initial state of a registration (events.md, section 1.6.3). Each list is sorted by
// name.
type State struct {
	Subscribed      []event.Subscription
	Unsubscribed    []event.Subscription
	NeverSubscribed []NeverSubscribed
}

// Inherited are the account's own notification settings, for clients that don't support null in subscriptions.
type Inherited struct{ Desktop, Audible, Push, Email bool }

// StateOptions are the options of a registration.
type StateOptions struct {
	Subscribers bool
	// Inherit, if it isn't nil, replaces settings that are null.
	Inherit *Inherited
}

// State returns the initial state for who.
func (s *Service) State(ctx context.Context, tx *store.Tx, who actor.Actor, options StateOptions) (State, error) {
	rows, err := tx.SubscriptionsOf(ctx, who.User, true)
	if err != nil {
		return State{}, err
	}
	never := []sqlc.Stream{}
	if who.Role < actor.Guest {
		if never, err = tx.StreamsNeverSubscribed(ctx, who.Role.IsAdmin(), who.User); err != nil {
			return State{}, err
		}
	}
	complete, err := s.completer(ctx, tx, who, append(streamsOf(rows), never...), options.Subscribers)
	if err != nil {
		return State{}, err
	}
	state := State{Subscribed: []event.Subscription{}, Unsubscribed: []event.Subscription{}}
	for _, row := range rows {
		own := complete.own(row)
		if options.Inherit != nil {
			options.Inherit.fill(&own)
		}
		if row.Subscription.Active {
			state.Subscribed = append(state.Subscribed, own)
		} else {
			state.Unsubscribed = append(state.Unsubscribed, own)
		}
	}
	state.NeverSubscribed = lists.Map(never, func(row sqlc.Stream) NeverSubscribed {
		return NeverSubscribed{stream.Object(row), complete.traffic[row.StreamID], complete.visible(stream.Visible{Stream: row})}
	})
	return state, nil
}

// fill replaces settings that are null by the account's. The one for wildcard mentions stays null
// (events.md, section 1.3).
func (in Inherited) fill(own *event.Subscription) {
	for _, setting := range [...]struct {
		own     **bool
		account bool
	}{
		{&own.DesktopNotifications, in.Desktop},
		{&own.AudibleNotifications, in.Audible},
		{&own.PushNotifications, in.Push},
		{&own.EmailNotifications, in.Email},
	} {
		if *setting.own == nil {
			*setting.own = &setting.account
		}
	}
}

// completer has the data that the objects of streams need besides their rows.
type completer struct {
	who         actor.Actor
	mailIn      gateway.Pattern
	traffic     map[id.Stream]*int
	subscribers map[id.Stream][]id.User // nil: not asked for
}

func (s *Service) completer(
	ctx context.Context, tx *store.Tx, who actor.Actor, streams []sqlc.Stream, withSubscribers bool,
) (completer, error) {
	traffic, err := s.traffic(ctx, tx, streams)
	c := completer{who: who, traffic: traffic, mailIn: s.orgs.Config().MailIn}
	if err == nil && withSubscribers {
		c.subscribers, err = s.subscribers(ctx, tx, streams)
	}
	return c, err
}

func (c completer) own(row sqlc.SubscriptionsOfRow) event.Subscription {
	own, seen := object(row.Stream, row.Subscription, c.mailIn), stream.Visible{Stream: row.Stream, Subscribed: row.Subscription.Active}
	if !permit.ReadSubscribers(c.who.Role, seen.View()) {
		own.EmailAddress = "" // knowing it permits sending
	}
	own.WeeklyTraffic = c.traffic[row.Stream.StreamID]
	own.Subscribers = c.visible(seen)
	return own
}

// visible returns the stream's subscribers if they were requested and the viewer may see them, or nil.
func (c completer) visible(seen stream.Visible) []id.User {
	if c.subscribers == nil || !permit.ReadSubscribers(c.who.Role, seen.View()) {
		return nil
	}
	if users := c.subscribers[seen.StreamID]; users != nil {
		return users
	}
	return []id.User{}
}

func streamsOf(rows []sqlc.SubscriptionsOfRow) []sqlc.Stream {
	return lists.Map(rows, func(row sqlc.SubscriptionsOfRow) sqlc.Stream { return row.Stream })
}

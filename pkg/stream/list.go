package stream

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrNotForAll says that only administrators may list all streams.
var ErrNotForAll = fault.Bad("User not authorized for this query")

// Filter selects active streams: the union of the sets whose members are true.
type Filter struct {
	Public          bool // none for guests
	WebPublic       bool
	Subscribed      bool
	OwnerSubscribed bool // those that a bot's owner is subscribed to
	Default         bool // the default streams; none for guests
	All             bool // for administrators only
}

// Listed is a stream in a list.
type Listed struct {
	event.Stream
	IsDefault bool
}

// List returns the active streams that match the filter, by name, including those without subscribers. It fails with
// [ErrNotForAll].
func (s *Service) List(ctx context.Context, who actor.Actor, filter Filter) ([]Listed, error) {
	if filter.All && !who.Role.IsAdmin() {
		return nil, ErrNotForAll
	}
	guest := who.Role >= actor.Guest
	subscribedBy := []int64{}
	if filter.Subscribed {
		subscribedBy = append(subscribedBy, int64(who.User))
	}
	if filter.OwnerSubscribed && who.IsBot() && who.BotOwner != 0 {
		subscribedBy = append(subscribedBy, int64(who.BotOwner))
	}
	list := []Listed{}
	err := s.db.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		rows, err := tx.ListStreams(ctx, sqlc.ListStreamsParams{
			Every: filter.All, Public: filter.Public && !guest, WebPublic: filter.WebPublic,
			Defaults: filter.Default && !guest, SubscribedBy: subscribedBy,
		})
		list = lists.Map(rows, func(row sqlc.Stream) Listed { return Listed{Object(row), row.IsDefault} })
		return err
	})
	return list, err
}

// Find returns the id of the active stream with a name, without regard to case, or [ErrInvalidName].
func (s *Service) Find(ctx context.Context, who actor.Actor, name string) (id.Stream, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) (id.Stream, error) {
		seen, err := ByName(ctx, tx, who, name)
		return seen.StreamID, err
	})
}

// State is the streams in the initial state of a registration (events.md, section 1.6.6).
type State struct {
	Streams  []event.Stream // streams
	Defaults []event.Stream // realm_default_streams
}

// ReadState returns the initial state for who: the streams with subscribers that who sees, and the default streams. Both
// are sorted by name.
func ReadState(ctx context.Context, tx *store.Tx, who actor.Actor) (State, error) {
	guest := who.Role >= actor.Guest
	rows, err := tx.OccupiedStreams(ctx, !guest, who.User)
	if err != nil {
		return State{}, err
	}
	state := State{Streams: lists.Map(rows, Object), Defaults: []event.Stream{}}
	if guest {
		return state, nil
	}
	defaults, err := tx.DefaultStreams(ctx)
	state.Defaults = lists.Map(defaults, Object)
	return state, err
}

package message

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// The errors of [Service.Typing] (rest-api.md, section 2.15), besides [ErrInvalidUser].
var (
	ErrTypingTo = fault.Bad("Missing parameter: 'to' (recipient)")
	ErrTypingOp = fault.Bad("Invalid 'op' value (should be start or stop)")
)

// Typing notifies the participants of a private conversation that the caller starts ("start") or stops
// ("stop") typing there. Nothing is stored except the event.
func (s *Service) Typing(ctx context.Context, who actor.Actor, op string, to []id.User) error {
	switch {
	case len(to) == 0:
		return ErrTypingTo
	case op != "start" && op != "stop":
		return ErrTypingOp
	}
	to = slices.Clone(to)
	slices.Sort(to)
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		people, err := findPeople(ctx, tx, o, PeopleRef{IDs: slices.Compact(to)})
		if err != nil {
			return err
		}
		if people, err = participants(ctx, tx, who, people); err != nil {
			return err
		}
		e := event.Typing{Op: op, Sender: event.Typist{UserID: who.User, Email: who.Email}}
		for _, u := range people {
			e.Recipients = append(e.Recipients, event.Typist{UserID: u.ID, Email: user.DisplayEmail(o, u)})
		}
		return tx.Emit(ctx, e)
	})
}

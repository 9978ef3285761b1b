package subscription

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// ErrUserDeactivated says that the account in question is deactivated (rest-api.md, section 1.9).
var ErrUserDeactivated = fault.Bad("User is deactivated")

// Members returns the active accounts that are subscribed to a stream, ascending. It fails with
// [stream.ErrInvalidID] if the caller may not see the subscribers.
func (s *Service) Members(ctx context.Context, who actor.Actor, of id.Stream) ([]id.User, error) {
	members := []id.User{}
	err := s.db.ReadReplica(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := stream.ByIDForAdmin(ctx, tx, who, of)
		if err != nil {
			return err
		}
		if !permit.ReadSubscribers(who.Role, seen.View()) {
			return stream.ErrInvalidID
		}
		found, err := s.subscribers(ctx, tx, []sqlc.Stream{seen.Stream})
		members = append(members[:0], found[of]...) // the transaction may be tried again
		return err
	})
	return members, err
}

// IsSubscribed reports whether a person is subscribed to a stream. It fails with [user.ErrNoSuchUser] if the account
// doesn't exist or is a bot, with [ErrUserDeactivated], and with [stream.ErrInvalidID] if the caller has no access to the
// stream. Administrators have access to all.
func (s *Service) IsSubscribed(ctx context.Context, who actor.Actor, person id.User, to id.Stream) (bool, error) {
	subscribed := false
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		found, err := user.ByID(ctx, tx, person)
		switch {
		case err != nil:
			return err
		case found.IsBot():
			return user.ErrNoSuchUser
		case !found.Active:
			return ErrUserDeactivated
		}
		if _, err := stream.ByIDForAdmin(ctx, tx, who, to); err != nil {
			return err
		}
		subscribed, err = tx.Subscribed(ctx, to, person)
		return err
	})
	return subscribed, err
}

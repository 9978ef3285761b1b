package account

import (
	"cmp"
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// InvitationLife is how long an invitation is valid.
const InvitationLife = 10 * 24 * time.Hour

// Invitation is what somebody with an address is invited to; the zero value: nobody has invited them.
type Invitation struct {
	As      actor.Role
	Streams []id.Stream
	By      id.User
}

// InvitedTo returns the newest invitation to an address that is valid.
func (s *Service) InvitedTo(ctx context.Context, tx *store.Tx, email string) (Invitation, error) {
	row, err := tx.InvitationTo(ctx, email, s.Now().Add(-InvitationLife))
	if store.IsNotFound(err) {
		return Invitation{}, nil
	}
	return Invitation{row.Role, id.Convert[id.Stream](row.Streams), row.InviterID}, err
}

// EndInvitations ends the invitations to an address, since it has an account now. They are locked (LockInvitations).
func EndInvitations(ctx context.Context, tx *store.Tx, email string) error {
	ended, err := tx.EndInvitationsTo(ctx, email)
	if err != nil || ended == 0 {
		return err
	}
	return tx.Emit(ctx, event.InvitesChanged{})
}

// Enter creates an account without a password, for a person whom a program adds to an organization, and ends their invitations. Their
// role is that of the draft, or if it has none, that of the newest invitation, or else a member's. The caller then calls
// [Service.Settle] with the returned invitation. Accounts and invitations are locked (LockAccounts, LockInvitations). It fails with
// what [CheckAddress] fails with, and with what can be wrong with names.
func (s *Service) Enter(ctx context.Context, tx *store.Tx, o org.Org, draft user.Draft) (user.User, Invitation, error) {
	if err := CheckAddress(ctx, tx, o, draft.RealEmail); err != nil {
		return user.User{}, Invitation{}, err
	}
	offer, err := s.InvitedTo(ctx, tx, draft.RealEmail)
	if err != nil {
		return user.User{}, Invitation{}, err
	}
	draft.Role = cmp.Or(draft.Role, offer.As, actor.Member)
	u, _, err := s.Users.Create(ctx, tx, o, draft)
	if err != nil {
		return user.User{}, Invitation{}, err
	}
	return u, offer, EndInvitations(ctx, tx, draft.RealEmail)
}

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

// Invitation is an invitation to an organization; the zero value: none.
type Invitation struct {
	As      actor.Role
	Streams []id.Stream
	By      id.User
}

// invitedTo returns the newest valid invitation to an address.
func (s *Service) invitedTo(ctx context.Context, tx *store.Tx, email string) (Invitation, error) {
	row, err := tx.InvitationTo(ctx, email, s.Now().Add(-InvitationLife))
	if store.IsNotFound(err) {
		return Invitation{}, nil
	}
	return Invitation{row.Role, id.Convert[id.Stream](row.Streams), row.InviterID}, err
}

// EndInvitations ends the invitations to an address, which has an account now. The caller has locked invitations
// (LockInvitations).
func EndInvitations(ctx context.Context, tx *store.Tx, email string) error {
	ended, err := tx.EndInvitationsTo(ctx, email)
	if err != nil || ended == 0 {
		return err
	}
	return tx.Emit(ctx, event.InvitesChanged{})
}

// Enter creates an account without a password, for a person whom a program adds to an organization, and ends their invitations. The
// role is the first one set of: the draft's, the newest invitation's, a member's. After the commit, the caller calls
// [Service.Settle] with left. The caller has locked accounts and invitations (LockAccounts, LockInvitations). It fails with the errors of
// [CheckAddress] and those of names.
func (s *Service) Enter(ctx context.Context, tx *store.Tx, o org.Org, draft user.Draft) (made user.User, left int64, err error) {
	if err := CheckAddress(ctx, tx, o, draft.RealEmail); err != nil {
		return made, 0, err
	}
	offer, err := s.invitedTo(ctx, tx, draft.RealEmail)
	if err != nil {
		return made, 0, err
	}
	return s.accept(ctx, tx, o, draft, offer)
}

// accept creates an account according to an invitation, or to none, and ends the invitations to its address.
func (s *Service) accept(
	ctx context.Context, tx *store.Tx, o org.Org, draft user.Draft, offer Invitation,
) (made user.User, left int64, err error) {
	draft.Role = cmp.Or(draft.Role, offer.As, actor.Member)
	if made, _, err = s.Users.Create(ctx, tx, o, draft); err != nil {
		return made, 0, err
	}
	if err := EndInvitations(ctx, tx, draft.RealEmail); err != nil {
		return made, 0, err
	}
	left, err = s.begin(ctx, tx, made.ID, offer.Streams, offer.By, false)
	return made, left, err
}

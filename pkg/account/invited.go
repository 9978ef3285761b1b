package account

import (
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
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

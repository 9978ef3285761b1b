package user

import (
	"context"
	"crypto/sha256"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
)

// Current returns a caller with the role that its account has in the transaction. It fails with [fault.ErrInvalidKey] or
// [fault.ErrUserDeactivated] if the caller can't act any more. The server itself always can.
//
// An [Authenticator] may not know for a few seconds that a role, an account or a key is gone. That is long enough to take the role back,
// to activate the account again, to get another key, to set a password, or to add a browser that is notified from then on. So whatever does one
// of these calls Current, with the accounts (LockAccounts) or the caller (LockUser) locked.
func Current(ctx context.Context, tx *store.Tx, who actor.Actor) (actor.Actor, error) {
	if who.Key == [sha256.Size]byte{} {
		return who, nil
	}
	rows, err := tx.Authenticate(ctx, [][]byte{who.Key[:]})
	switch {
	case err != nil:
		return actor.Actor{}, err
	case len(rows) == 0:
		return actor.Actor{}, fault.ErrInvalidKey
	case !rows[0].Active:
		return actor.Actor{}, fault.ErrUserDeactivated
	}
	who.Role = actor.Role(rows[0].Role)
	return who, nil
}

package account

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxLinked is the maximum number of identities that [Service.Linked] returns.
const maxLinked = 100

// ErrNotLinked says that no person at the identity provider is linked to the account.
var ErrNotLinked = fault.Bad("Your account isn't linked to this identity provider.")

// Linked is somebody at an identity provider who can sign in as an account.
type Linked struct {
	// Address of the identity provider, exactly as the provider writes it.
	Issuer string `json:"issuer"`
	// When they were linked, in Unix seconds.
	Created int64 `json:"created_at"`
}

// Linked returns up to [maxLinked] identities that can sign in as the caller, in the order in which they were linked.
func (s *Service) Linked(ctx context.Context, who actor.Actor) ([]Linked, error) {
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) ([]Linked, error) {
		rows, err := tx.IdentitiesOf(ctx, who.User, maxLinked)
		return lists.Map(rows, func(row sqlc.IdentitiesOfRow) Linked { return Linked{row.Issuer, row.LinkedAt.Unix()} }), err
	})
}

// Unlink removes the link of the caller's account to a person at an identity provider. A person who signs in there with the account's
// verified address is linked to it again. Sessions stay valid. It fails with [ErrNotLinked].
func (s *Service) Unlink(ctx context.Context, who actor.Actor, issuer string) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockAccounts(ctx); err != nil { // prevents sign-ins meanwhile
			return err
		}
		unlinked, err := tx.UnlinkIdentity(ctx, who.User, issuer)
		if err == nil && unlinked == 0 {
			return ErrNotLinked
		}
		return err
	})
}

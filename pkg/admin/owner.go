package admin

import (
	"context"
	"errors"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// EnsureOwner makes the person with an address an active owner of the organization. If there is no account, it creates one
// and subscribes it to the default streams.
func (s *Service) EnsureOwner(ctx context.Context, orgKey, email string, spec adminapi.OwnerSpec) (adminapi.Ensured[adminapi.Owner], error) {
	none := adminapi.Ensured[adminapi.Owner]{}
	if err := checkEmail(email); err != nil {
		return none, err
	}
	if err := checkKeySpec(spec.KeySpec); err != nil {
		return none, err
	}
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return none, err
	}
	return s.ensureOwner(ctx, found, email, spec)
}

func (s *Service) ensureOwner(ctx context.Context, found id.Org, email string, spec adminapi.OwnerSpec) (adminapi.Ensured[adminapi.Owner], error) {
	ensured, left := adminapi.Ensured[adminapi.Owner]{}, int64(0)
	reports, err := s.Presence.OfReturning(ctx, s.DB, found, s.Now(), func(tx *store.Tx) (user.User, error) {
		return user.ByRealEmail(ctx, tx, email)
	})
	if err != nil {
		return ensured, err
	}
	_, err = s.write(ctx, found, func(tx *store.Tx, o org.Org, _ actor.Actor) error {
		ensured, left = adminapi.Ensured[adminapi.Owner]{Changed: []string{}}, 0
		u, err := user.ByRealEmail(ctx, tx, email)
		account := u.ID
		switch {
		case err == nil && u.IsBot():
			return ErrNotPerson.Format(email)
		case err == nil:
			wanted := user.Change{FullName: spec.FullName, Role: new(actor.Owner), Active: new(true)}
			ensured.Changed, ensured.Secret, err = s.repairAccount(ctx, tx, o, u, wanted, reports, spec.KeySpec)
		case errors.Is(err, user.ErrNoSuchUser):
			name, _, _ := strings.Cut(email, "@")
			draft := user.Draft{RealEmail: email, FullName: or(spec.FullName, name), Role: actor.Owner}
			ensured.Created = true
			if account, ensured.Secret, err = s.makeAccount(ctx, tx, o, spec.KeySpec, draft); err == nil {
				left, err = s.Accounts.Found(ctx, tx, account, nil)
			}
		}
		if err != nil {
			return err
		}
		ensured.State.Account, _, err = s.state(ctx, tx, email, account)
		return err
	})
	if err != nil {
		return ensured, err
	}
	return ensured, s.Accounts.Settle(ctx, found, left)
}

// Owner returns the current state of the owner with an address.
func (s *Service) Owner(ctx context.Context, orgKey, email string) (state adminapi.Owner, err error) {
	err = s.read(ctx, orgKey, func(tx *store.Tx) error {
		account, err := Owner.account(ctx, tx, email)
		if err != nil {
			return err
		}
		state.Account, _, err = s.state(ctx, tx, email, account)
		return err
	})
	return state, err
}

// account returns the account of a kind with a key, or [ErrNoObject].
func (k Kind) account(ctx context.Context, tx *store.Tx, key string) (id.User, error) {
	if k != Owner {
		found, err := theObject(ctx, tx, k, key)
		return id.User(found.object), err
	}
	u, err := user.ByRealEmail(ctx, tx, key)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && (u.IsBot() || u.Role != actor.Owner) {
		return 0, ErrNoObject.Format(Owner, key)
	}
	return u.ID, err
}

package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// EnsureOwner makes the person with an address an owner of the organization, and an active one. Somebody
// who has no account gets one, and is subscribed to the default streams.
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
	ensured := adminapi.Ensured[adminapi.Owner]{}
	who, defaults := actor.Actor{}, []subscription.Wanted(nil)
	err := s.DB.Write(ctx, found, func(tx *store.Tx) error {
		ensured, defaults = adminapi.Ensured[adminapi.Owner]{Changed: []string{}}, nil
		if err := tx.LockExternalKey(ctx, "owner", strings.ToLower(email)); err != nil {
			return fmt.Errorf("lock the address of an owner: %w", err)
		}
		o, system, err := s.system(ctx, tx)
		if err != nil {
			return err
		}
		who = system
		u, err := user.ByRealEmail(ctx, tx, email)
		account := u.ID
		switch {
		case err == nil && u.IsBot():
			return ErrNotPerson.Format(email)
		case err == nil:
			change, changed := differs(u, user.Alteration{FullName: spec.FullName, Role: new(actor.Owner), Active: new(true)})
			ensured.Changed = changed
			if len(changed) > 0 {
				if _, err := user.Update(ctx, tx, o, u.ID, change); err != nil {
					return ofName(err, deref(change.FullName))
				}
			}
			if ensured.Secret, err = s.ensureKey(ctx, tx, u.ID, spec.KeySpec); err != nil {
				return err
			}
			if ensured.Secret != nil {
				ensured.Changed = append(ensured.Changed, "api_key")
			}
		case errors.Is(err, user.ErrNoSuchUser):
			made, secret, err := s.makeOwner(ctx, tx, o, email, spec)
			if err != nil {
				return err
			}
			account, ensured.Created, ensured.Secret = made, true, secret
			if defaults, err = defaultStreams(ctx, tx); err != nil {
				return err
			}
		default:
			return err
		}
		ensured.State.Account, _, err = s.state(ctx, tx, email, account)
		return err
	})
	if err != nil {
		return ensured, err
	}
	return ensured, s.join(ctx, who, id.User(ensured.State.ID), defaults)
}

// makeOwner makes the account of a new owner.
func (s *Service) makeOwner(
	ctx context.Context, tx *store.Tx, o org.Org, email string, spec adminapi.OwnerSpec,
) (id.User, *adminapi.Secret, error) {
	name, _, _ := strings.Cut(email, "@")
	if spec.FullName != nil {
		name = *spec.FullName
	}
	made, key, err := s.Users.Create(ctx, tx, o, user.Draft{RealEmail: email, FullName: name, Role: actor.Owner})
	if err != nil {
		return 0, nil, ofName(err, name)
	}
	if spec.APIKey != "" {
		key = spec.APIKey
		if _, err := s.Users.Rotate(ctx, tx, made.ID, key, 0); err != nil {
			return 0, nil, err
		}
	}
	return made.ID, &adminapi.Secret{APIKey: key}, nil
}

// Owner returns the current state of the owner with an address.
func (s *Service) Owner(ctx context.Context, orgKey, email string) (state adminapi.Owner, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Owner{}, err
	}
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		u, err := ownerByEmail(ctx, tx, email)
		if err != nil {
			return err
		}
		state.Account, _, err = s.state(ctx, tx, email, u)
		return err
	})
	return state, err
}

func ownerByEmail(ctx context.Context, tx *store.Tx, email string) (id.User, error) {
	u, err := user.ByRealEmail(ctx, tx, email)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && (u.IsBot() || u.Role != actor.Owner) {
		return 0, ErrNoObject.Format("owner", email)
	}
	return u.ID, err
}

func defaultStreams(ctx context.Context, tx *store.Tx) ([]subscription.Wanted, error) {
	rows, err := tx.DefaultStreams(ctx)
	if err != nil {
		return nil, fmt.Errorf("read default streams: %w", err)
	}
	wanted := make([]subscription.Wanted, len(rows))
	for i, row := range rows {
		wanted[i].Name = row.Name
	}
	return wanted, nil
}

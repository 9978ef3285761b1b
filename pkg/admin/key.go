package admin

import (
	"context"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// RotateKey replaces the API key of an account by the given key or a generated one. The previous one stays valid for the grace
// period. A webhook's secret includes its address.
func (s *Service) RotateKey(ctx context.Context, kind Kind, orgKey, key string, spec adminapi.KeySpec) (issued adminapi.Issued, err error) {
	if err := checkKeySpec(spec); err != nil {
		return adminapi.Issued{}, err
	}
	if spec.KeepKey {
		return adminapi.Issued{}, ErrKeepKey
	}
	err = s.change(ctx, kind, orgKey, key, func(tx *store.Tx, account id.User) error {
		rotation, err := s.Users.Rotate(ctx, tx, account, spec.APIKey, grace(spec))
		if err != nil {
			return err
		}
		issued = adminapi.Issued{Changed: rotation.Changed, Secret: adminapi.Secret{APIKey: spec.APIKey}}
		if rotation.Changed {
			issued.Secret = *secret(rotation)
		}
		return nil
	})
	if err != nil || kind != Webhook {
		return issued, err
	}
	state, err := s.Webhook(ctx, orgKey, key)
	issued.Secret.URL = state.WithKey(issued.Secret.APIKey)
	return issued, err
}

// RevokeKey ends the API keys of an account, including one in its grace period.
func (s *Service) RevokeKey(ctx context.Context, kind Kind, orgKey, key string) (removal adminapi.Removal, err error) {
	err = s.change(ctx, kind, orgKey, key, func(tx *store.Tx, account id.User) (err error) {
		removal.Removed, err = user.RevokeKeys(ctx, tx, account)
		return err
	})
	return removal, err
}

// change changes an account in a transaction.
func (s *Service) change(ctx context.Context, kind Kind, orgKey, key string, do func(tx *store.Tx, account id.User) error) error {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, found, func(tx *store.Tx) error {
		account, err := kind.account(ctx, tx, key)
		if err != nil {
			return err
		}
		return do(tx, account)
	})
}

// RemoveAccount deactivates the bot or webhook with a key, ends its API keys, and removes the key.
func (s *Service) RemoveAccount(ctx context.Context, kind Kind, orgKey, key string) (removal adminapi.Removal, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		removal = adminapi.Removal{}
		if err := tx.LockExternalKeys(ctx); err != nil {
			return err
		}
		was, err := object(ctx, tx, kind, key)
		if err != nil || was.object == 0 {
			return err
		}
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := user.Update(ctx, tx, o, id.User(was.object), user.Change{Active: new(false)}); err != nil {
			return err
		}
		if _, err := user.RevokeKeys(ctx, tx, id.User(was.object)); err != nil {
			return err
		}
		removal.Removed = true
		return tx.RemoveExternalKey(ctx, string(kind), key, was.object)
	})
	return removal, err
}

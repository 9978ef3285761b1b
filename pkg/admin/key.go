package admin

import (
	"context"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// RotateOwnerKey replaces the API key of the owner with an address, by the given key or a new one. The one
// before works for the grace.
func (s *Service) RotateOwnerKey(ctx context.Context, orgKey, email string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return s.rotate(ctx, orgKey, spec, func(tx *store.Tx) (id.User, error) { return ownerByEmail(ctx, tx, email) })
}

// RotateBotKey is [Service.RotateOwnerKey] for the bot with a key.
func (s *Service) RotateBotKey(ctx context.Context, orgKey, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	return s.rotate(ctx, orgKey, spec, func(tx *store.Tx) (id.User, error) { return kept(ctx, tx, kindBot, key) })
}

// RotateWebhookKey is [Service.RotateOwnerKey] for the incoming webhook with a key. The secret has the
// webhook's address, too.
func (s *Service) RotateWebhookKey(ctx context.Context, orgKey, key string, spec adminapi.KeySpec) (adminapi.Issued, error) {
	issued, err := s.rotate(ctx, orgKey, spec, func(tx *store.Tx) (id.User, error) { return kept(ctx, tx, kindWebhook, key) })
	if err != nil {
		return adminapi.Issued{}, err
	}
	state, err := s.Webhook(ctx, orgKey, key)
	complete(&issued.Secret, state)
	return issued, err
}

func (s *Service) rotate(
	ctx context.Context, orgKey string, spec adminapi.KeySpec, find func(tx *store.Tx) (id.User, error),
) (adminapi.Issued, error) {
	if err := checkKeySpec(spec); err != nil {
		return adminapi.Issued{}, err
	}
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Issued{}, err
	}
	issued := adminapi.Issued{}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		account, err := find(tx)
		if err != nil {
			return err
		}
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
	return issued, err
}

// RevokeOwnerKey ends the API keys of the owner with an address, also one in its grace.
func (s *Service) RevokeOwnerKey(ctx context.Context, orgKey, email string) (adminapi.Removal, error) {
	return s.revoke(ctx, orgKey, func(tx *store.Tx) (id.User, error) { return ownerByEmail(ctx, tx, email) })
}

// RevokeBotKey is [Service.RevokeOwnerKey] for the bot with a key.
func (s *Service) RevokeBotKey(ctx context.Context, orgKey, key string) (adminapi.Removal, error) {
	return s.revoke(ctx, orgKey, func(tx *store.Tx) (id.User, error) { return kept(ctx, tx, kindBot, key) })
}

// RevokeWebhookKey is [Service.RevokeOwnerKey] for the incoming webhook with a key.
func (s *Service) RevokeWebhookKey(ctx context.Context, orgKey, key string) (adminapi.Removal, error) {
	return s.revoke(ctx, orgKey, func(tx *store.Tx) (id.User, error) { return kept(ctx, tx, kindWebhook, key) })
}

func (s *Service) revoke(ctx context.Context, orgKey string, find func(tx *store.Tx) (id.User, error)) (adminapi.Removal, error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	removal := adminapi.Removal{}
	err = s.DB.Write(ctx, found, func(tx *store.Tx) error {
		account, err := find(tx)
		if err != nil {
			return err
		}
		removal.Removed, err = user.RevokeKeys(ctx, tx, account)
		return err
	})
	return removal, err
}

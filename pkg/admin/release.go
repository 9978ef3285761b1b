package admin

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// ReleaseOrganization ends that an organization, and everything in it, is managed under its key: nothing is changed, but another
// key may adopt it. Under the same key it is managed again by [Service.EnsureOrganization].
func (s *Service) ReleaseOrganization(ctx context.Context, key string) (adminapi.Release, error) {
	found, err := s.find(ctx, key)
	if err != nil {
		return adminapi.Release{}, err
	}
	return adminapi.Release{Released: true}, s.DB.Write(ctx, found, func(tx *store.Tx) error {
		if _, err := tx.LockOrganization(ctx); err != nil {
			return fmt.Errorf("lock organization %d: %w", found, err)
		}
		return tx.ReleaseOrganization(ctx)
	})
}

// Release ends that an object in an organization is managed under a key, as [Service.ReleaseOrganization] does.
func (s *Service) Release(ctx context.Context, kind Kind, orgKey, key string) (adminapi.Release, error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Release{}, err
	}
	return adminapi.Release{Released: true}, s.DB.Write(ctx, found, func(tx *store.Tx) error {
		if err := lock(ctx, tx, kind, key); err != nil {
			return err
		}
		if _, err := kept(ctx, tx, kind, key); err != nil {
			return err
		}
		return mark(ctx, tx, kind, key, true)
	})
}

// mark sets whether the key of an object, if there is one, was released.
func mark(ctx context.Context, tx *store.Tx, kind Kind, key string, released bool) error {
	if err := tx.MarkExternalKey(ctx, released, string(kind), key); err != nil {
		return fmt.Errorf("mark the key of a %s: %w", kind, err)
	}
	return nil
}

// resume has an organization managed under its key again if that was released.
func (s *Service) resume(ctx context.Context, found id.Org, key string) error {
	released := false
	err := s.DB.Read(ctx, found, func(tx *store.Tx) error {
		row, err := tx.OwnOrganization(ctx)
		released = row.KeyReleased
		return err
	})
	if err != nil || !released {
		return err
	}
	return s.adopt(ctx, found, key, "")
}

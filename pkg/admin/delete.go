package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

const (
	// eraseRows is how many rows one transaction removes. Events of other organizations wait for it.
	eraseRows = 1000
	// eraseFor is the time limit of one call, and settlePeriod how often it checks whether it may begin.
	eraseFor     = 15 * time.Second
	settlePeriod = 100 * time.Millisecond
)

// DeleteOrganization deletes the organization with a key, in many transactions: it deactivates it and notifies clients, ends
// its queues, and removes all of its rows, the organization last. Its events stay in the log until that drops them. A call runs
// for some seconds, and the next one continues, even if the first was interrupted. It is done when the organization doesn't exist.
func (s *Service) DeleteOrganization(ctx context.Context, key string) (adminapi.Deletion, error) {
	found, err := s.find(ctx, key)
	if err == nil {
		err = s.beginDeletion(ctx, found, key)
	}
	switch {
	case errors.Is(err, ErrNoObject):
		return adminapi.Deletion{Done: true}, nil
	case err != nil:
		return adminapi.Deletion{}, err
	}
	enough, cancel := context.WithTimeout(ctx, eraseFor)
	defer cancel()
	if err := s.awaitSettled(enough, found); enough.Err() != nil {
		return adminapi.Deletion{}, ctx.Err() // the next call continues
	} else if err != nil {
		return adminapi.Deletion{}, err
	}
	if err := s.endQueues(ctx, found); err != nil {
		return adminapi.Deletion{}, err
	}
	if err := s.Presence.Forget(ctx, found); err != nil {
		return adminapi.Deletion{}, err
	}
	removed := int64(0)
	for enough.Err() == nil {
		rows, err := s.DB.Erase(ctx, found, eraseRows)
		if err != nil {
			return adminapi.Deletion{}, err
		}
		if rows == 0 {
			return adminapi.Deletion{Done: true, Rows: removed}, nil
		}
		removed += rows
	}
	return adminapi.Deletion{Rows: removed}, ctx.Err()
}

// beginDeletion marks the organization as being deleted, so that nobody can use it. The error is [ErrNoObject] if it has another key, or
// is gone, by now.
func (s *Service) beginDeletion(ctx context.Context, found id.Org, key string) error {
	return s.DB.Write(ctx, found, func(tx *store.Tx) error {
		row, err := tx.LockOrganization(ctx)
		switch {
		case store.IsNotFound(err) || err == nil && deref(row.ExternalKey) != key:
			return ErrNoObject.Format("organization", key)
		case err != nil || row.Deleting:
			return err
		}
		if err := tx.DeleteOrganization(ctx); err != nil {
			return fmt.Errorf("begin to delete organization %d: %w", found, err)
		}
		if err := tx.EndImport(ctx); err != nil { // an import, if there is one, fails at its next write
			return fmt.Errorf("end the import of organization %d: %w", found, err)
		}
		if row.Deactivated {
			return nil
		}
		return tx.Emit(ctx, event.RealmDeactivated{RealmID: found})
	})
}

// awaitSettled waits until no request of the organization is in progress. The error is that of ctx if it ends first.
func (s *Service) awaitSettled(ctx context.Context, found id.Org) error {
	for {
		rests, err := store.Read(ctx, s.DB, found, func(tx *store.Tx) (float64, error) { return tx.OrganizationRests(ctx) })
		switch {
		case store.IsNotFound(err): // another call has finished
			return nil
		case err != nil:
			return fmt.Errorf("read the time of the last change of organization %d: %w", found, err)
		case rests >= s.Settle.Seconds():
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settlePeriod):
		}
	}
}

// endQueues removes the organization's event queues, which ends waiting polls.
func (s *Service) endQueues(ctx context.Context, found id.Org) error {
	shard := s.DB.Shard(found)
	queues, _, err := s.Redis.Registry(ctx, shard)
	if err != nil {
		return err
	}
	for _, q := range queues {
		if q.Org != found {
			continue
		}
		if _, err := s.Redis.Unregister(ctx, shard, q.ID); err != nil {
			return err
		}
	}
	return nil
}

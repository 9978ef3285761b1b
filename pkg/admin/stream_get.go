package admin

import (
	"context"
	"errors"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Stream returns the current state of the stream with a key.
func (s *Service) Stream(ctx context.Context, orgKey, key string) (state adminapi.Stream, err error) {
	err = s.read(ctx, orgKey, func(tx *store.Tx) error {
		found, err := theObject(ctx, tx, Stream, key)
		if err != nil {
			return err
		}
		row, err := streamRow(ctx, tx, id.Stream(found.object))
		state = streamState(key, row)
		return err
	})
	return state, err
}

// RemoveStream archives the stream with a key, and removes the key. Its messages stay.
func (s *Service) RemoveStream(ctx context.Context, orgKey, key string) (removal adminapi.Removal, err error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	left := int64(0)
	who, err := s.write(ctx, found, func(tx *store.Tx, _ org.Org, who actor.Actor) error {
		removal, left = adminapi.Removal{}, 0
		was, err := object(ctx, tx, Stream, key)
		if err != nil || was.object == 0 {
			return err
		}
		left, err = s.Streams.DeactivateIn(ctx, tx, who, id.Stream(was.object))
		if err != nil && !errors.Is(err, stream.ErrInvalidID) { // it was archived before
			return err
		}
		removal.Removed = true
		return tx.RemoveExternalKey(ctx, string(Stream), key, was.object)
	})
	if err != nil {
		return adminapi.Removal{}, err
	}
	return removal, s.Streams.AwaitEnd(ctx, who, left)
}

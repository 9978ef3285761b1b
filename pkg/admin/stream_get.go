package admin

import (
	"context"
	"errors"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
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
func (s *Service) RemoveStream(ctx context.Context, orgKey, key string) (adminapi.Removal, error) {
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return adminapi.Removal{}, err
	}
	was, who := held{}, actor.Actor{}
	err = s.DB.Read(ctx, found, func(tx *store.Tx) (err error) {
		if _, who, err = s.system(ctx, tx); err != nil {
			return err
		}
		was, err = object(ctx, tx, Stream, key)
		return err
	})
	if err != nil || was.object == 0 {
		return adminapi.Removal{}, err
	}
	err = s.Streams.Deactivate(ctx, who, id.Stream(was.object))
	if err != nil && !errors.Is(err, stream.ErrInvalidID) { // it was archived before
		return adminapi.Removal{}, err
	}
	removed := adminapi.Removal{Removed: true}
	return removed, s.DB.Write(ctx, found, func(tx *store.Tx) error { return tx.RemoveExternalKey(ctx, string(Stream), key, was.object) })
}

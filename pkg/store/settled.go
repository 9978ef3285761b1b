package store

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/id"
)

// Settled returns the id up to which every message of these streams and conversations is there to see,
// so that "everything up to here" means the same now and later. It waits for those on their way.
func (db *DB) Settled(ctx context.Context, org id.Org, places []int64) (id.Message, error) {
	upto := int64(0)
	err := db.Read(ctx, org, func(tx *Tx) (err error) {
		upto, err = tx.SettledUpto(ctx, places)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("wait for messages on their way: %w", err)
	}
	return id.Message(upto), nil
}

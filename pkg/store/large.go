package store

import (
	"context"

	"chatserver.dev/pkg/id"
)

// Reserve reserves memory, in bytes, for what is about to be read. It may wait.
type Reserve func(ctx context.Context, bytes int64) error

// smallRead is the number of bytes that [DB.ReadLarge] reads without reserving memory.
const smallRead = 64 << 10

// ReadLarge is [DB.Read] for a read of about as many bytes as size returns. If these are many, it first reserves memory for them and
// for the reply, between two transactions, since whoever waits for memory mustn't hold a connection.
func (db *DB) ReadLarge(
	ctx context.Context, org id.Org, reserve Reserve, size func(tx *Tx) (int64, error), read func(tx *Tx) error,
) error {
	bytes := int64(0)
	err := db.Read(ctx, org, func(tx *Tx) (err error) {
		bytes, err = size(tx)
		return err
	})
	if err == nil && bytes > smallRead {
		err = reserve(ctx, 2*bytes)
	}
	if err != nil {
		return err
	}
	return db.Read(ctx, org, read)
}

package dispatch

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Start returns a shard's cursor, and sets it if there is none. The shard's queues are dropped if there is none, since
// they may lack events, and if the cursor belongs to another history of the database, for example from before a restored
// backup: their events may not exist in this history. So does a cursor that is ahead of the log, which only moves forward: the
// database is an older copy of itself, such as a snapshot of its disk, whose next events would be taken for dispatched ones. Events of
// another history are deleted before a cursor is set.
func Start(ctx context.Context, log store.Log, redis *queue.Redis, shard int) (queue.Cursor, error) {
	incarnation, err := log.Incarnation(ctx)
	if err != nil {
		return queue.Cursor{}, err
	}
	cursor, ok, err := redis.Cursor(ctx, shard)
	if err != nil {
		return queue.Cursor{}, err
	}
	if !ok || cursor.Incarnation != incarnation {
		if err := log.ForgetOtherHistory(ctx, shard); err != nil {
			return queue.Cursor{}, err
		}
	}
	end, err := log.End(ctx)
	if err != nil {
		return queue.Cursor{}, err
	}
	fresh := queue.Cursor{Incarnation: incarnation, Place: queue.Place{Position: end}}
	switch {
	case !ok:
		err = redis.StartCursor(ctx, shard, fresh)
	case cursor.Incarnation != incarnation || cursor.Xid > end.Xid:
		_, err = redis.Reset(ctx, shard, cursor, fresh)
	default:
		return cursor, nil
	}
	if err != nil {
		return queue.Cursor{}, err
	}
	// Another replica may have been faster.
	cursor, ok, err = redis.Cursor(ctx, shard)
	if err == nil && !ok {
		err = fmt.Errorf("cursor of shard %d vanished", shard)
	}
	return cursor, err
}

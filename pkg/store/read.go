package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// ReadRequest is a request to mark messages as read. The JSON names are those of the SQL type read_request.
type ReadRequest struct {
	Reader   id.User      `json:"reader"`
	Messages []id.Message `json:"messages"`
	// IsPart says that another part of the request has a message that the reader received, so this part needs none.
	IsPart bool `json:"is_part"`
	// Look is the maximum number of messages that the marks of streams pass. Ranges is the number of ranges from which on
	// unread_again accepts no more.
	Look   int `json:"look"`
	Ranges int `json:"ranges"`

	Event event.Event `json:"-"`
}

// ReadResult is the result of a [ReadRequest].
type ReadResult struct {
	IsHeld bool       // the reader received one of the messages; otherwise nothing is stored, unless the request is a part
	Upto   id.Message // every message of the streams and conversations up to here is visible
	Left   []int64    // streams whose marks can advance further
}

// MarkRead marks messages as read and stores the event, in one round trip. It waits for messages that are being sent to
// the same streams and conversations. If it fails, nothing is stored, except with [ErrUnsure].
func (db *DB) MarkRead(ctx context.Context, org id.Org, r ReadRequest) (read ReadResult, err error) {
	payload, audience, err := encodeEvent(r.Event)
	if err != nil {
		return ReadResult{}, err
	}
	request, err := encode(struct {
		ReadRequest
		origin
		Payload  string `json:"payload"`
		Audience string `json:"audience"`
	}{r, originOf(ctx, org, db.Shard(org)), payload, audience})
	if err != nil {
		return ReadResult{}, err
	}
	batch := &pgx.Batch{}
	batch.Queue("select is_held, coalesce(upto, 0), coalesce(left_streams, '{}') from mark_read(json_populate_record(null::read_request, $1))", request)
	if longest := db.service.longest; longest > 0 {
		bounded, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		ctx = bounded
	}
	end, err := db.service.turn(ctx, org)
	if err != nil {
		return ReadResult{}, err
	}
	defer end()
	for attempt := 1; ; attempt++ {
		err = db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
			return results.QueryRow().Scan(&read.IsHeld, &read.Upto, &read.Left)
		})
		if err == nil || attempt == attempts || !retryable(err) {
			break
		}
	}
	// With ErrUnsure, the event may have been stored.
	if err == nil && (read.IsHeld || r.IsPart) || errors.Is(err, ErrUnsure) {
		db.waker.Wake(db.Shard(org))
	}
	return read, wrap(explained(ctx, err, false), "mark messages as read")
}

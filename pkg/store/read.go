package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// Reading is messages that somebody marks as read. The names are those of the type read_request.
type Reading struct {
	Reader   id.User      `json:"reader"`
	Messages []id.Message `json:"messages"`
	// IsPart says that another part of the request has a message of the reader's own, so this one needn't.
	IsPart bool `json:"is_part"`
	// Look is how many messages the marks of streams pass at most, and Ranges from how many ranges on unread_again takes
	// no more of them.
	Look   int `json:"look"`
	Ranges int `json:"ranges"`

	Event event.Event `json:"-"`
}

// Read is what became of it.
type Read struct {
	IsHeld bool       // a message is the reader's own; otherwise nothing is stored, unless the request is a part
	Upto   id.Message // every message of the streams and conversations up to here is there to see
	Left   []int64    // streams whose marks can advance further
}

// MarkRead marks messages as read and stores the event, in one round trip. It waits for messages that are on their way to
// where they are. Where it fails nothing is stored, except with [ErrUnsure].
func (db *DB) MarkRead(ctx context.Context, org id.Org, r Reading) (read Read, err error) {
	payload, audience, err := encodeEvent(r.Event)
	if err != nil {
		return Read{}, err
	}
	request, err := encode(struct {
		Reading
		origin
		Payload  string `json:"payload"`
		Audience string `json:"audience"`
	}{r, originOf(ctx, org, db.Shard(org)), payload, audience})
	if err != nil {
		return Read{}, err
	}
	batch := &pgx.Batch{}
	batch.Queue("select is_held, coalesce(upto, 0), coalesce(left_streams, '{}') from mark_read(json_populate_record(null::read_request, $1))", request)
	if longest := db.service.longest; longest > 0 {
		bounded, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		ctx = bounded
	}
	for attempt := 1; ; attempt++ {
		err = db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
			return results.QueryRow().Scan(&read.IsHeld, &read.Upto, &read.Left)
		})
		if err == nil || attempt == attempts || !retryable(err) {
			break
		}
	}
	// What may have been stored is looked for, too.
	if err == nil && (read.IsHeld || r.IsPart) || errors.Is(err, ErrUnsure) {
		db.waker.Wake(db.Shard(org))
	}
	return read, wrap(explained(ctx, err, false), "mark messages as read")
}

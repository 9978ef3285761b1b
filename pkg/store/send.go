package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// Send stores a message with its event and returns its id. ok is false if the facts that the sender's permission was
// checked with have changed; then nothing is stored. Once started, it isn't canceled with ctx, and ends within a few times
// [Config.AnswerTimeout]. If it fails, nothing is stored, except with [ErrUnsure].
func (db *DB) Send(ctx context.Context, org id.Org, m NewMessage) (message id.Message, ok bool, err error) {
	s, err := newSending(ctx, org, db.Shard(org), m)
	if err != nil {
		return 0, false, err
	}
	if err := db.batcher.do(ctx, s, db.service.answer, db.sendTogether); err != nil {
		return 0, false, err
	}
	if s.alone {
		alone, cancel := context.WithTimeout(context.WithoutCancel(ctx), db.service.answer)
		defer cancel()
		s.result, s.err = db.sendAlone(alone, s)
	}
	// With ErrUnsure, the event may have been stored.
	if s.err == nil && s.result != stale || errors.Is(s.err, ErrUnsure) {
		db.waker.Wake(db.Shard(org))
	}
	return s.outcome()
}

// ErrStale reports that the facts that a sender's permission was checked with have changed.
var ErrStale = errors.New("the facts that the sender's permission was checked with have changed")

// Send stores messages with their events in this transaction, in one round trip, and returns their ids. The first message
// delays the events of all organizations until the transaction ends. It fails with [ErrStale] if [DB.Send] would not be ok.
func (tx *Tx) Send(ctx context.Context, messages ...NewMessage) ([]id.Message, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	batch, ids := &pgx.Batch{}, make([]id.Message, len(messages))
	for i, m := range messages {
		s, err := newSending(ctx, tx.org, tx.shard, m)
		if err != nil {
			return nil, err
		}
		s.queue(batch, true).QueryRow(func(row pgx.Row) error {
			s.err = row.Scan(&s.result)
			sent, ok, err := s.outcome()
			if ids[i] = sent; err == nil && !ok {
				err = ErrStale
			}
			return err
		})
	}
	if err := tx.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("store %d messages: %w", len(messages), err)
	}
	tx.emitted = true
	return ids, nil
}

// The results of send_message other than an id.
const (
	stale = 0  // the facts of the permission have changed
	busy  = -1 // it would have to wait for a lock
)

// sendMessage isn't one of sqlc's batch queries, because those drop the error of closing the batch, which is the commit's.
const sendMessage = "select send_message($1, json_populate_record(null::new_message, $2))"

// sendToBots is sendMessage for a message with calls of bots.
const sendToBots = "select send_message_to_bots($1, json_populate_record(null::new_message, $2), $3::bigint[], $4)"

// sending is a message that is being stored.
type sending struct {
	place   int64  // its stream or conversation
	message string // of the type new_message, as JSON
	calls   Calls
	result  int64 // of send_message: the message's id, stale or busy
	err     error
	alone   bool // it isn't stored, and must be retried alone

	ready chan struct{} // closed when it is stored, or batch is set
	batch []*sending    // the messages that its sender has to store; nil: another sender stores it
}

func newSending(ctx context.Context, org id.Org, shard int, m NewMessage) (*sending, error) {
	audience, err := encode(m.Audience)
	if err != nil {
		return nil, err
	}
	message, err := encode(struct {
		NewMessage
		origin
		Audience string `json:"audience"`
	}{m, originOf(ctx, org, shard), audience})
	if err != nil {
		return nil, err
	}
	return &sending{
		ready: make(chan struct{}), place: cmp.Or(int64(m.Stream), int64(m.Conversation)), message: message, calls: m.Calls,
	}, nil
}

// queue adds the message's statement to a batch.
func (s *sending) queue(batch *pgx.Batch, mayWait bool) *pgx.QueuedQuery {
	if len(s.calls.Bots) == 0 {
		return batch.Queue(sendMessage, mayWait, s.message)
	}
	return batch.Queue(sendToBots, mayWait, s.message, id.Convert[int64](s.calls.Bots), string(s.calls.Cause))
}

// origin is an event's organization, shard and trace, under the names of new_message and read_request.
type origin struct {
	Org   id.Org `json:"org"`
	Shard int    `json:"shard"`
	Trace string `json:"trace"`
}

func originOf(ctx context.Context, org id.Org, shard int) origin {
	return origin{Org: org, Shard: shard, Trace: traceParent(ctx)}
}

func (s *sending) outcome() (message id.Message, ok bool, err error) {
	if s.err != nil {
		return 0, false, fmt.Errorf("store message: %w", s.err)
	}
	return id.Message(s.result), s.result != stale, nil
}

// sendAlone stores one message, and waits for the lock that it needs. It stops waiting before ctx ends, so that then it
// is certain that nothing is stored.
func (db *DB) sendAlone(ctx context.Context, s *sending) (number int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue("select set_config('lock_timeout', $1, true)", milliseconds(db.service.answer*3/4))
	s.queue(batch, true)
	for attempt := 1; ; attempt++ {
		err = db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
			if _, err := results.Exec(); err != nil {
				return err
			}
			return results.QueryRow().Scan(&number)
		})
		if !fileGone(err) || attempt == attempts {
			return number, explained(ctx, err, false)
		}
	}
}

// sendTogether stores messages in one transaction and one round trip. Messages that would have to wait for a lock are
// left to be stored alone. If one fails, all are, and so is one that has a [fileGone].
func (db *DB) sendTogether(ctx context.Context, all []*sending) {
	batch := &pgx.Batch{}
	if len(all) > 1 {
		batch.Queue("select hold_places($1)", places(all))
	}
	for _, s := range all {
		s.queue(batch, false)
	}
	failed := db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
		if len(all) > 1 {
			if _, err := results.Exec(); err != nil {
				return err
			}
		}
		for _, s := range all {
			if err := results.QueryRow().Scan(&s.result); err != nil {
				return err
			}
		}
		return nil
	})
	alone := (len(all) > 1 || fileGone(failed)) && failed != nil && fault.Of(failed) == nil && rolledBack(failed)
	failed = explained(ctx, failed, false)
	for _, s := range all {
		s.alone = failed == nil && s.result == busy || alone
		if !s.alone {
			s.err = failed
		}
	}
}

// sendBatch runs a batch as a transaction, on a connection that was alive just before, and calls read with the
// results. If the connection breaks, it fails with [ErrUnsure], or repeats the batch if nothing was sent.
func (db *DB) sendBatch(ctx context.Context, batch *pgx.Batch, read func(results pgx.BatchResults) error) error {
	for {
		conn, err := db.service.acquireAlive(ctx)
		if err != nil {
			return err
		}
		err = readBatch(conn.SendBatch(ctx, unsent(batch)), read)
		broken := db.service.release(ctx, conn)
		switch {
		case err == nil || !broken:
			return err
		case !pgconn.SafeToRetry(err):
			return ErrUnsure.Wrap(err)
		case ctx.Err() != nil:
			return ErrUnavailable.Wrap(err)
		}
	}
}

// unsent returns a copy of a batch that can be sent on any connection. Once sent, a batch refers to the prepared statements of
// its connection, which others may not have.
func unsent(batch *pgx.Batch) *pgx.Batch {
	again := &pgx.Batch{}
	for _, query := range batch.QueuedQueries {
		again.Queue(query.SQL, query.Arguments...)
	}
	return again
}

func readBatch(results pgx.BatchResults, read func(results pgx.BatchResults) error) error {
	err := read(results)
	if ended := results.Close(); err == nil {
		err = ended
	}
	return err
}

// places returns the streams and conversations of messages, each once.
func places(all []*sending) []int64 {
	list := make([]int64, len(all))
	for i, s := range all {
		list[i] = s.place
	}
	slices.Sort(list)
	return slices.Compact(list)
}

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
		s.err = db.sendAlone(alone, s)
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
	all := make([]*sending, len(messages))
	for i, m := range messages {
		s, err := newSending(ctx, tx.org, tx.shard, m)
		if err != nil {
			return nil, err
		}
		all[i] = s
	}
	if err := read(tx.tx.QueryRow(ctx, sendMessages, arguments(all, true)...), all); err != nil {
		return nil, fmt.Errorf("store %d messages: %w", len(messages), err)
	}
	ids := make([]id.Message, len(messages))
	for i, s := range all {
		if s.result == stale {
			return nil, ErrStale
		}
		ids[i] = id.Message(s.result)
	}
	tx.emitted = true
	return ids, nil
}

// The results of send_messages other than an id.
const (
	stale = 0  // the facts of the permission have changed
	busy  = -1 // it would have to wait for a lock
)

// sendMessages isn't one of sqlc's batch queries, because those drop the error of closing the batch, which is the commit's.
const sendMessages = "select send_messages($1, $2, $3, $4, $5)"

// arguments returns the arguments of sendMessages for messages of one organization.
func arguments(all []*sending, mayWait bool) []any {
	messages, contents, htmls, payloads := make([]string, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	for i, s := range all {
		messages[i], contents[i], htmls[i], payloads[i] = s.message, s.content, s.html, s.payload
	}
	return []any{mayWait, messages, contents, htmls, payloads}
}

// read reads the results of sendMessages.
func read(row pgx.Row, all []*sending) error {
	results := make([]int64, 0, len(all))
	if err := row.Scan(&results); err != nil {
		return err
	}
	for i, s := range all {
		s.result = results[i]
	}
	return nil
}

// sending is a message that is being stored.
type sending struct {
	org                    id.Org
	place                  int64  // its stream or conversation
	message                string // of the type new_message, as JSON, without its long texts:
	content, html, payload string

	result int64 // of send_messages: the message's id, stale or busy
	err    error
	alone  bool // it isn't stored, and must be retried alone

	ready     chan struct{} // closed when it is stored, or batch is set
	batch     []*sending    // the messages that its sender has to store; nil: another sender stores it
	impatient bool          // it has waited for longer than patience
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
		ready: make(chan struct{}), org: org, place: cmp.Or(int64(m.Stream), int64(m.Conversation)), message: message,
		content: m.Content, html: m.Rendered, payload: m.Payload,
	}, nil
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
func (db *DB) sendAlone(ctx context.Context, s *sending) error {
	batch := &pgx.Batch{}
	batch.Queue("select set_config('lock_timeout', $1, true)", milliseconds(db.service.answer*3/4))
	alone := []*sending{s}
	batch.Queue(sendMessages, arguments(alone, true)...)
	for attempt := 1; ; attempt++ {
		err := db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
			if _, err := results.Exec(); err != nil {
				return err
			}
			return read(results.QueryRow(), alone)
		})
		if !fileGone(err) || attempt == attempts {
			return explained(ctx, err, false)
		}
	}
}

// sendTogether stores messages in one transaction and one round trip. Messages that would have to wait for a lock are
// left to be stored alone. If one fails, all are, and so is one that has a [fileGone].
func (db *DB) sendTogether(ctx context.Context, all []*sending) {
	batch, calls := &pgx.Batch{}, byOrg(all)
	if len(calls) > 1 {
		batch.Queue("select hold_places($1)", places(all))
	}
	for _, some := range calls {
		batch.Queue(sendMessages, arguments(some, false)...)
	}
	failed := db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
		if len(calls) > 1 {
			if _, err := results.Exec(); err != nil {
				return err
			}
		}
		for _, some := range calls {
			if err := read(results.QueryRow(), some); err != nil {
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

// byOrg returns messages by organization, each in their order.
func byOrg(all []*sending) (lists [][]*sending) {
	at := map[id.Org]int{} // indexes in lists
	for _, s := range all {
		i, ok := at[s.org]
		if !ok {
			i, at[s.org] = len(lists), len(lists)
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], s)
	}
	return lists
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

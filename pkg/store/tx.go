package store

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Tx is a transaction of one organization. It is not safe for concurrent use.
type Tx struct {
	*sqlc.Queries
	org     id.Org
	shard   int
	tx      pgx.Tx
	emitted bool
}

// Org returns the transaction's organization.
func (tx *Tx) Org() id.Org { return tx.org }

// attempts is how often a transaction is tried that fails because of concurrent ones.
const attempts = 5

// ErrRetry makes [DB.Write] run its work again: a concurrent transaction changed what the work is based on.
var ErrRetry = errors.New("concurrent transactions changed the same things repeatedly")

// Write runs work in a transaction and commits it, with the events that it emitted. If the transaction fails because of a
// concurrent one, or the connection breaks before the commit, work is run again, so it must not have effects outside of
// the transaction. If the connection breaks during the commit, Write fails with [ErrUnsure].
func (db *DB) Write(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	return db.begin(ctx, org, beginWriting, work)
}

// Read runs work in a read-only transaction. Each statement sees what is committed when it starts. If the connection
// breaks, work is run again.
func (db *DB) Read(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	return db.begin(ctx, org, beginReading, work)
}

// Read returns what read returns in a transaction of [DB.Read].
func Read[T any](ctx context.Context, db *DB, org id.Org, read func(tx *Tx) (T, error)) (result T, err error) {
	err = db.Read(ctx, org, func(tx *Tx) (err error) {
		result, err = read(tx)
		return err
	})
	return result, err
}

// Write returns what write returns in a transaction of [DB.Write].
func Write[T any](ctx context.Context, db *DB, org id.Org, write func(tx *Tx) (T, error)) (result T, err error) {
	err = db.Write(ctx, org, func(tx *Tx) (err error) {
		result, err = write(tx)
		return err
	})
	return result, err
}

// Snapshot runs work in a read-only transaction whose statements all see the same state, at. An event is part of that
// state if at contains its transaction, see [Snapshot.Contains]. If the connection breaks, work is run again.
func (db *DB) Snapshot(ctx context.Context, org id.Org, work func(tx *Tx, at Snapshot) error) error {
	return db.begin(ctx, org, beginSnapshot, func(tx *Tx) error {
		at, err := currentSnapshot(ctx, tx.tx)
		if err != nil {
			return err
		}
		return work(tx, at)
	})
}

const (
	beginWriting  = "begin"
	beginReading  = "begin read only"
	beginSnapshot = "begin isolation level repeatable read, read only"
)

func (db *DB) begin(ctx context.Context, org id.Org, begin string, work func(tx *Tx) error) error {
	broke := false
	for attempt := 1; ; attempt++ {
		again, err := db.once(ctx, org, begin, work)
		switch {
		case err == nil || attempt == attempts:
			return err
		case again && !broke:
			broke = true
		case !retryable(err):
			return err
		}
	}
}

func (db *DB) once(ctx context.Context, org id.Org, begin string, work func(tx *Tx) error) (again bool, err error) {
	shard := db.Shard(org)
	emitted := false
	// One round trip begins the transaction and names its organization.
	named := begin + "; set local app.org = " + strconv.FormatInt(int64(org), 10)
	again, err = db.service.transaction(ctx, org, named, begin != beginWriting, func(inner pgx.Tx) error {
		tx := &Tx{Queries: queries(inner), org: org, shard: shard, tx: inner}
		err := work(tx)
		emitted = tx.emitted
		return err
	})
	// With ErrUnsure, events may have been stored.
	if emitted && (err == nil || errors.Is(err, ErrUnsure)) {
		db.waker.Wake(shard)
	}
	return again, err
}

// Emit records events, in order and with one statement. Their audiences receive them when the transaction commits, and
// never if it doesn't.
func (tx *Tx) Emit(ctx context.Context, events ...event.Event) error {
	encoded, err := EncodeEvents(events...)
	if err != nil {
		return err
	}
	return tx.EmitEncoded(ctx, encoded)
}

// EmitEncoded is [Tx.Emit] with events that [EncodeEvents] has encoded.
func (tx *Tx) EmitEncoded(ctx context.Context, events EncodedEvents) error {
	if len(events.params.Types) == 0 {
		return nil
	}
	events.params.Shard, events.params.Trace = int16(tx.shard), traceParent(ctx) // at most 1024 shards
	tx.emitted = true
	return tx.InsertEvents(ctx, events.params)
}

// EncodedEvents are events in the form in which the log has them.
type EncodedEvents struct{ params sqlc.InsertEventsParams }

// EncodeEvents encodes events. Events with many receivers or long texts take milliseconds, so a transaction encodes them before its
// first write, from which on events of all organizations wait.
func EncodeEvents(events ...event.Event) (EncodedEvents, error) {
	params := sqlc.InsertEventsParams{}
	for _, e := range events {
		payload, audience, err := encodeEvent(e)
		if err != nil {
			return EncodedEvents{}, err
		}
		change := "" // none
		if c := event.ChangeOf(e); c != nil {
			if change, err = encode(c); err != nil {
				return EncodedEvents{}, err
			}
		}
		params.Types = append(params.Types, e.Kind().Type)
		params.Payloads = append(params.Payloads, payload)
		params.Audiences = append(params.Audiences, audience)
		params.Changes = append(params.Changes, change)
	}
	return EncodedEvents{params}, nil
}

// encodeEvent returns an event's payload and audience as stored in the log.
func encodeEvent(e event.Event) (payload, audience string, err error) {
	encoded, err := event.Encode(e)
	if err != nil {
		return "", "", err
	}
	audience, err = encode(e.Audience())
	return string(encoded), audience, err
}

// encode returns v as JSON, without escapes for HTML.
func encode(v any) (string, error) {
	text := strings.Builder{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), wrap(err, "encode for the database")
}

// LockSubscriptions takes the stream's lock for a change of its subscriptions. It must come before the transaction's
// first write, so that the messages of the stream are before or after the change both by id and in the event log.
func (tx *Tx) LockSubscriptions(ctx context.Context, stream id.Stream) error {
	_, err := tx.tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(stream))
	return wrap(err, "lock the subscriptions of a stream")
}

// traceParent returns the trace of ctx in the W3C form, or "" if it isn't recorded.
func traceParent(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() || !span.IsSampled() {
		return ""
	}
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + span.TraceFlags().String()
}

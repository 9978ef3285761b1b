package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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

// Org is the organization that the transaction is of.
func (tx *Tx) Org() id.Org { return tx.org }

// attempts bounds how often a transaction is tried that others made fail.
const attempts = 5

// Write runs work in a transaction and commits it, with the events that it emitted. Where another
// transaction makes it fail, or the connection breaks before the commit, it is run again, so work must
// not have effects outside of it. Where the connection breaks during the commit it fails with [ErrUnsure].
func (db *DB) Write(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	return db.begin(ctx, org, beginWriting, work)
}

// Read runs work in a read-only transaction. Each statement sees what is committed when it starts. Where
// the connection breaks, work is run again.
func (db *DB) Read(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	return db.begin(ctx, org, beginReading, work)
}

// Snapshot runs work in a read-only transaction whose statements all see the same state. at says
// which: an event is part of that state if [Snapshot.Contains] its transaction. Where the connection
// breaks, work is run again.
func (db *DB) Snapshot(ctx context.Context, org id.Org, work func(tx *Tx, at Snapshot) error) error {
	return db.begin(ctx, org, beginSnapshot, func(tx *Tx) error {
		text := ""
		if err := tx.tx.QueryRow(ctx, "select pg_current_snapshot()::text").Scan(&text); err != nil {
			return fmt.Errorf("take snapshot: %w", err)
		}
		at, err := ParseSnapshot(text)
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
	again, err = db.service.transaction(ctx, named, begin != beginWriting, func(inner pgx.Tx) error {
		tx := &Tx{Queries: sqlc.New(inner), org: org, shard: shard, tx: inner}
		err := work(tx)
		emitted = tx.emitted
		return err
	})
	// What may have been stored is looked for, too.
	if emitted && (err == nil || errors.Is(err, ErrUnsure)) {
		db.waker.Wake(shard)
	}
	return again, err
}

// Emit records that e happened. Its audience hears of it when the transaction commits, and never
// if it doesn't.
func (tx *Tx) Emit(ctx context.Context, e event.Event) error {
	payload, err := event.Encode(e)
	if err != nil {
		return err
	}
	audience, err := encode(e.Audience())
	if err != nil {
		return err
	}
	change := (*string)(nil)
	if c := event.ChangeOf(e); c != nil {
		text, err := encode(c)
		if err != nil {
			return err
		}
		change = &text
	}
	tx.emitted = true
	err = tx.InsertEvent(ctx, sqlc.InsertEventParams{
		Shard: int16(tx.shard), Type: e.Kind().Type, Payload: string(payload), Audience: audience, Change: change, //nolint:gosec // at most 1024 shards
		Trace: traceParent(ctx),
	})
	if err != nil {
		return fmt.Errorf("record event %s: %w", e.Kind().Type, err)
	}
	return nil
}

// LockSubscriptions takes the stream's lock for a change of its subscriptions. It must come before
// the transaction's first write: then no message of the stream is between this transaction's place
// in the order of ids and its place in the event log.
func (tx *Tx) LockSubscriptions(ctx context.Context, stream id.Stream) error {
	if _, err := tx.tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(stream)); err != nil {
		return fmt.Errorf("lock subscriptions of stream %d: %w", stream, err)
	}
	return nil
}

// traceParent is the trace that ctx is part of, in the W3C form, or "".
func traceParent(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return ""
	}
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + span.TraceFlags().String()
}

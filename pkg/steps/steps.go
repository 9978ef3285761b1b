// Package steps performs changes that are too large for one transaction. Events of all organizations wait for the
// oldest open transaction, so a large change is split into steps. Each step is a short transaction with its own
// events, and leaves a consistent state (docs/decisions/0014-short-transactions.md).
//
// It promises that each step happens exactly once and in order, even if processes end. A row contains the rest of a
// change, and each step updates it in its own transaction. The process that begins a change performs its steps. If it
// stops, a [Runner] of any process continues.
package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

const (
	// idle is how long a change waits for its next step before a [Runner] continues it.
	idle = 15 * time.Second
	// requestTimeout is how long a request performs steps. After that it succeeds, and a [Runner] performs the rest.
	requestTimeout = 20 * time.Second
	// turn is how long a [Runner] performs steps of a change before others have their turn.
	turn = time.Second
)

// Kind is a kind of change. S is the rest of a change, which is stored as JSON. A release must accept JSON that the
// previous one has stored.
type Kind[S any] struct {
	name             string
	minRows, maxRows int
	step             Step[S]
}

// Step performs the next part of a change, with as many rows as the pace allows, and updates state for the next step.
// It reports whether the change is complete. It first takes its locks and reads, then calls [Pace.Begin], and then
// writes.
type Step[S any] func(ctx context.Context, tx *store.Tx, state *S, pace *Pace) (done bool, err error)

// NewKind declares a kind of change with a unique name. Its steps write between least and most rows each.
func NewKind[S any](name string, minRows, maxRows int, step Step[S]) Kind[S] {
	return Kind[S]{name, minRows, maxRows, step}
}

// Name returns the kind's name.
func (k Kind[S]) Name() string { return k.name }

// Begin stores the rest of a change in the first transaction of the change. After the commit, the caller calls
// [Kind.Await].
func (k Kind[S]) Begin(ctx context.Context, tx *store.Tx, state S) (change int64, err error) {
	return k.begin(ctx, tx, state, idle)
}

// Leave is [Kind.Begin] for a change that nobody awaits: a [Runner] performs it within seconds.
func (k Kind[S]) Leave(ctx context.Context, tx *store.Tx, state S) error {
	_, err := k.begin(ctx, tx, state, 0)
	return err
}

// begin stores the rest of a change. A runner performs it after a time.
func (k Kind[S]) begin(ctx context.Context, tx *store.Tx, state S, after time.Duration) (change int64, err error) {
	encoded, err := json.Marshal(state)
	if err != nil {
		return 0, fmt.Errorf("encode change of kind %s: %w", k.name, err)
	}
	return tx.BeginChange(ctx, k.name, encoded, after.Seconds())
}

// Await performs the rest of a change that [Kind.Begin] has stored; 0: none. If that takes too long for a request, or the
// database fails, it returns without an error, because a [Runner] completes the change.
func (k Kind[S]) Await(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error {
	if change == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := k.perform(limited, db, org, change, now, requestTimeout)
	switch {
	case err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		return nil
	case fault.Of(err) != nil && fault.Of(err).Kind == fault.Unavailable:
		return nil // the error says that nothing was changed
	}
	return err
}

// Continue performs some of the remaining steps of a change, if any. If they aren't all, the change is due again at once.
func (k Kind[S]) Continue(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error {
	return k.perform(ctx, db, org, change, now, turn)
}

// perform performs the remaining steps of a change, if any, until it has taken so long. now is the clock for measuring
// steps.
func (k Kind[S]) perform(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time, limit time.Duration) error {
	pace, began := NewPace(k.minRows, k.maxRows, now), now()
	for done, last := false, false; !done && !last; {
		due := idle
		if last = now().Sub(began) >= limit; last {
			due = 0
		}
		err := db.Write(ctx, org, func(tx *store.Tx) (err error) {
			done, err = k.next(ctx, tx, change, pace, due)
			return err
		})
		if err != nil {
			return fmt.Errorf("change %d of kind %s: %w", change, k.name, err)
		}
		pace.End()
	}
	return nil
}

// next performs one step. The next one is due after a time.
func (k Kind[S]) next(ctx context.Context, tx *store.Tx, change int64, pace *Pace, due time.Duration) (done bool, err error) {
	if err := tx.LockChange(ctx, change); err != nil {
		return false, err
	}
	encoded, err := tx.ChangeState(ctx, change, k.name)
	if store.IsNotFound(err) {
		return true, nil // another process has performed the last step
	}
	if err != nil {
		return false, err
	}
	state := new(S)
	if err := json.Unmarshal(encoded, state); err != nil {
		return false, fmt.Errorf("decode what is left: %w", err)
	}
	if done, err = k.step(ctx, tx, state, pace); err != nil {
		return false, err
	}
	if done {
		return true, tx.EndChange(ctx, change)
	}
	if encoded, err = json.Marshal(state); err != nil {
		return false, fmt.Errorf("encode what is left: %w", err)
	}
	return false, tx.AdvanceChange(ctx, encoded, due.Seconds(), change)
}

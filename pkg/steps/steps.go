// Package steps carries out changes that are too large for one transaction. Events of all organizations wait
// for the oldest open transaction, so a large change is cut into steps: each is a short transaction with its own
// events, and leaves a state that is right (docs/decisions/0014-short-transactions.md).
//
// It promises that each step is done exactly once, in order, whatever process dies: what is left of a change is
// a row that each step changes in its own transaction. Who asked for the change does the steps. If it stops, a
// [Runner] of any process continues.
package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

const (
	// idle is how long a change waits for its next step until a [Runner] continues it.
	idle = 15 * time.Second
	// patience is how long a request does steps. Then it succeeds, and a [Runner] does the rest.
	patience = 20 * time.Second
)

// Kind is a kind of change. S is what its steps have to know; it is stored as JSON. A release may find what
// the one before has stored.
type Kind[S any] struct {
	name        string
	least, most int
	step        Step[S]
}

// Step does the next part of a change, of as many rows as the pace says, and makes state what the step after it needs.
// It reports whether nothing is left. It takes its locks and reads, then calls [Pace.Begin], and then writes.
type Step[S any] func(ctx context.Context, tx *store.Tx, state *S, pace *Pace) (done bool, err error)

// NewKind declares a kind of change with its own name, whose steps write between least and most rows each.
func NewKind[S any](name string, least, most int, step Step[S]) Kind[S] {
	return Kind[S]{name, least, most, step}
}

// Name is the kind's name.
func (k Kind[S]) Name() string { return k.name }

// Begin records in a change's first transaction what is left of it. After the commit, [Kind.Await] does it.
func (k Kind[S]) Begin(ctx context.Context, tx *store.Tx, state S) (change int64, err error) {
	encoded, err := json.Marshal(state)
	if err != nil {
		return 0, fmt.Errorf("encode change of kind %s: %w", k.name, err)
	}
	return tx.BeginChange(ctx, k.name, encoded, idle.Seconds())
}

// Await does what is left of a change, which [Kind.Begin] has recorded; 0: nothing. If that takes too long for a
// request it returns without an error, too: the change will be done, whatever happens.
func (k Kind[S]) Await(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error {
	if change == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := k.Finish(limited, db, org, change, now)
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// Finish does all steps that are left of a change; there may be none. now is the clock that says how long steps take.
func (k Kind[S]) Finish(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error {
	pace := NewPace(k.least, k.most, now)
	for done := false; !done; {
		err := db.Write(ctx, org, func(tx *store.Tx) (err error) {
			done, err = k.next(ctx, tx, change, pace)
			return err
		})
		if err != nil {
			return fmt.Errorf("change %d of kind %s: %w", change, k.name, err)
		}
		pace.End()
	}
	return nil
}

// next does one step.
func (k Kind[S]) next(ctx context.Context, tx *store.Tx, change int64, pace *Pace) (done bool, err error) {
	if err := tx.LockChange(ctx, change); err != nil {
		return false, err
	}
	encoded, err := tx.ChangeState(ctx, change, k.name)
	if store.IsNotFound(err) {
		return true, nil // somebody else did the last step
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
	return false, tx.AdvanceChange(ctx, encoded, idle.Seconds(), change)
}

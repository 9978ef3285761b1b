// Package coalesce merges concurrent calls, so that callers share a result instead of computing it each.
package coalesce

import (
	"context"
	"sync"
	"time"
)

// Question runs a function on behalf of all its callers, at most once at a time. Unlike with
// golang.org/x/sync/singleflight, callers never share a run that started before their call.
type Question[T any] struct {
	// Ask returns the answer. Its context ends after Limit, and has the values of the context of one of the callers.
	Ask func(ctx context.Context) (T, error)
	// Limit is the time limit of Ask.
	Limit time.Duration
	// Pause is the minimum time between the end of a run and the next one. Calls in this time share the next run.
	Pause time.Duration

	mutex  sync.Mutex
	asking bool
	next   *answer[T] // of the next run; nil: there are no callers
}

type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Answer returns the result of a run of Ask that starts after the call. It fails when ctx ends, and returns within
// twice the sum of the limit and the pause.
func (q *Question[T]) Answer(ctx context.Context) (T, error) {
	q.mutex.Lock()
	if q.next == nil {
		q.next = &answer[T]{done: make(chan struct{})}
	}
	mine := q.next
	if !q.asking {
		q.asking = true
		// Other callers wait for the result, so the run must not stop when this caller's context ends.
		go q.run(context.WithoutCancel(ctx))
	}
	q.mutex.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// run calls Ask until there are no more callers.
func (q *Question[T]) run(ctx context.Context) {
	for due := q.due(); due != nil; due = q.due() {
		limited, cancel := context.WithTimeout(ctx, q.Limit)
		due.value, due.err = q.Ask(limited)
		cancel()
		close(due.done)
		time.Sleep(q.Pause)
	}
}

// due returns the answer that callers wait for, or nil.
func (q *Question[T]) due() *answer[T] {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	due := q.next
	q.next, q.asking = nil, due != nil
	return due
}

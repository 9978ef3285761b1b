// Package coalesce merges concurrent calls: the callers share one result, which each of them would compute otherwise.
package coalesce

import (
	"context"
	"sync"
	"time"
)

// Question is asked for all who want its answer, at most once at a time. Unlike those who share what is already on its way
// (golang.org/x/sync/singleflight), callers never get what was true before their call.
type Question[T any] struct {
	// Ask returns the answer. Its context ends after Limit, and has the values of one of the callers.
	Ask func(ctx context.Context) (T, error)
	// Limit is how long an answer may take.
	Limit time.Duration
	// Pause is the least time from an answer to the next question. Those who call meanwhile share that.
	Pause time.Duration

	mutex  sync.Mutex
	asking bool
	next   *answer[T] // to those who wait for the next question
}

type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Answer returns the answer to a question that was asked after the call, or its error. It fails when ctx ends, and
// otherwise within twice the limit and the pause.
func (q *Question[T]) Answer(ctx context.Context) (T, error) {
	q.mutex.Lock()
	if q.next == nil {
		q.next = &answer[T]{done: make(chan struct{})}
	}
	mine := q.next
	if !q.asking {
		q.asking = true
		// Others wait for it, so the end of this caller's work doesn't stop it.
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

// run asks as long as somebody waits for an answer.
func (q *Question[T]) run(ctx context.Context) {
	for due := q.due(); due != nil; due = q.due() {
		limited, cancel := context.WithTimeout(ctx, q.Limit)
		due.value, due.err = q.Ask(limited)
		cancel()
		close(due.done)
		time.Sleep(q.Pause)
	}
}

// due returns the answer that is waited for; nil: there is none.
func (q *Question[T]) due() *answer[T] {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	due := q.next
	q.next, q.asking = nil, due != nil
	return due
}

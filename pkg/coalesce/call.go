// Package coalesce merges concurrent calls, so that callers share a result instead of computing it each.
package coalesce

import (
	"context"
	"sync"
	"time"
)

// Call runs a function on behalf of all its callers, at most once at a time. Unlike with
// golang.org/x/sync/singleflight, callers never share a run that started before their call.
type Call[T any] struct {
	// Func returns the result. Its context ends after Timeout, and has the values of the context of one of the callers.
	Func func(ctx context.Context) (T, error)
	// Timeout is the time limit of Func.
	Timeout time.Duration
	// Pause is the minimum time between the end of a run and the next one. Calls in this time share the next run.
	Pause time.Duration

	mutex   sync.Mutex
	running bool
	next    *result[T] // of the next run; nil: there are no callers
}

type result[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Do returns the result of a run of Func that starts after the call. It fails when ctx ends, and returns within
// twice the sum of Timeout and Pause.
func (c *Call[T]) Do(ctx context.Context) (T, error) {
	c.mutex.Lock()
	if c.next == nil {
		c.next = &result[T]{done: make(chan struct{})}
	}
	mine := c.next
	if !c.running {
		c.running = true
		// Other callers wait for the result, so the run must not stop when this caller's context ends.
		go c.run(context.WithoutCancel(ctx))
	}
	c.mutex.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// run calls Func until there are no more callers.
func (c *Call[T]) run(ctx context.Context) {
	for due := c.due(); due != nil; due = c.due() {
		limited, cancel := context.WithTimeout(ctx, c.Timeout)
		due.value, due.err = c.Func(limited)
		cancel()
		close(due.done)
		time.Sleep(c.Pause)
	}
}

// due returns the result that callers wait for, or nil.
func (c *Call[T]) due() *result[T] {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	due := c.next
	c.next, c.running = nil, due != nil
	return due
}

package testbed

import (
	"sync"
	"time"
)

// Clock is a clock that stands still until a test moves it. It may be used by several goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock set to the given time.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time that the clock shows; pass the method where a func() time.Time is wanted.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on; a negative duration moves it back.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// Set makes the clock show the given time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

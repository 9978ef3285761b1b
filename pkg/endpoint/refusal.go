package endpoint

import (
	"context"
	"time"
)

// refusalTime is how long the answer to a refused login is delayed while there are many of them.
const refusalTime = time.Second

// slowRefusal delays the answer to a refused login if there have been too many. So a client that tries keys
// gets only one answer per second on each connection, and uses no processor time meanwhile. Valid keys aren't delayed.
// slowRefusal returns early if ctx ends, or if the connection is closed to make room for another client.
func (c *call) slowRefusal(ctx context.Context) {
	if c.router.cfg.Refusals == nil {
		return
	}
	if c.router.cfg.Refusals.Allow(ctx, 0, c.router.cfg.Now()).Allowed {
		return
	}
	c.settle(0)                    // memory of the form with the key
	gone := (<-chan struct{})(nil) // nil: the connection isn't closed meanwhile
	if c.router.cfg.Release != nil {
		closed, resume := c.router.cfg.Release(ctx)
		defer resume()
		gone = closed
	}
	select {
	case <-time.After(refusalTime):
	case <-gone:
	case <-ctx.Done():
	}
}

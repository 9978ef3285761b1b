package endpoint

import (
	"context"
	"time"
)

// refusalTime is how long the answer to a refused login is delayed while there are many of them.
const refusalTime = time.Second

// slowRefusal waits before a refused login is answered if there have been too many: a client that tries keys one at a
// time gets one answer a second for each connection, and costs nothing meanwhile. Valid keys aren't delayed. It
// returns early if ctx ends, or if the connection is needed for another client.
func (c *call) slowRefusal(ctx context.Context) {
	if c.router.cfg.Refusals == nil {
		return
	}
	if c.router.cfg.Refusals.Allow(ctx, 0, c.router.cfg.Now()).Allowed {
		return
	}
	c.settle(0) // of the key's form
	left := (<-chan struct{})(nil)
	if c.router.cfg.Rest != nil {
		gone, resume := c.router.cfg.Rest(ctx)
		defer resume()
		left = gone
	}
	timer := time.NewTimer(refusalTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-left:
	case <-ctx.Done():
	}
}

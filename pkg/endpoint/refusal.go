package endpoint

import (
	"context"
	"time"
)

// refusalTime is how long a caller whose login is refused waits for the answer, while there are many of them.
const refusalTime = time.Second

// slowRefusal waits before a login's refusal is answered, where there have been too many: whoever tries keys one after
// the other on a connection gets on once a second, and takes nothing from others meanwhile. Whoever has a valid key
// isn't concerned. It returns early where ctx ends, or the connection is needed for somebody else.
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

package endpoint

import (
	"context"
	"fmt"
	"sync"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// Limits on the memory of bodies and answers.
const (
	// DefaultMemory is the default limit per process, in bytes.
	DefaultMemory = 256 << 20
	// shares limits an account to one in this many of the memory. Calls without an account count as one account.
	shares = 4
	// freeBody and freeAnswer are the sizes up to which bodies and answers aren't counted. Most are
	// smaller.
	freeBody   = 16 << 10
	freeAnswer = 256 << 10
	// bodyFactor is how many times its size a body takes while it is read: its text, the parameters' texts, and
	// their values.
	bodyFactor = 4
	// waitTimeout is how long a request waits for memory.
	waitTimeout = 10 * time.Second
)

var errBusy = fault.Limit(fault.CodeNone, "Too many large requests or answers are being processed: try again in a few seconds, one at a time")

// everyone stands for the total where accounts stand for their shares. 0 is the account of all unauthenticated callers.
const everyone = id.User(-1)

// memory counts the bytes that bodies and answers hold, for each account. It is safe for concurrent use.
type memory struct {
	total, share int64

	mutex sync.Mutex
	held  int64
	by    map[id.User]int64
	// beyond has the accounts whose limit a call exceeds, and everyone if a call exceeds the total: see [memory.try].
	beyond map[id.User]bool
	freed  chan struct{} // closed when memory is returned; nil: no call waits
}

// grant is the memory that a call holds.
type grant struct {
	user   id.User
	bytes  int64
	beyond *id.User // the account whose limit it exceeds, or everyone for the total; nil: none
}

func newMemory(total int64) *memory {
	return &memory{total: total, share: total / shares, by: map[id.User]int64{}, beyond: map[id.User]bool{}}
}

// take adds bytes to a grant. It waits for them until ctx ends. The caller ensures that the grant has at most a share then.
func (m *memory) take(ctx context.Context, g *grant, bytes int64) error {
	for {
		freed := m.try(g, bytes)
		if freed == nil {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return errBusy.Wrap(fmt.Errorf("%d bytes for account %d: %w", bytes, g.user, ctx.Err()))
		}
	}
}

// try takes bytes. If it can't, it returns a channel that is closed when it is worth trying again. Growing grants
// already hold memory, so they could wait for each other until they time out. Therefore one of them at a time may
// exceed the account's share, and one the total.
func (m *memory) try(g *grant, bytes int64) (freed <-chan struct{}) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	limit := (*id.User)(nil)
	switch {
	case m.held+bytes > m.total:
		limit = new(everyone)
	case m.by[g.user]+bytes > m.share:
		limit = &g.user
	}
	if limit == nil || g.beyond != nil || g.bytes > 0 && !m.beyond[*limit] {
		if limit != nil && g.beyond == nil {
			m.beyond[*limit], g.beyond = true, limit
		}
		g.bytes += bytes
		m.held += bytes
		m.by[g.user] += bytes
		return nil
	}
	if m.freed == nil {
		m.freed = make(chan struct{})
	}
	return m.freed
}

// put returns bytes of a grant.
func (m *memory) put(g *grant, bytes int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	g.bytes -= bytes
	m.held -= bytes
	if m.by[g.user] -= bytes; m.by[g.user] == 0 {
		delete(m.by, g.user)
	}
	if g.bytes == 0 && g.beyond != nil {
		delete(m.beyond, *g.beyond)
		g.beyond = nil
	}
	if m.freed != nil {
		close(m.freed)
		m.freed = nil
	}
}

// reserve makes the call hold bytes, or at most a share. It waits for at most the time wait.
func (c *call) reserve(ctx context.Context, bytes int64, wait time.Duration) error {
	m := c.router.memory
	more := min(bytes, m.share) - c.grant.bytes
	if more <= 0 {
		return nil
	}
	if c.grant.bytes == 0 {
		c.grant.user = c.who.User
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return m.take(ctx, &c.grant, more)
}

// settle reduces the memory that the call holds to at most bytes.
func (c *call) settle(bytes int64) {
	if less := c.grant.bytes - bytes; less > 0 {
		c.router.memory.put(&c.grant, less)
	}
}

// settleAnswer makes the call hold the size of its answer, after that has been made.
func (c *call) settleAnswer(ctx context.Context, size int) error {
	c.passTurn() // the client may be slow
	if size <= freeAnswer {
		c.settle(0)
		return nil
	}
	c.settle(int64(size))
	return c.reserve(ctx, int64(size), waitTimeout)
}

// Reserve reserves bytes, which the handler is about to use for its answer, for the caller of ctx's request, until
// the answer is written. It waits while others hold too much, and fails with a fault after
// ten seconds. A call can't reserve more than a share of the process's memory. Outside of requests, Reserve does
// nothing.
//
// Then it waits, for up to ten seconds, for the caller's turn, which lasts until the answer has been made. Only a few large
// answers are made concurrently. Organizations and accounts take turns. A call that reserves more memory passes its turn
// and waits for another: the memory may be that of clients that read slowly.
//
// Reserve also fails if the caller may not make the request anymore after the wait, or has another role.
func Reserve(ctx context.Context, bytes int64) error {
	c, ok := ctx.Value(requestIDKey{}).(*call)
	if !ok {
		return nil
	}
	if err := c.prepare(ctx, bytes); err != nil {
		return err
	}
	return c.confirmSame(ctx)
}

// ReserveNow reserves bytes like [Reserve], without waiting, and takes no turn.
func ReserveNow(ctx context.Context, bytes int64) error {
	if c, ok := ctx.Value(requestIDKey{}).(*call); ok {
		return c.reserve(ctx, bytes, 0)
	}
	return nil
}

// prepareFor is prepare for the caller as they are after the wait.
func (c *call) prepareFor(ctx context.Context, bytes int64) (err error) {
	if err = c.prepare(ctx, bytes); err == nil && bytes > 0 {
		c.who, err = c.confirm(ctx)
	}
	return err
}

// prepare waits until the call may make an answer of this size in bytes; 0: a small one.
func (c *call) prepare(ctx context.Context, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	c.passTurn()
	if err := c.reserve(ctx, bytes, waitTimeout); err != nil {
		return err
	}
	return c.takeTurn(ctx, waitTimeout)
}

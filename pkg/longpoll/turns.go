package longpoll

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
)

// turns decides who serves a connection. While it waits, nobody does, and it takes no goroutine where the poller has it.
// Whoever brings what it waits for has it served again; what comes while it is served isn't waited for.
type turns struct {
	mutex   sync.Mutex
	waiting reason
	came    [reasons]bool
	silent  int           // how many times sweep has found it waiting for the same request
	news    chan struct{} // for a goroutine that waits for an answer; has room for one; nil: none does
	idle    atomic.Bool   // a goroutine waits for a request
}

// reason is what a connection waits for.
type reason int

// The reasons. It is served while it waits for nothing.
const (
	nothing reason = iota
	forAnswer
	forRequest
	reasons
)

// waits has the connection wait, and returns true where the goroutine is to leave it alone. It returns false where what
// it waits for is there.
func (c *conn) waits(ctx context.Context, why reason) bool {
	if c.socket == nil {
		select {
		case <-c.news:
		case <-ctx.Done():
		}
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.came[why] || ctx.Err() != nil || why == forRequest && c.server.closing.Load() {
		c.came[why] = false
		return false
	}
	c.waiting, c.silent = why, 0
	return true
}

// take begins to serve a connection that waits, and reports false where it doesn't wait for that.
func (c *conn) take(from reason) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.waiting != from {
		return false
	}
	c.waiting = nothing
	return true
}

// takeSilent is take for a connection that waits for a request the third time that it is asked.
func (c *conn) takeSilent() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.waiting != forRequest {
		return false
	}
	if c.silent++; c.silent <= 2 {
		return false
	}
	c.waiting = nothing
	return true
}

// comes says that what a connection waits for, or will wait for, is there. It returns true if the connection waited: then
// the caller has it served.
func (c *conn) comes(what reason) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.waiting != what {
		c.came[what] = true
		return false
	}
	c.waiting = nothing
	return true
}

// arrived is called by the poller, with memory for a request.
func (c *conn) arrived(memory []byte) {
	if c.comes(forRequest) && !c.repeatsNow(memory) {
		go c.serve(c.server.ctx)
	}
}

// woken has the handler's answer called again.
func (c *conn) woken() {
	if c.socket != nil {
		if c.comes(forAnswer) {
			go c.serve(c.server.ctx)
		}
		return
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// reset makes a connection that nobody waits for begin from nothing.
func (c *conn) reset() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waiting, c.came = nothing, [reasons]bool{}
}

func isNotYet(err error) bool { return errors.Is(err, syscall.EAGAIN) }

package longpoll

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
)

// turns ensures that at most one goroutine serves a connection. If there is a poller, no goroutine does while the
// connection waits: the event that it waits for starts one. An event that occurs while the connection is served is
// recorded, so that the connection won't wait for it.
type turns struct {
	mutex   sync.Mutex
	waiting reason
	came    [reasons]bool // events that occurred while the connection was served
	silent  int           // how many times sweep has found it waiting for the same request
	news    chan struct{} // wakes a goroutine that waits for an answer; buffers one; nil: the poller is used
	idle    atomic.Bool   // a goroutine waits for a request
}

// reason is what a connection waits for.
type reason int

// The reasons. A connection that waits for nothing is being served.
const (
	nothing reason = iota
	forAnswer
	forRequest
	reasons
)

// waits makes the connection wait. If it returns true, the caller must no longer use the connection: the event starts
// another goroutine. If it returns false, the caller continues: the event has occurred, or the server is ending.
// Without a poller, it blocks until then.
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

// take ends the waiting of a connection, so that the caller must serve it. It returns false if the connection doesn't
// wait for that reason.
func (c *conn) take(from reason) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.waiting != from {
		return false
	}
	c.waiting = nothing
	return true
}

// takeSilent is take for connections that wait for a request, but does nothing in the first two calls during the same
// wait.
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

// comes records an event that a connection waits for, or will wait for. It returns true if the connection waited: then
// the caller must serve it.
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

// arrived is called by the poller when data has arrived. memory is a buffer for a request.
func (c *conn) arrived(memory []byte) {
	if c.comes(forRequest) && !c.repeatsNow(memory) {
		go c.serve(c.server.ctx)
	}
}

// woken makes the connection call the handler's answer again.
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

// reset clears the state of a connection that isn't waiting.
func (c *conn) reset() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waiting, c.came = nothing, [reasons]bool{}
}

func isNotYet(err error) bool { return errors.Is(err, syscall.EAGAIN) }

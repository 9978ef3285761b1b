package endpoint

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"
)

const (
	// lateTime is how long a client may take to receive a late answer.
	lateTime = 10 * time.Second
	// lateBytes bounds what is kept of answers that their clients are slow to receive. Who comes when it is
	// reached loses the connection, and asks again.
	lateBytes = 64 << 20
	// lateLeast is what any of them counts for at least: a goroutine and a connection.
	lateLeast = 32 << 10
	// lingerTime is how long a connection stays open for its client to read the last answer.
	lingerTime = 500 * time.Millisecond
)

// send sends what there is room for on the way to the client, which is nearly always everything. Whoever
// waits for room waits in a goroutine of its own, so that nobody else waits for it.
func (a *LateAnswer) send(ctx context.Context, w *lateWriter, told func()) {
	rest, err := a.conn.writeNow(w.message)
	if err != nil || len(rest) == 0 {
		a.sent(ctx, w, err)
		told()
		return
	}
	weight := int64(min(max(len(rest), lateLeast), lateBytes))
	if !a.call.router.slow.TryAcquire(weight) {
		a.sent(ctx, w, errTooSlow)
		told()
		return
	}
	go func() {
		defer told()
		defer a.call.router.slow.Release(weight)
		_ = a.conn.SetWriteDeadline(a.call.router.now().Add(lateTime)) // where that fails, so does what follows
		_, err := a.conn.Write(rest)
		_ = a.conn.SetWriteDeadline(time.Time{})
		a.sent(ctx, w, err)
	}()
}

// errTooSlow says that too many clients are slow to receive their answers.
var errTooSlow = errors.New("endpoint: too much waits to be received")

// sent does what comes after an answer.
func (a *LateAnswer) sent(ctx context.Context, w *lateWriter, err error) {
	defer a.call.finish(ctx)
	switch {
	case err != nil:
		a.call.status = statusGone
		_ = a.conn.Close() // it is broken already
	case w.header.Get("Connection") == "close":
		a.conn.closeSoon()
	default:
		a.conn.returned = true
		a.call.router.giveBack(a.conn)
	}
}

// writeNow writes what can be written without waiting, and gives the rest.
func (c *keptConn) writeNow(message []byte) (rest []byte, err error) {
	able, ok := c.Conn.(syscall.Conn)
	if !ok {
		return message, nil
	}
	raw, err := able.SyscallConn()
	if err != nil {
		return nil, err
	}
	rest = message
	failed := error(nil)
	err = raw.Write(func(fd uintptr) bool {
		for len(rest) > 0 {
			n, err := syscall.Write(int(fd), rest)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				return true
			case err != nil:
				failed = err
				return true
			case n == 0:
				failed = io.ErrUnexpectedEOF
				return true
			}
			rest = rest[n:]
		}
		return true
	})
	return rest, errors.Join(err, failed)
}

// closeSoon closes the connection when its client has had time to read. Closed at once, what the client has
// sent meanwhile would make it lose the answer.
func (c *keptConn) closeSoon() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		_ = c.Close()
		return
	}
	time.AfterFunc(lingerTime, func() { _ = c.Close() })
}

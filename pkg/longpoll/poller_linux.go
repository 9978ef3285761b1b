package longpoll

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// poller waits for many connections in one goroutine, with its own epoll instance. Go's poller waits for that as
// for any file, so the goroutine occupies no thread.
type poller struct {
	epoll int
	file  *os.File // of epoll
	raw   syscall.RawConn

	mutex sync.Mutex
	conns map[int32]*conn // by file descriptor
}

// batch is the maximum number of events that one call of epoll_wait returns.
const batch = 128

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err == nil {
		err = unix.SetNonblock(fd, true) // required by Go's poller
	}
	if err != nil {
		return nil, fmt.Errorf("make epoll: %w", err)
	}
	p := &poller{epoll: fd, file: os.NewFile(uintptr(fd), "epoll"), conns: map[int32]*conn{}}
	p.raw, err = p.file.SyscallConn()
	if err == nil {
		err = p.file.SetReadDeadline(time.Time{}) // fails for files that Go's poller doesn't support
	}
	if err != nil {
		_ = p.file.Close() // it wasn't used
		return nil, fmt.Errorf("wait for epoll: %w", err)
	}
	return p, nil
}

// run calls arrived for connections that have received data, and each every period, until the poller is closed.
func (p *poller) run(period time.Duration, each func()) {
	events := make([]unix.EpollEvent, batch)
	ready, memory := make([]*conn, 0, batch), make([]byte, headSize)
	due := time.Now().Add(period) //nolint:forbidigo // deadlines of files are the system's time
	for err := p.file.SetReadDeadline(due); err == nil; {
		n := 0
		err = p.raw.Read(func(fd uintptr) bool {
			n, _ = unix.EpollWait(int(fd), events, 0) // a failure is treated like no events
			return n > 0
		})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			each()
			due = due.Add(period)
			err = p.file.SetReadDeadline(due)
			continue
		}
		p.mutex.Lock()
		for _, e := range events[:max(n, 0)] {
			if c := p.conns[e.Fd]; c != nil {
				ready = append(ready, c)
			}
		}
		p.mutex.Unlock()
		for _, c := range ready {
			c.arrived(memory)
		}
		clear(ready)
		ready = ready[:0]
	}
}

// add starts to wait for a connection. arrived is called once each time data arrives, whether or not it is read
// (edge-triggered).
func (p *poller) add(c *conn) error {
	err := error(nil)
	controlled := c.socket.Control(func(fd uintptr) {
		c.socket.fd = int32(fd)
		p.mutex.Lock()
		p.conns[c.socket.fd] = c
		p.mutex.Unlock()
		err = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: c.socket.fd})
	})
	return errors.Join(controlled, err)
}

// remove stops waiting for a connection. The kernel has removed closed ones already.
func (p *poller) remove(c *conn) {
	p.mutex.Lock()
	if p.conns[c.socket.fd] == c { // another connection may have the same descriptor by now
		delete(p.conns, c.socket.fd)
	}
	p.mutex.Unlock()
	_ = c.socket.Control(func(fd uintptr) { _ = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_DEL, int(fd), nil) })
}

// close ends run.
func (p *poller) close() { _ = p.file.Close() }

// readNow reads the available data from a socket.
func readNow(fd uintptr, into []byte) (int, error) { return ignoringEINTR(unix.Read, fd, into) }

// writeNow writes as much to a socket as it accepts.
func writeNow(fd uintptr, data []byte) (int, error) { return ignoringEINTR(unix.Write, fd, data) }

func ignoringEINTR(do func(fd int, p []byte) (int, error), fd uintptr, p []byte) (n int, err error) {
	for {
		n, err = do(int(fd), p)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

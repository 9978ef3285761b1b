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

// poller waits for many connections in one goroutine: by its own epoll, which itself is a file that Go's poller
// waits for, so no thread is held either.
type poller struct {
	epoll int
	file  *os.File // the same
	raw   syscall.RawConn

	mutex sync.Mutex
	conns map[int32]*conn // by file descriptor
}

// batch is how many connections are taken from the kernel at a time.
const batch = 128

// newPoller makes a poller.
func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err == nil {
		err = unix.SetNonblock(fd, true) // or Go's poller wouldn't have it
	}
	if err != nil {
		return nil, fmt.Errorf("make epoll: %w", err)
	}
	p := &poller{epoll: fd, file: os.NewFile(uintptr(fd), "epoll"), conns: map[int32]*conn{}}
	p.raw, err = p.file.SyscallConn()
	if err == nil {
		err = p.file.SetReadDeadline(time.Time{}) // fails for files that Go's poller doesn't have
	}
	if err != nil {
		_ = p.file.Close() // nobody has used it
		return nil, fmt.Errorf("wait for epoll: %w", err)
	}
	return p, nil
}

// run has arrived called for connections to which something has come, until the poller is closed, and each called every
// period.
func (p *poller) run(period time.Duration, each func()) {
	events := make([]unix.EpollEvent, batch)
	ready, memory := make([]*conn, 0, batch), make([]byte, headSize)
	due := time.Now().Add(period) //nolint:forbidigo // deadlines of files are the system's time
	for err := p.file.SetReadDeadline(due); err == nil; {
		n := 0
		err = p.raw.Read(func(fd uintptr) bool {
			n, _ = unix.EpollWait(int(fd), events, 0) // a failure is as good as nothing
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

// add begins to wait for a connection: arrived is called once for whatever arrives, whether somebody reads it or not.
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

// remove ends that. Of a connection that is closed the kernel knows nothing any more.
func (p *poller) remove(c *conn) {
	p.mutex.Lock()
	if p.conns[c.socket.fd] == c { // another connection may have the same number by now
		delete(p.conns, c.socket.fd)
	}
	p.mutex.Unlock()
	_ = c.socket.Control(func(fd uintptr) { _ = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_DEL, int(fd), nil) })
}

// close ends run.
func (p *poller) close() { _ = p.file.Close() }

// readNow reads from a socket what is there.
func readNow(fd uintptr, into []byte) (int, error) { return ignoringEINTR(unix.Read, fd, into) }

// writeNow writes to a socket what it takes.
func writeNow(fd uintptr, data []byte) (int, error) { return ignoringEINTR(unix.Write, fd, data) }

func ignoringEINTR(do func(fd int, p []byte) (int, error), fd uintptr, p []byte) (n int, err error) {
	for {
		n, err = do(int(fd), p)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

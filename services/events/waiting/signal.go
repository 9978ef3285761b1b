package waiting

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// taken counts the polls of a chunk that haven't taken their answers. A nil taken counts nothing.
type taken struct {
	ended *signal
	left  atomic.Int64
}

func (t *taken) one() {
	if t != nil && t.left.Add(-1) == 0 {
		t.ended.send()
	}
}

// wait returns when all answers are taken, or at a time.
func (t *taken) wait(until time.Time) {
	for t.left.Load() > 0 && t.ended.wait(until) {
	}
}

// signal ends a wait by Go's network poller, so that goroutines with ready network connections run, too. A wait for a
// channel could end without the network being polled.
type signal struct {
	read, write *os.File
	sent        atomic.Bool // since the last wait that read from the pipe; it prevents a full pipe
}

func newSignal() (*signal, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe to wait for polls: %w", err)
	}
	return &signal{read: read, write: write}, nil
}

func (s *signal) send() {
	if !s.sent.Swap(true) {
		_, _ = s.write.Write([]byte{0}) // the wait has a deadline
	}
}

// wait returns true when signals were sent, and false where none came in time. Whoever waits looks afterwards for what
// the signals were about: one that is sent while this returns isn't sent again.
func (s *signal) wait(until time.Time) bool {
	if s.read.SetReadDeadline(until) != nil {
		return false
	}
	if _, err := s.read.Read(make([]byte, 1)); err != nil {
		return false
	}
	s.sent.Store(false)
	return true
}

func (s *signal) close() {
	_ = s.read.Close()
	_ = s.write.Close()
}

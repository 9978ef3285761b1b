package waiting

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// taken counts the polls of a portion that haven't taken their answers. nil counts nothing.
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

// signal ends a wait by way of the network poller: whatever the poller finds ready runs together with what waits here.
// The wait for a channel could end without the network being polled.
type signal struct{ read, write *os.File }

func newSignal() (*signal, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe to wait for polls: %w", err)
	}
	return &signal{read, write}, nil
}

func (s *signal) send() {
	_, _ = s.write.Write([]byte{0}) // the wait has a deadline
}

// wait returns true when signals were sent, and false where none came in time.
func (s *signal) wait(until time.Time) bool {
	if s.read.SetReadDeadline(until) != nil {
		return false
	}
	_, err := s.read.Read(make([]byte, 64))
	return err == nil
}

func (s *signal) close() {
	_ = s.read.Close()
	_ = s.write.Close()
}

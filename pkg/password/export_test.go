package password

import (
	"context"
	"time"
)

// ComputeApart computes a hash in a process with a timeout.
func ComputeApart(ctx context.Context, timeout time.Duration, command ...string) error {
	_, err := (&process{command: command, timeout: timeout}).compute(ctx, job{})
	return err
}

// Hold takes a slot until the returned function is called.
func (h *Hasher) Hold() (release func()) {
	h.line <- struct{}{}
	by := <-h.slots
	return func() { h.slots <- by; <-h.line }
}

// InLine returns the number of callers that compute or wait.
func (h *Hasher) InLine() int { return len(h.line) }

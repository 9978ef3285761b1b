package password

import (
	"context"
	"time"
)

// ComputeInChild computes a hash in a child process with a timeout.
func ComputeInChild(ctx context.Context, timeout time.Duration, command ...string) error {
	_, err := (&process{command: command, timeout: timeout}).compute(ctx, job{})
	return err
}

// Hold takes a slot until the returned function is called.
func (h *Hasher) Hold() (release func()) {
	h.admitted <- struct{}{}
	by := <-h.slots
	return func() { h.slots <- by; <-h.admitted }
}

// Admitted returns the number of callers that compute or wait.
func (h *Hasher) Admitted() int { return len(h.admitted) }

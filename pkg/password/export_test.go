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

// NewPatientHasher is [NewProcessHasher] whose callers and processes may take minutes: on a busy machine, processes with the
// lowest priority hardly run.
func NewPatientHasher(atATime, waiting int, command ...string) *Hasher {
	const patience = 5 * time.Minute
	h := newHasher(atATime, waiting, func() computer { return &process{command: command, timeout: patience} })
	h.maxWait = patience
	return h
}

// Hold takes a slot until the returned function is called.
func (h *Hasher) Hold() (release func()) {
	h.admitted <- struct{}{}
	by := <-h.slots
	return func() { h.slots <- by; <-h.admitted }
}

// Admitted returns the number of callers that compute or wait.
func (h *Hasher) Admitted() int { return len(h.admitted) }

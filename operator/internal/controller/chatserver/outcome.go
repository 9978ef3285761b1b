package chatserver

import (
	"fmt"
	"time"
)

// terminalError is an error that retries can't resolve: a user has to change the spec or another object.
type terminalError struct {
	condition string // the type of the one that is false; empty: only Ready
	reason    string
	err       error
}

func (e *terminalError) Error() string { return e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }

func terminal(condition, reason string, err error) error {
	return &terminalError{condition, reason, err}
}

// waitingError ends a pass that has to wait. It isn't a failure.
type waitingError struct {
	condition string // the type of the one that is false; empty: only Ready
	reason    string
	message   string
	after     time.Duration // when to retry; zero: on a watched change
}

func (e *waitingError) Error() string { return e.message }

const (
	// lookAgain is the interval at which pods are polled while something waits for them: they aren't watched.
	lookAgain = 10 * time.Second
	// lookAtEnding is the same for pods that are terminating, which usually takes seconds.
	lookAtEnding = 2 * time.Second
)

// wait ends a pass until a watched object changes.
func wait(condition, reason, format string, args ...any) error {
	return waitAwhile(0, condition, reason, format, args...)
}

// waitForPods ends a pass until pods are polled again.
func waitForPods(condition, reason, format string, args ...any) error {
	return waitAwhile(lookAgain, condition, reason, format, args...)
}

// waitAwhile ends a pass until some time has passed.
func waitAwhile(after time.Duration, condition, reason, format string, args ...any) error {
	return &waitingError{condition, reason, fmt.Sprintf(format, args...), after}
}

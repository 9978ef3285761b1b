package chatserver

import (
	"fmt"
	"time"
)

// outcome is how a step ended. The zero value: the next one may go on.
type outcome struct {
	ended bool // the pass ends here, and nothing is wrong
	stale bool // something changed during the pass: it ends, says nothing, and another one follows
	err   error
}

func proceed() outcome         { return outcome{} }
func end() outcome             { return outcome{ended: true} }
func again() outcome           { return outcome{ended: true, stale: true} }
func failed(err error) outcome { return outcome{err: err} }

// terminalError says that nothing gets on until somebody changes something.
type terminalError struct {
	condition string // the type of the one that is false; empty: Ready alone
	reason    string
	err       error
}

func (e *terminalError) Error() string { return e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }

func terminal(condition, reason string, err error) outcome {
	return failed(&terminalError{condition, reason, err})
}

// waitingError says that something else has to happen first. It is no failure.
type waitingError struct {
	condition string // the type of the one that is false; empty: Ready alone
	reason    string
	message   string
	after     time.Duration // when to look again; zero: when a watch says so
}

func (e *waitingError) Error() string { return e.message }

const (
	// lookAgain is when pods are looked at again while something waits for them: they aren't watched.
	lookAgain = 10 * time.Second
	// lookAtEnding is the same for pods that end, which most do within seconds.
	lookAtEnding = 2 * time.Second
)

// wait ends a pass until something is watched to change.
func wait(condition, reason, format string, args ...any) outcome {
	return failed(&waitingError{condition: condition, reason: reason, message: fmt.Sprintf(format, args...)})
}

// waitForPods ends a pass until pods are looked at again.
func waitForPods(condition, reason, format string, args ...any) outcome {
	return waitAwhile(lookAgain, condition, reason, format, args...)
}

// waitAwhile ends a pass for some time.
func waitAwhile(after time.Duration, condition, reason, format string, args ...any) outcome {
	return failed(&waitingError{condition, reason, fmt.Sprintf(format, args...), after})
}

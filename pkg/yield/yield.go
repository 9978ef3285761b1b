// Package yield makes long computations pause, so that other work gets processor time.
//
// The caller of a computation decides how long its pauses are, with [With]. The computation calls [IfDue] about once a
// millisecond.
package yield

import "context"

type key struct{}

// With returns a context in which [IfDue] calls pause. pause returns at once if no pause is due.
func With(ctx context.Context, pause func()) context.Context {
	return context.WithValue(ctx, key{}, pause)
}

// IfDue pauses if a pause is due. It does nothing in contexts that [With] didn't make.
func IfDue(ctx context.Context) {
	if pause, ok := ctx.Value(key{}).(func()); ok {
		pause()
	}
}

// Package rest makes long computations pause, so that other work gets processor time.
//
// The caller of a computation decides how long its pauses are, with [With]. The computation calls [Take] about once a
// millisecond.
package rest

import "context"

type key struct{}

// With returns a context in which [Take] calls take. take returns at once if no pause is due.
func With(ctx context.Context, take func()) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Take pauses if a pause is due. It does nothing in contexts that [With] didn't make.
func Take(ctx context.Context) {
	if take, ok := ctx.Value(key{}).(func()); ok {
		take()
	}
}

// Package rest lets work that takes long leave processors to others in between.
//
// Whoever begins such work decides how long its rests are, with [With]; whoever does it calls [Take] between pieces
// of a millisecond or so.
package rest

import "context"

type key struct{}

// With returns a context in which [Take] calls take. take returns at once where it isn't time to rest.
func With(ctx context.Context, take func()) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Take rests if it is time to. It does nothing in contexts that [With] didn't make.
func Take(ctx context.Context) {
	if take, ok := ctx.Value(key{}).(func()); ok {
		take()
	}
}

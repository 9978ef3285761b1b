package markdown

import (
	"context"

	"chatserver.dev/pkg/id"
)

// Occupy takes all turns that an organization may have, until release is called.
func (r *Renderer) Occupy(of id.Org) (release func()) {
	ends := []func(){}
	for range r.turns.Max() / 2 {
		end, _ := r.turns.Acquire(context.Background(), of)
		ends = append(ends, end)
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

package picture

import (
	"context"

	"chatserver.dev/pkg/id"
)

// Occupy takes the places of callers until release is called.
func (m *Maker) Occupy(places int) (release func()) {
	for range places {
		m.admitted <- struct{}{}
	}
	return func() {
		for range places {
			<-m.admitted
		}
	}
}

// Begin takes a turn of an organization permanently.
func (m *Maker) Begin(ctx context.Context, of id.Org) { m.turns.Take(ctx, of) }

// Limits on images.
const (
	MaxSide   = maxSide
	MaxScans  = maxScans
	MaxFrames = maxFrames
)

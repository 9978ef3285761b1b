package picture

import (
	"context"

	"chatserver.dev/pkg/id"
)

// Occupy takes places of callers who no longer wait, each of another organization, until release is called.
func (m *Maker) Occupy(places int) (release func()) {
	taken := []*place{}
	for i := range places {
		taken = append(taken, m.places.enter(id.Org(-1-i), nil))
	}
	return func() {
		for _, p := range taken {
			m.places.leave(p)
		}
	}
}

// Begin takes a turn permanently.
func (m *Maker) Begin() { _, _ = m.turns.Acquire(context.Background(), 0) }

// Limits on images.
const (
	MaxSide   = maxSide
	MaxScans  = maxScans
	MaxFrames = maxFrames
)

package picture

import "context"

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

// Begin takes a turn permanently.
func (m *Maker) Begin() { _, _ = m.turns.Take(context.Background(), 0) }

// Limits on images.
const (
	MaxSide   = maxSide
	MaxScans  = maxScans
	MaxFrames = maxFrames
)

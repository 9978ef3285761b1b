package picture

// Occupy takes places of callers, until release is called.
func (m *Maker) Occupy(places int) (release func()) {
	for range places {
		m.line <- struct{}{}
	}
	return func() {
		for range places {
			<-m.line
		}
	}
}

// Begin takes a turn for good.
func (m *Maker) Begin() { m.slots <- struct{}{} }

// Bounds of what is decoded.
const (
	MaxSide   = maxSide
	MaxMemory = maxMemory
	MaxScans  = maxScans
	MaxFrames = maxFrames
)

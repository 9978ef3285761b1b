package exports

import (
	"io"
	"time"

	"chatserver.dev/pkg/endpoint"
)

// guarded is an archive whose reading fails about a second after its caller may not read it anymore. A download may take
// hours.
type guarded struct {
	io.ReadSeeker

	allowed func() error
	now     func() time.Time
	sureAt  time.Time
}

// Read implements io.Reader.
func (g *guarded) Read(p []byte) (int, error) {
	if now := g.now(); now.Sub(g.sureAt) > endpoint.ConfirmAfter {
		if err := g.allowed(); err != nil {
			return 0, err
		}
		g.sureAt = now
	}
	return g.ReadSeeker.Read(p)
}

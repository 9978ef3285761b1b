package testbed

import (
	"io"
	"log/slog"
	"sync"
	"testing"
)

// Logger returns a logger that writes all levels to the test's output, which `go test` shows if the test fails. It
// drops records after the end of the test.
func Logger(t testing.TB) *slog.Logger {
	t.Helper()
	out := &output{to: t.Output()}
	t.Cleanup(out.end)
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// output writes text to the test's output until the test ends. After that, the test would panic.
type output struct {
	mu sync.Mutex
	to io.Writer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(text)
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = io.Discard
}

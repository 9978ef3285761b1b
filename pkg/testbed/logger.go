package testbed

import (
	"io"
	"log/slog"
	"sync"
	"testing"
)

// Logger writes all levels to the test's output, which `go test` shows when the test fails. What is
// logged after the test has ended is dropped.
func Logger(t testing.TB) *slog.Logger {
	t.Helper()
	out := &output{to: t.Output()}
	t.Cleanup(out.end)
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// output passes text on until the test ends: a test's own output panics afterwards.
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

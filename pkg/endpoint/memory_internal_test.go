package endpoint

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
)

// One account has a share, of which it waits for its own returns alone; all together have the whole.
func TestMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(400)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(m.take(t.Context(), 1, 100))
	if err := m.take(soon, 1, 1); !errors.Is(err, errBusy) {
		t.Errorf("more than a share: %v", err)
	}
	for _, other := range []id.User{2, 3, 4} {
		must(m.take(t.Context(), other, 100))
	}
	if err := m.take(soon, 5, 1); !errors.Is(err, errBusy) {
		t.Errorf("more than there is: %v", err)
	}
	waited := make(chan error, 1)
	go func() { waited <- m.take(t.Context(), 5, 60) }()
	m.put(1, 50)
	select {
	case <-waited:
		t.Error("60 bytes of 50")
	case <-time.After(20 * time.Millisecond):
	}
	m.put(2, 10)
	must(<-waited)
	m.put(1, 50)
	m.put(2, 90)
	m.put(3, 100)
	m.put(4, 100)
	m.put(5, 60)
	if m.held != 0 || len(m.by) != 0 {
		t.Errorf("%d bytes are held, %v", m.held, m.by)
	}
}

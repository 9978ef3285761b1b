package chatserver

import (
	"testing"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
)

// After many repairs the next pass has to wait, unless the spec changes.
func TestPassesAfterRepairs(t *testing.T) {
	t.Parallel()
	r, server, now := &Reconciler{}, &v1alpha1.ChatServer{}, time.Unix(1_000_000, 0)
	server.Name, server.Generation = "main", 1
	for n := range 2 * repairsAtOnce {
		m := r.memoryOf(server)
		m.repaired(now)
		if waits := m.next.After(now); waits != (n >= repairsAtOnce) {
			t.Errorf("after %d repairs: the next pass waits: %v", n+1, waits)
		}
	}
	server.Generation = 2
	if m := r.memoryOf(server); m.next.After(now) {
		t.Error("a new spec waits")
	}
}

package limit

import (
	"testing"
	"time"

	"chatserver.dev/pkg/id"
)

// A process stores the calls that were counted in advance for a limited number of accounts.
func TestReservationsAreLimited(t *testing.T) {
	t.Parallel()
	r, now := newReservations(Rule{Calls: 200, Window: time.Minute}), time.Unix(1e9, 0)
	for user := range id.User(maxReservations) {
		r.put(user, now, 2, Decision{})
	}
	if _, ok, _ := r.take(0, now); !ok || len(r.accounts) != maxReservations {
		t.Errorf("%d accounts are stored, want %d", len(r.accounts), maxReservations)
	}
	r.put(maxReservations, now, 2, Decision{})
	if _, ok, _ := r.take(maxReservations, now); !ok || len(r.accounts) != 1 {
		t.Errorf("%d accounts are stored after one more, want only that", len(r.accounts))
	}
}

package remote

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"chatserver.dev/operator/api/v1alpha1"
)

// A standby counts nothing: the leader exports the same numbers already. It has no cache of the objects either.
func TestAStandbyExportsNoGuests(t *testing.T) {
	t.Parallel()
	standby := watches[*v1alpha1.Bot]{kind: bots()}.counts(t.Context(), make(chan struct{}))
	if got := testutil.CollectAndCount(standby); got != 0 {
		t.Errorf("a standby exports %d numbers", got)
	}
}

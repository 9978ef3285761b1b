package chatserver

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// A standby exports nothing: the leader exports the same numbers already. It has no cache of the servers either.
func TestAStandbyExportsNoReadiness(t *testing.T) {
	t.Parallel()
	r := &Reconciler{} // without a client
	if got := testutil.CollectAndCount(r.readiness(t.Context(), make(chan struct{}))); got != 0 {
		t.Errorf("a standby exports %d numbers", got)
	}
}

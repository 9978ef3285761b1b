package leader_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"chatserver.dev/operator/internal/leader"
)

func TestOnlyTheLeaderCollects(t *testing.T) {
	t.Parallel()
	elected, calls := make(chan struct{}), 0
	counted := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "objects"}, func() float64 { calls++; return 1 })
	c := leader.Collector(elected, counted)
	if got := testutil.CollectAndCount(c); got != 0 || calls != 0 {
		t.Errorf("a standby exports %d numbers, and counts %d times", got, calls)
	}
	close(elected)
	if got := testutil.CollectAndCount(c); got != 1 {
		t.Errorf("the leader exports %d numbers", got)
	}
}

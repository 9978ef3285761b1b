package remote

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	"chatserver.dev/operator/api/v1alpha1"
)

// guestCounts is a collector that counts the objects of a kind in the manager's cache when metrics are collected. Only the
// leader exports them: standbys would export the same numbers, and have to cache all objects for them.
type guestCounts struct {
	count   func(ready bool) int
	elected <-chan struct{} // closed once this process leads
	desc    *prometheus.Desc
}

// counts returns the collector of a kind. ctx is the context of the program.
func (w watches[O]) counts(ctx context.Context, elected <-chan struct{}) prometheus.Collector {
	return guestCounts{
		count: func(ready bool) int {
			return len(w.find(ctx, func(object O) bool {
				return meta.IsStatusConditionTrue(object.Guest().Conditions, v1alpha1.ConditionReady) == ready
			}))
		},
		elected: elected,
		desc: prometheus.NewDesc("chatserver_operator_guests", "Objects inside servers, by kind and readiness.",
			[]string{"ready"}, prometheus.Labels{"kind": w.kind.name}),
	}
}

// Describe implements [prometheus.Collector].
func (g guestCounts) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

// Collect implements [prometheus.Collector].
func (g guestCounts) Collect(to chan<- prometheus.Metric) {
	select {
	case <-g.elected:
	default:
		return
	}
	for _, ready := range []bool{true, false} {
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(g.count(ready)), strconv.FormatBool(ready))
	}
}

func newRepairs() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "chatserver_operator_guest_repairs_total", Help: "Fields reverted after out-of-band changes inside a server, by kind.",
	}, []string{"kind"})
}

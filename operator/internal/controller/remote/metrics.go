package remote

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// guestCounts is a collector that counts the objects of a kind in the manager's cache when metrics are collected.
type guestCounts struct {
	count func() (ready, others int)
	desc  *prometheus.Desc
}

// counts returns the collector of a kind. ctx is the context of the program.
func (w watches[O]) counts(ctx context.Context) prometheus.Collector {
	return guestCounts{
		count: func() (ready, others int) {
			isReady := func(object O) bool {
				return meta.IsStatusConditionTrue(object.Guest().Conditions, v1alpha1.ConditionReady)
			}
			all := 0
			ready = len(w.find(ctx, func(object O) bool { all++; return isReady(object) }, client.UnsafeDisableDeepCopy))
			return ready, all - ready
		},
		desc: prometheus.NewDesc("chatserver_operator_guests", "Objects inside servers, by kind and readiness.",
			[]string{"ready"}, prometheus.Labels{"kind": w.kind.name}),
	}
}

// Describe implements [prometheus.Collector].
func (g guestCounts) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

// Collect implements [prometheus.Collector].
func (g guestCounts) Collect(to chan<- prometheus.Metric) {
	ready, others := g.count()
	to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(ready), "true")
	to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(others), "false")
}

func newRepairs() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "chatserver_operator_guest_repairs_total", Help: "Fields reverted after out-of-band changes inside a server, by kind.",
	}, []string{"kind"})
}

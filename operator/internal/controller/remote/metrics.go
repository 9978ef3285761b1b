package remote

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// census counts the objects in the manager's cache when metrics are collected.
type census struct {
	ctx    context.Context //nolint:containedctx // collectors aren't given one
	client client.Reader
	what   *prometheus.Desc
	lists  map[string]func() client.ObjectList // by kind
}

func newCensus(ctx context.Context, reader client.Reader) *census {
	what := prometheus.NewDesc("chatserver_operator_guests", "Objects inside servers, by kind and readiness.", []string{"kind", "ready"}, nil)
	return &census{ctx, reader, what, map[string]func() client.ObjectList{}}
}

// Describe implements prometheus.Collector.
func (c *census) Describe(to chan<- *prometheus.Desc) { to <- c.what }

// Collect implements prometheus.Collector. Kinds that can't be listed yet aren't counted.
func (c *census) Collect(to chan<- prometheus.Metric) {
	for kind, empty := range c.lists {
		list, ready, others := empty(), 0, 0
		if c.client.List(c.ctx, list) != nil {
			continue
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error { // never fails
			guest, ok := item.(interface{ Guest() *v1alpha1.GuestStatus })
			if ok && meta.IsStatusConditionTrue(guest.Guest().Conditions, v1alpha1.ConditionReady) {
				ready++
			} else {
				others++
			}
			return nil
		})
		for is, count := range map[bool]int{true: ready, false: others} {
			to <- prometheus.MustNewConstMetric(c.what, prometheus.GaugeValue, float64(count), kind, strconv.FormatBool(is))
		}
	}
}

func newRepairs() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "chatserver_operator_guest_repairs_total", Help: "Fields reverted after out-of-band changes inside a server, by kind.",
	}, []string{"kind"})
}

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

// census counts objects when it is asked, out of the manager's cache.
type census struct {
	ctx    context.Context //nolint:containedctx // collectors aren't given one
	client client.Reader
	what   *prometheus.Desc
	lists  map[string]func() client.ObjectList // by kind
}

func newCensus(ctx context.Context, reader client.Reader) *census {
	what := prometheus.NewDesc("chatserver_operator_guests", "Objects inside of servers, by kind and whether they are ready.", []string{"kind", "ready"}, nil)
	return &census{ctx, reader, what, map[string]func() client.ObjectList{}}
}

// Describe implements prometheus.Collector.
func (c *census) Describe(to chan<- *prometheus.Desc) { to <- c.what }

// Collect implements prometheus.Collector. What can't be read, as before the cache is filled, isn't counted.
func (c *census) Collect(to chan<- prometheus.Metric) {
	for kind, empty := range c.lists {
		list, ready, others := empty(), 0, 0
		if c.client.List(c.ctx, list) != nil {
			continue
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error { // which fails for nothing
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
		Name: "chatserver_operator_guest_repairs_total", Help: "Fields reverted that somebody had changed inside of a server, by kind.",
	}, []string{"kind"})
}

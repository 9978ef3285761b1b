package remote

import (
	"context"
	"errors"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	"chatserver.dev/operator/api/v1alpha1"
)

// count registers gauges that count the objects of a kind in the manager's cache when metrics are collected.
func (w watches[O]) count(ctx context.Context, registry prometheus.Registerer) error {
	gauge := func(ready bool) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "chatserver_operator_guests", Help: "Objects inside servers, by kind and readiness.",
			ConstLabels: prometheus.Labels{"kind": w.kind.name, "ready": strconv.FormatBool(ready)},
		}, func() float64 {
			return float64(len(w.find(ctx, func(object O) bool {
				return meta.IsStatusConditionTrue(object.Guest().Conditions, v1alpha1.ConditionReady) == ready
			})))
		})
	}
	return errors.Join(registry.Register(gauge(true)), registry.Register(gauge(false)))
}

func newRepairs() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "chatserver_operator_guest_repairs_total", Help: "Fields reverted after out-of-band changes inside a server, by kind.",
	}, []string{"kind"})
}

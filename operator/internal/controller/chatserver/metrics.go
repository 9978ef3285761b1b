package chatserver

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// readiness is a collector that reads from the manager's cache whether each server is ready, when metrics are collected.
type readiness struct {
	list func() []v1alpha1.ChatServer
	desc *prometheus.Desc
}

// readiness returns the collector. ctx is the context of the program.
func (r *Reconciler) readiness(ctx context.Context) prometheus.Collector {
	return readiness{
		list: func() []v1alpha1.ChatServer {
			servers := &v1alpha1.ChatServerList{}
			if err := r.client.List(ctx, servers, client.UnsafeDisableDeepCopy); err != nil {
				r.logger.Error("failed to list ChatServers for metrics", slog.Any("error", err))
			}
			return servers.Items
		},
		desc: prometheus.NewDesc("chatserver_operator_server_ready", "Whether a ChatServer is ready, with the reason of this condition.",
			[]string{"server", "reason"}, nil),
	}
}

// Describe implements [prometheus.Collector].
func (c readiness) Describe(to chan<- *prometheus.Desc) { to <- c.desc }

// Collect implements [prometheus.Collector].
func (c readiness) Collect(to chan<- prometheus.Metric) {
	servers := c.list()
	for i := range servers {
		ready := meta.FindStatusCondition(servers[i].Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil {
			continue
		}
		value := 0.0
		if ready.Status == metav1.ConditionTrue {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, value, client.ObjectKeyFromObject(&servers[i]).String(), ready.Reason)
	}
}

package chatserver

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// readiness is a collector that reads conditions of servers from the manager's cache when metrics are collected.
type readiness struct {
	list    func() []v1alpha1.ChatServer
	metrics map[string]*prometheus.Desc // by the type of a condition
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
		metrics: map[string]*prometheus.Desc{
			v1alpha1.ConditionReady: prometheus.NewDesc("chatserver_operator_server_ready",
				"Whether a ChatServer is ready, with the reason of this condition.", []string{"server", "reason"}, nil),
			v1alpha1.ConditionTLSReady: prometheus.NewDesc("chatserver_operator_server_tls_ready",
				"Whether the certificates of a ChatServer can be used, with the reason of this condition.", []string{"server", "reason"}, nil),
		},
	}
}

// Describe implements [prometheus.Collector].
func (c readiness) Describe(to chan<- *prometheus.Desc) {
	for _, metric := range c.metrics {
		to <- metric
	}
}

// Collect implements [prometheus.Collector].
func (c readiness) Collect(to chan<- prometheus.Metric) {
	servers := c.list()
	for i := range servers {
		for _, condition := range servers[i].Status.Conditions {
			metric := c.metrics[condition.Type]
			if metric == nil {
				continue
			}
			value := 0.0
			if condition.Status == metav1.ConditionTrue {
				value = 1
			}
			to <- prometheus.MustNewConstMetric(metric, prometheus.GaugeValue, value, client.ObjectKeyFromObject(&servers[i]).String(), condition.Reason)
		}
	}
}

// Package leader limits metrics to the replica of the operator that leads.
package leader

import "github.com/prometheus/client_golang/prometheus"

// collector is a collector of the leader.
type collector struct {
	prometheus.Collector

	elected <-chan struct{}
}

// Collector returns a collector that collects what another one does, but nothing before this process leads, which is when elected
// is closed: standbys would export the same numbers as the leader, and have to cache all objects for them.
func Collector(elected <-chan struct{}, of prometheus.Collector) prometheus.Collector {
	return collector{of, elected}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(to chan<- prometheus.Metric) {
	select {
	case <-c.elected:
		c.Collector.Collect(to)
	default:
	}
}

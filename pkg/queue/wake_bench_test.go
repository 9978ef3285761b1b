package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chatserver.dev/pkg/queue"
)

// counting is a listener that looks each queue up and finds none.
type counting struct {
	queue.Listener

	known map[string]int
	found int
}

func (c *counting) Appended(_ context.Context, _ int, _ queue.Pointer, to []queue.Woken) {
	for _, w := range to {
		if _, ok := c.known[w.Queue]; ok {
			c.found++
		}
	}
}

// BenchmarkDeliver measures the cost of a wake-up per queue for a replica that has none of the queues.
func BenchmarkDeliver(b *testing.B) {
	const queues = 1000
	names := make([]string, queues)
	for i := range names {
		names[i] = fmt.Sprintf("%s 0-%d", queue.NewID(3), 100+i)
	}
	payload := "7.123 0 \n " + strings.Join(names, " ") + " \n"
	c := &counting{known: map[string]int{}}
	for i := range 10_000 {
		c.known[queue.NewID(3)] = i
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := queue.Deliver(b.Context(), 3, payload, c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/queues, "ns/queue")
	b.ReportMetric(float64(len(payload))/queues, "bytes/queue")
}

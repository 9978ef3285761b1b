package waiting_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/waiting"
)

// BenchmarkWave measures what a wake-up costs for each of 5,000 streams, apart from its event's encoding and its write.
func BenchmarkWave(b *testing.B) {
	const streams, together = 5000, queue.MaxAppends
	payloads := waiting.NewPayloads(nil, store.Log{})
	room, err := waiting.New(waiting.Deps{Payloads: payloads, Shards: 16, Replica: "a", Meter: noop.Meter{}, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = room.Run(b.Context()) }()
	sent, done := atomic.Int64{}, make(chan struct{})
	woken, polls := make([]queue.Woken, streams), make([]*waiting.Poll, streams)
	for i := range woken {
		q := &waiting.Queue{ID: queue.NewID(3), Shard: 3, Descriptor: queue.Descriptor{Org: 1}}
		room.Follow(q)
		woken[i] = queue.Woken{Queue: q.ID, Number: queue.First}
		polls[i] = room.JoinAs(waiting.Client{
			Wake: func() { b.Error("woken") },
			Direct: func(_ waiting.Delivery, _ time.Time, scratch []byte) (waiting.Sent, []byte) {
				if sent.Add(1)%together == 0 {
					done <- struct{}{}
				}
				return waiting.SentOne, scratch
			},
		}, q, queue.First, false)
	}
	at := store.Position{Xid: 7}
	b.ReportAllocs()
	for b.Loop() {
		for from := 0; from < streams; from += together {
			at.ID++
			payloads.Put(at, 1, []byte(`{"type":"test"}`), time.Time{})
			some := woken[from : from+together]
			for i := range some {
				some[i].Number++
			}
			room.Appended(b.Context(), 3, queue.Pointer{Event: at}, some)
			<-done
		}
		for !allWait(polls[streams-together:]) {
			time.Sleep(50 * time.Microsecond)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/streams, "ns/stream")
}

func allWait(polls []*waiting.Poll) bool {
	return !slices.ContainsFunc(polls, func(p *waiting.Poll) bool { return !p.Waits() })
}

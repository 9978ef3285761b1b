package waiting_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/events/waiting"
)

// The time until polls are answered is recorded once for an event whose time is known, and not for heartbeats.
func TestWoken(t *testing.T) {
	t.Parallel()
	w := open(t)
	meter, payloads := &measuring{}, waiting.NewPayloads(w.redis, w.db.Log())
	made := time.Now()
	of, err := waiting.New(waiting.Deps{
		Redis: w.redis, Payloads: payloads, Shards: storetest.Shards, Replica: "one", Meter: meter,
		Now: func() time.Time { return made.Add(3 * time.Second) },
	})
	w.must(err)
	r := room{of, w, payloads}
	w.run(r.Run)
	names := []string{w.register(""), w.register("")}
	for i, before := range []func(at queue.Pointer){
		func(at queue.Pointer) { payloads.Put(at.Event, 1, []byte(`{"type":"test"}`), made) },
		func(queue.Pointer) {}, // dispatched elsewhere
	} {
		waits := []chan waiting.Answer{}
		for _, name := range names {
			waits = append(waits, r.poll(name, queue.First+int64(i)))
		}
		r.parked(2)
		at, number := queue.Pointer{Event: w.dispatch(farAway, names...)}, int64(i)+2
		before(at)
		r.Appended(t.Context(), 3, at, []queue.Woken{{Queue: names[0], Number: number}, {Queue: names[1], Number: number}})
		for _, from := range waits {
			if got := numbers(w.answer(from)); !slices.Equal(got, []int64{number}) {
				t.Errorf("got %v", got)
			}
		}
	}
	waits := r.poll(names[0], 3)
	r.parked(1)
	r.Beat(t.Context(), 0)
	w.answer(waits)
	if !slices.Equal(meter.seconds, []float64{3}) {
		t.Errorf("measured %v", meter.seconds)
	}
}

// measuring is a meter whose histogram can be read.
type measuring struct {
	noop.Meter
	seconds []float64
}

func (m *measuring) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{measured: m}, nil
}

type histogram struct {
	noop.Float64Histogram
	measured *measuring
}

func (h histogram) Record(_ context.Context, seconds float64, _ ...metric.RecordOption) {
	h.measured.seconds = append(h.measured.seconds, seconds)
}

package dispatch_test

import (
	"context"
	"testing"
	"time"

	tracing "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
)

// The trace of a call shows when its event was in its queues. Events of calls that aren't recorded have no spans.
func TestTracedEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.emit(joined(1))
	ann := w.register(1)
	recorder := tracetest.NewSpanRecorder()
	tracer := tracing.NewTracerProvider(tracing.WithSpanProcessor(recorder)).Tracer("")
	unrecorded := tracing.NewTracerProvider(tracing.WithSampler(tracing.NeverSample())).Tracer("")
	d := w.dispatcher("one")
	d.Tracer = tracer
	stop := w.start(d)

	emit := func(ctx context.Context) {
		w.sent++
		n := note{N: w.sent, audience: event.Audience{Everyone: true}}
		w.must(w.db.Write(ctx, org, func(tx *store.Tx) error { return tx.Emit(ctx, n) }))
	}
	emit(t.Context())
	quiet, silent := unrecorded.Start(t.Context(), "call")
	emit(quiet)
	silent.End()
	start := time.Now()
	call, span := tracer.Start(t.Context(), "call")
	emit(call)
	w.settle(d)
	stop()

	w.has("ann", ann, 2, 3, 4)
	ended := recorder.Ended()
	span.End()
	if len(ended) != 1 {
		t.Fatalf("%d spans: %v", len(ended), ended)
	}
	got, caller := ended[0], span.SpanContext()
	if parent := got.Parent(); got.Name() != "dispatch note" || parent.TraceID() != caller.TraceID() || parent.SpanID() != caller.SpanID() {
		t.Errorf("%s of %v, want that of %v", got.Name(), parent, caller)
	}
	if early := start.Sub(got.StartTime()); early > time.Second || !got.EndTime().After(got.StartTime()) || got.EndTime().After(time.Now()) {
		t.Errorf("from %s to %s, emitted at %s", got.StartTime(), got.EndTime(), start)
	}
}

package program

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/store"
	"chatserver.dev/services/api/images"
	"chatserver.dev/services/events"
)

// wakeUps returns a function that records how soon polls that wait are answered after the beginning of an event's
// transaction.
func wakeUps(meter metric.Meter) (func(ctx context.Context, after time.Duration), error) {
	histogram, err := meter.Float64Histogram("chatserver.wakeup.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the beginning of an event's transaction to the response to the polls that wait for it."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil {
		return nil, fmt.Errorf("measure wake-ups: %w", err)
	}
	return func(ctx context.Context, after time.Duration) { histogram.Record(ctx, after.Seconds()) }, nil
}

// eventsPutAside returns what counts the events that can't be delivered.
func eventsPutAside(meter metric.Meter) (func(ctx context.Context), error) {
	counter, err := meter.Int64Counter("chatserver.events.undeliverable",
		metric.WithDescription("Events that couldn't be delivered and were put aside; each is an error in the log."))
	if err != nil {
		return nil, fmt.Errorf("count events that can't be delivered: %w", err)
	}
	return func(ctx context.Context) { counter.Add(ctx, 1) }, nil
}

// imagesFetched returns what counts the images of other servers that readers asked for, by what came of it.
func imagesFetched(meter metric.Meter) (func(ctx context.Context, outcome images.Outcome), error) {
	counter, err := meter.Int64Counter("chatserver.images.fetched", metric.WithDescription("Images of other servers that readers requested, by result."))
	if err != nil {
		return nil, fmt.Errorf("count images of other servers: %w", err)
	}
	return func(ctx context.Context, outcome images.Outcome) {
		counter.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", string(outcome))))
	}, nil
}

// measure measures what the events service has to do at a time.
func measure(meter metric.Meter, service *events.Service) error {
	_, err := meter.Int64ObservableGauge("chatserver.polls.waiting", metric.WithDescription("Waiting long polls."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(service.Waiting()))
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure waiting polls: %w", err)
	}
	_, err = meter.Float64ObservableGauge("chatserver.log.lag", metric.WithUnit("s"),
		metric.WithDescription("Age of the oldest event that isn't dispatched, for each shard that this process dispatches."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			for shard, lag := range service.Lags() {
				o.Observe(lag.Seconds(), metric.WithAttributes(attribute.Int("shard", shard)))
			}
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure the lag of the event log: %w", err)
	}
	return nil
}

// measureOldest measures the transaction that holds up the delivery of events longest.
func measureOldest(meter metric.Meter, oldest *store.Oldest) error {
	_, err := meter.Float64ObservableGauge("chatserver.database.oldest_transaction.age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest open transaction with writes has delayed the delivery of events."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(oldest.Age().Seconds())
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure the oldest transaction: %w", err)
	}
	return nil
}

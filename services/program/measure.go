package program

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/store"
	"chatserver.dev/services/api/images"
)

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

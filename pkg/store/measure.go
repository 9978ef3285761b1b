package store

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// PoolUse is the numbers of connections of a pool.
type PoolUse struct {
	Pool            string // service, everywhere or replica
	Idle, Used, Max int    // idle connections, connections in use, and the maximum
	Refused         int64  // attempts to open another one that PostgreSQL has refused, since it has too many
}

// Connections returns the current numbers of connections of each pool.
func (db *DB) Connections() []PoolUse {
	use := func(name string, p *pool) PoolUse {
		now := p.connections.Stat()
		return PoolUse{name, int(now.IdleConns()), int(now.AcquiredConns()), int(now.MaxConns()), p.refused.Load()}
	}
	pools := []PoolUse{use("service", db.service), use("everywhere", db.everywhere)}
	if db.replica != nil {
		pools = append(pools, use("replica", db.replica.pool))
	}
	return pools
}

// Measure has meter observe [DB.Connections], under the names of OpenTelemetry's semantic conventions where it has one.
func (db *DB) Measure(meter metric.Meter) error {
	pool, state := attribute.Key("db.client.connection.pool.name"), attribute.Key("db.client.connection.state")
	_, err := meter.Int64ObservableUpDownCounter("db.client.connection.count",
		metric.WithDescription("Connections to PostgreSQL, by pool and state."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, p := range db.Connections() {
				o.Observe(int64(p.Idle), metric.WithAttributes(pool.String(p.Pool), state.String("idle")))
				o.Observe(int64(p.Used), metric.WithAttributes(pool.String(p.Pool), state.String("used")))
			}
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure connections: %w", err)
	}
	_, err = meter.Int64ObservableUpDownCounter("db.client.connection.max",
		metric.WithDescription("The maximum number of connections to PostgreSQL, by pool."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, p := range db.Connections() {
				o.Observe(int64(p.Max), metric.WithAttributes(pool.String(p.Pool)))
			}
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure the maximum number of connections: %w", err)
	}
	_, err = meter.Int64ObservableCounter("chatserver.database.connections.refused",
		metric.WithDescription("Connections that PostgreSQL refused, since it had as many as it accepts, by pool."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, p := range db.Connections() {
				o.Observe(p.Refused, metric.WithAttributes(pool.String(p.Pool)))
			}
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure refused connections: %w", err)
	}
	return nil
}

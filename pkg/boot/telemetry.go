package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	metrics "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	tracing "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope is the instrumentation scope.
const scope = "chatserver.dev"

// flushTime is the timeout for sending the last traces.
const flushTime = 2 * time.Second

// telemetry has traces and metrics, both of which may be off.
type telemetry struct {
	meter      metric.Meter
	metrics    http.Handler            // responds with 404 if they are off
	requests   metric.Float64Histogram // nil: off
	series     sync.Map                // of series to metric.RecordOption
	tracer     *tracing.TracerProvider // nil: off
	propagator propagation.TextMapPropagator
	provider   *metrics.MeterProvider // nil: off
}

// series are the attributes of a histogram of requests.
type series struct {
	route  string
	status int
}

func startTelemetry(ctx context.Context, config Config, name string, logger *slog.Logger) (*telemetry, error) {
	t := &telemetry{metrics: http.NotFoundHandler(), meter: noop.NewMeterProvider().Meter(scope), propagator: propagation.TraceContext{}}
	process := resource.NewSchemaless(attribute.String("service.name", name))
	if config.MetricsAddr != "" {
		if err := t.startMetrics(process); err != nil {
			return nil, fmt.Errorf("start metrics: %w", err)
		}
	}
	if config.TraceEndpoint != "" {
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
		}
		// The library has one handler for the process, which by default prints lines in its own format.
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.WarnContext(ctx, "failed to send traces", slog.Any("error", err)) }))
		t.tracer = tracing.NewTracerProvider(tracing.WithBatcher(exporter), tracing.WithResource(process))
	}
	return t, nil
}

func (t *telemetry) startMetrics(process *resource.Resource) error {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return err
		}
	}
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return err
	}
	t.provider = metrics.NewMeterProvider(metrics.WithReader(reader), metrics.WithResource(process))
	t.meter = t.provider.Meter(scope)
	t.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	t.requests, err = t.meter.Float64Histogram("http.server.request.duration",
		metric.WithUnit("s"), metric.WithDescription("Time from a request to its response, which for long polls includes waiting."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60))
	return err
}

// spans returns what records spans; nil: traces are off.
func (t *telemetry) spans() trace.Tracer {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.Tracer(scope)
}

// observe records a request, and sets the name of its span to the endpoint.
func (t *telemetry) observe(ctx context.Context, route string, status int, took time.Duration) {
	if t.tracer != nil && route != "" {
		trace.SpanFromContext(ctx).SetName(route)
	}
	if t.requests == nil {
		return
	}
	key := series{route, status}
	option, ok := t.series.Load(key)
	if !ok {
		option, _ = t.series.LoadOrStore(key, metric.WithAttributeSet(attribute.NewSet(
			attribute.String("http.route", route), attribute.Int("http.response.status_code", status))))
	}
	if option, ok := option.(metric.RecordOption); ok {
		t.requests.Record(ctx, took.Seconds(), option)
	}
}

// stop sends the remaining traces.
func (t *telemetry) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	var errs []error
	if t.tracer != nil {
		errs = append(errs, t.tracer.Shutdown(ctx))
	}
	if t.provider != nil {
		errs = append(errs, t.provider.Shutdown(ctx))
	}
	return errors.Join(errs...)
}

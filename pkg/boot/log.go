package boot

import (
	"context"
	"io"
	"log/slog"
	"os"

	"go.opentelemetry.io/otel/trace"

	"chatserver.dev/pkg/endpoint"
)

// newLogger returns the process's logger.
func newLogger(config Config, out io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: config.LogLevel}
	if config.LogFormat == "text" || config.LogFormat == "auto" && isTerminal(out) {
		return slog.New(contextual{slog.NewTextHandler(out, options)})
	}
	options.ReplaceAttr = withUnit
	return slog.New(contextual{slog.NewJSONHandler(out, options)})
}

// withUnit writes a duration as text handlers do, such as 1.5s. In JSON it would be a number of nanoseconds.
func withUnit(_ []string, attr slog.Attr) slog.Attr {
	if attr.Value.Kind() == slog.KindDuration {
		attr.Value = slog.StringValue(attr.Value.Duration().String())
	}
	return attr
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// contextual adds attributes from the context.
type contextual struct{ slog.Handler }

// Handle adds the request's id, its caller, and the trace.
func (h contextual) Handle(ctx context.Context, record slog.Record) error {
	if id := endpoint.RequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	if who, ok := endpoint.Caller(ctx); ok {
		record.AddAttrs(slog.Int64("org", int64(who.Org())), slog.Int64("user", int64(who.User)))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h contextual) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextual{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h contextual) WithGroup(name string) slog.Handler {
	return contextual{h.Handler.WithGroup(name)}
}

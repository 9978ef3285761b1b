package boot

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/user"
)

// pollPath is the path of long polls.
const pollPath = "/api/v1/events"

// newHandler serves the parts' endpoints, and the process's health.
func newHandler(program Program, c *connections, t *telemetry, parts []Part, h *health) http.Handler {
	polls, others := []endpoint.Endpoint(nil), []endpoint.Endpoint(nil)
	for _, part := range parts {
		for _, e := range part.Endpoints {
			if e.Path() == pollPath {
				polls = append(polls, e)
			} else {
				others = append(others, e)
			}
		}
	}
	d := c.deps
	config := endpoint.Config{
		Authenticator: user.NewAuthenticator(d.DB, d.Config.Org, d.Now),
		Limiter:       shared{c.shared}, Logger: d.Logger, Now: d.Now, Observe: observer(d, t),
	}
	wrapped := http.Handler(endpoint.NewRouter(config, others))
	if program.Wrap != nil && d.Config.Compat {
		wrapped = program.Wrap(wrapped)
	}
	if t.tracer != nil {
		wrapped = otelhttp.NewHandler(wrapped, "request", otelhttp.WithTracerProvider(t.tracer), otelhttp.WithPropagators(t.propagator))
	}
	waiting := wrapped // which knows no such path
	if len(polls) > 0 {
		config.Limiter = local{limit.NewLocal(d.Config.Limit.PerUser)}
		waiting = endpoint.NewRouter(config, polls)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case pollPath:
			waiting.ServeHTTP(w, r)
		case healthPath:
			h.serveLive(w)
		case readyPath:
			h.serveReady(w, r)
		default:
			wrapped.ServeHTTP(w, r)
		}
	})
}

// observer tells telemetry and, when it is that talkative, the log of every request; nil where
// neither wants to know.
func observer(d Deps, t *telemetry) func(ctx context.Context, route string, status int, took time.Duration) {
	talkative := d.Config.LogLevel <= slog.LevelDebug
	if !talkative && t.requests == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, route string, status int, took time.Duration) {
		t.observe(ctx, route, status, took)
		if talkative {
			d.Logger.DebugContext(ctx, "request", slog.String("route", route), slog.Int("status", status), slog.Duration("took", took))
		}
	}
}

// shared counts calls in Redis.
type shared struct{ limiter *limit.Shared }

// Allow implements endpoint.Limiter.
func (s shared) Allow(ctx context.Context, user id.User, now time.Time) (endpoint.Decision, error) {
	return endpoint.Decision(s.limiter.Allow(ctx, user, now)), nil
}

// local counts calls in this process.
type local struct{ limiter *limit.Local }

// Allow implements endpoint.Limiter.
func (l local) Allow(_ context.Context, user id.User, now time.Time) (endpoint.Decision, error) {
	return endpoint.Decision(l.limiter.Allow(user, now)), nil
}

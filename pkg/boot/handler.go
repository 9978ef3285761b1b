package boot

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/longpoll"
)

const (
	// pollPath is the path of long polls, and pollNumber their parameter that changes from one to the next.
	pollPath, pollNumber = "/api/v1/events", "last_event_id"
	// reachPath is where clients check whether they reach the server (rest-api.md, section 5.2).
	reachPath = "/api/v1/generate_204"
	// apiPrefix is the prefix of the interface's paths. Other paths are pages.
	apiPrefix = "/api/v1/"
)

// newHandler returns the handler of the parts' endpoints and pages, and of the process's health.
func (p *process) newHandler(parts []Part, h *health, waiting *longpoll.Server, limiter *connLimiter) http.Handler {
	d, t := p.deps, p.telemetry
	endpoints := []endpoint.Endpoint(nil)
	for _, part := range parts {
		endpoints = append(endpoints, part.Endpoints...)
	}
	park := waiting.Take
	if d.Config.LongPolls == pollsStay {
		park = nil
	}
	router := endpoint.NewRouter(endpoint.Config{
		Authenticator: d.Accounts,
		Limiter:       p.shared, LocalLimiter: local{limit.NewLocal(d.Config.Limit.PerUser)},
		Refusals: local{limit.NewLocal(d.Config.Limit.Refusals)}, Release: limiter.release,
		Logger: d.Logger, Now: d.Now, Observe: observer(d, t), Park: park, Ending: h.ending.Load, Memory: requestMemory(debug.SetMemoryLimit(-1)),
		Compat: d.Config.Compat,
	}, endpoints)

	wrapped := http.Handler(router)
	waiting.Handle(d.Config.Proxies.behind(router)) // polls aren't traced: a span would end when its poll parks
	if t.tracer != nil {
		traced := otelhttp.NewHandler(wrapped, "request", otelhttp.WithTracerProvider(t.tracer), otelhttp.WithPropagators(t.propagator))
		wrapped = onlyText(traced, wrapped)
	}
	pages := http.NewServeMux()
	pages.Handle("/", unknown(parts, wrapped))
	pages.HandleFunc("GET "+reachPath, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	pages.HandleFunc("GET "+healthPath, h.serveLive)
	pages.HandleFunc("GET "+readyPath, h.serveReady)
	for _, part := range parts {
		for pattern, page := range part.Pages {
			pages.Handle(pattern, page)
		}
	}
	return d.Config.Proxies.behind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == pollPath:
			router.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, apiPrefix) && r.URL.Path != reachPath:
			wrapped.ServeHTTP(w, r)
		default:
			if h.ending.Load() {
				w.Header().Set("Connection", "close") // endpoints do so themselves
			}
			w.Header().Set("X-Content-Type-Options", "nosniff") // like answers of the interface
			pages.ServeHTTP(w, r)
		}
	}))
}

// unknown returns the handler of unknown paths. The interface responds with its error, unless somebody opened the path in a browser and a
// part has a page for them.
func unknown(parts []Part, programs http.Handler) http.Handler {
	i := slices.IndexFunc(parts, func(p Part) bool { return p.Unknown != nil })
	if i < 0 {
		return programs
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if reads && strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/") {
			parts[i].Unknown.ServeHTTP(w, r)
			return
		}
		programs.ServeHTTP(w, r)
	})
}

// onlyText keeps texts that aren't UTF-8 out of traces: one of them would lose the whole batch. Requests with such a path
// aren't traced, and recorded headers are cleaned.
func onlyText(traced, untraced http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !utf8.ValidString(r.URL.Path) {
			untraced.ServeHTTP(w, r)
			return
		}
		for _, name := range []string{"User-Agent", "X-Forwarded-For"} {
			for i, value := range r.Header[name] {
				r.Header[name][i] = strings.ToValidUTF8(value, "\uFFFD")
			}
		}
		traced.ServeHTTP(w, r)
	})
}

// requestMemory returns the maximum total size of all large bodies and responses, in bytes, in a process with this memory
// limit.
func requestMemory(limit int64) int64 {
	if limit == math.MaxInt64 { // none is set
		return endpoint.DefaultMemory
	}
	return limit / 3
}

// observer returns a function that records each request in telemetry, and in the log at the level debug; nil: both are off.
func observer(d Deps, t *telemetry) func(ctx context.Context, route string, status int, took time.Duration) {
	verbose := d.Config.LogLevel <= slog.LevelDebug
	if !verbose && t.requests == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, route string, status int, took time.Duration) {
		t.observe(ctx, route, status, took)
		if verbose {
			d.Logger.DebugContext(ctx, "request", slog.String("route", route), slog.Int("status", status), slog.Duration("took", took))
		}
	}
}

// local counts calls in this process.
type local struct{ limiter *limit.Local[id.User] }

// Allow implements endpoint.Limiter.
func (l local) Allow(_ context.Context, user id.User, now time.Time) limit.Decision {
	return l.limiter.Allow(user, now)
}

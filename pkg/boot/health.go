package boot

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	// readyFor is how long a result is cached, because anybody can request /readyz.
	readyFor = time.Second
	// readyTimeout is the timeout of the checks, which run concurrently.
	readyTimeout = 2 * time.Second
)

// errEnding reports that the process is shutting down.
var errEnding = errors.New("shutting down")

// check is a condition of readiness.
type check struct {
	name  string
	works func(ctx context.Context) error
}

// health serves /healthz and /readyz.
type health struct {
	checks []check
	now    func() time.Time
	logger *slog.Logger
	ending atomic.Bool

	mutex   sync.Mutex
	asked   time.Time
	failing error // the result at the time of asked
}

// ready returns nil, or an error that names the checks that fail.
func (h *health) ready(ctx context.Context) error {
	if h.ending.Load() {
		return errEnding
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if now := h.now(); now.Sub(h.asked) >= readyFor {
		before := h.failing
		var reasons []slog.Attr
		reasons, h.failing = h.ask(ctx)
		h.asked = h.now() // the checks may have taken a while
		h.logChange(ctx, before, reasons)
	}
	return h.failing
}

// ask runs all checks concurrently, and also returns the reasons of failures, which are for the log only. All callers
// share the result, so the checks don't end with ctx.
func (h *health) ask(ctx context.Context) (reasons []slog.Attr, failing error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	errs, group := make([]error, len(h.checks)), sync.WaitGroup{}
	for i, c := range h.checks {
		group.Go(func() { errs[i] = c.works(ctx) })
	}
	group.Wait()
	names := []string(nil)
	for i, err := range errs {
		if err != nil {
			names = append(names, h.checks[i].name+" is not ready")
			reasons = append(reasons, slog.Any(h.checks[i].name, err))
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return reasons, errors.New(strings.Join(names, "; "))
}

// logChange logs changes of readiness; the mutex is held. Logging each probe would fill the log.
func (h *health) logChange(ctx context.Context, before error, reasons []slog.Attr) {
	switch {
	case h.failing != nil && (before == nil || before.Error() != h.failing.Error()):
		h.logger.LogAttrs(ctx, slog.LevelWarn, "not ready", reasons...)
	case h.failing == nil && before != nil:
		h.logger.InfoContext(ctx, "ready again")
	}
}

func (*health) serveLive(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, "ok")
}

func (h *health) serveReady(w http.ResponseWriter, r *http.Request) {
	if err := h.ready(r.Context()); err != nil {
		answer(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(w, http.StatusOK, "ok")
}

// answer sends a line of text. Errors of the connection are ignored.
func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

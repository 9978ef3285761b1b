package boot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	// readyFor is how long an answer about readiness is repeated: asking is open to everybody.
	readyFor = time.Second
	// readyTimeout bounds how long anything is waited for.
	readyTimeout = 2 * time.Second
)

// errEnding says that the process is about to end.
var errEnding = errors.New("shutting down")

// check is one thing that readiness depends on.
type check struct {
	name  string
	works func(ctx context.Context) error
}

// health answers /healthz and /readyz.
type health struct {
	checks []check
	now    func() time.Time
	logger *slog.Logger
	ending atomic.Bool

	mutex   sync.Mutex
	asked   time.Time
	failing error // what readiness fails with, as of asked
}

// ready gives nil, or why the process can't serve: the name of what doesn't work.
func (h *health) ready(ctx context.Context) error {
	if h.ending.Load() {
		return errEnding
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if now := h.now(); now.Sub(h.asked) >= readyFor {
		h.failing = h.ask(ctx)
		h.asked = now
	}
	return h.failing
}

// ask makes all checks. The answer is for all who ask, so it doesn't end with one of them.
func (h *health) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	for _, c := range h.checks {
		if err := c.works(ctx); err != nil {
			h.logger.WarnContext(ctx, "not ready", slog.String("check", c.name), slog.Any("error", err))
			return fmt.Errorf("%s is not ready", c.name)
		}
	}
	return nil
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

// answer sends a line of text. What fails here is the connection of whoever asked.
func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

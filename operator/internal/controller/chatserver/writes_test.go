package chatserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
)

// writes counts the requests of an operator that change something.
type writes struct {
	next  http.RoundTripper
	mutex sync.Mutex
	calls []string
	ended int                 // requests that were answered
	after func(*http.Request) // sees each request once it is answered; nil: nobody does
}

func (w *writes) RoundTrip(request *http.Request) (*http.Response, error) {
	// The lease and events aren't counted.
	if request.Method != http.MethodGet && !strings.Contains(request.URL.Path, "/events") {
		body := []byte(nil)
		if request.Body != nil {
			body, _ = io.ReadAll(request.Body)
			request.Body = io.NopCloser(bytes.NewReader(body))
		}
		w.mutex.Lock()
		w.calls = append(w.calls, fmt.Sprintf("%s %s %s", request.Method, request.URL.Path, body))
		w.mutex.Unlock()
	}
	response, err := w.next.RoundTrip(request)
	w.mutex.Lock()
	after := w.after
	if request.Method != http.MethodGet {
		w.ended++
	}
	w.mutex.Unlock()
	if after != nil {
		after(request)
	}
	return response, err
}

// see sets a function that is called after each answered request.
func (w *writes) see(after func(*http.Request)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.after = after
}

func (w *writes) since(n int) []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.calls[n:]...)
}

func (w *writes) count() int { return len(w.since(0)) }

// answered returns the number of answered changes, including events.
func (w *writes) answered() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.ended
}

// errorLog is a handler that keeps the errors among the records of an operator.
type errorLog struct {
	slog.Handler

	kept *keptErrors
}

// keptErrors are the texts of errors.
type keptErrors struct {
	mutex sync.Mutex
	texts []string
}

// Handle implements slog.Handler.
func (e errorLog) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelError {
		text := record.Message
		record.Attrs(func(a slog.Attr) bool {
			text += " " + a.String()
			return true
		})
		e.kept.mutex.Lock()
		e.kept.texts = append(e.kept.texts, text)
		e.kept.mutex.Unlock()
	}
	return e.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (e errorLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return errorLog{e.Handler.WithAttrs(attrs), e.kept}
}

// WithGroup implements slog.Handler.
func (e errorLog) WithGroup(name string) slog.Handler {
	return errorLog{e.Handler.WithGroup(name), e.kept}
}

// with returns the errors that contain a text.
func (k *keptErrors) with(text string) (found []string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, t := range k.texts {
		if strings.Contains(t, text) {
			found = append(found, t)
		}
	}
	return found
}

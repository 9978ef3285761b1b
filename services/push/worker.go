// Package push hands notifications to the push services of browsers (RFC 8030). Package push of pkg keeps whom they are for, and says
// what is promised of them; package missed says what they show.
//
// Connections go to public addresses alone, and to the networks that the configuration names. Time, size and number of what is under
// way are bounded. Redirects aren't followed.
package push

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/remote"
)

const (
	// mostSent is how many browsers a process sends to at a time, and mostOfOrg to how many of one organization.
	mostSent  = 16
	mostOfOrg = 8
	// mostDue is how many browsers are looked for at a time, and mostDueOfOrg how many of one organization.
	mostDue      = 200
	mostDueOfOrg = 50
	// look is how often a worker looks for what is new, or was left by other processes.
	look = 2 * time.Second
	// sendTime is how long a push service may take. It is less than the lease of what is sent.
	sendTime = 10 * time.Second
)

// What becomes of an attempt to notify, for [Deps.Count].
const (
	Sent    = "sent"
	Delayed = "delayed" // to be tried again
	Failed  = "failed"  // for good
	Gone    = "gone"    // there is no such browser any more
)

// Deps are what a [Worker] works with.
type Deps struct {
	Pushes *push.Service
	Missed *missed.Service
	// Contact is an https address of whoever runs the server, for push services.
	Contact  string
	Permit   remote.Permit
	Resolver *net.Resolver  // nil: the system's
	Roots    *x509.CertPool // whom to trust; nil: whom the system does
	// Count is called with what became of an attempt.
	Count  func(ctx context.Context, outcome string)
	Logger *slog.Logger
}

// Worker notifies browsers.
type Worker struct {
	Deps
	client *http.Client

	waiting []push.Due
	running map[id.Device]bool
	of      map[id.Org]int
	ended   chan push.Due
}

// New makes a worker.
func New(d Deps) *Worker {
	transport := remote.Transport(d.Permit, d.Resolver)
	transport.TLSClientConfig = &tls.Config{RootCAs: d.Roots, MinVersion: tls.VersionTLS12}
	return &Worker{
		Deps: d, running: map[id.Device]bool{}, of: map[id.Org]int{}, ended: make(chan push.Due, mostSent),
		client: &http.Client{
			Transport: transport, Timeout: sendTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Run notifies browsers until ctx ends. What is under way then is sent again by another process.
func (w *Worker) Run(ctx context.Context) error {
	ticker, all := time.NewTicker(look), sync.WaitGroup{}
	defer ticker.Stop()
	defer all.Wait()
	for {
		w.start(ctx, &all)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			w.find(ctx)
		case due := <-w.ended:
			delete(w.running, due.Device)
			if w.of[due.Org]--; w.of[due.Org] == 0 {
				delete(w.of, due.Org)
			}
			if len(w.waiting) == 0 {
				w.find(ctx)
			}
		}
	}
}

// find looks for browsers that are to be notified.
func (w *Worker) find(ctx context.Context) {
	found, err := w.Pushes.Due(ctx, mostDueOfOrg, mostDue)
	if err != nil && ctx.Err() == nil {
		w.Logger.ErrorContext(ctx, "failed to read pending notifications", slog.Any("error", err))
	}
	w.waiting = found
}

// start sends to those that wait, as far as there is room for them.
func (w *Worker) start(ctx context.Context, all *sync.WaitGroup) {
	left := w.waiting[:0]
	for _, due := range w.waiting {
		switch {
		case w.running[due.Device]:
		case len(w.running) >= mostSent || w.of[due.Org] >= mostOfOrg:
			left = append(left, due)
		default:
			w.running[due.Device] = true
			w.of[due.Org]++
			all.Go(func() {
				if err := w.send(ctx, due); err != nil && ctx.Err() == nil {
					w.Logger.ErrorContext(ctx, "failed to notify a browser", append(about(due), slog.Any("error", err))...)
				}
				w.ended <- due
			})
		}
	}
	w.waiting = left
}

// about is what the log says of a browser. Its address is a secret.
func about(due push.Due) []any {
	return []any{slog.Int64("org", int64(due.Org)), slog.Int64("device", int64(due.Device))}
}

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
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/due"
	"chatserver.dev/services/remote"
)

const (
	// mostSent is how many browsers a process sends to at a time, and mostOfOrg to how many of one organization.
	mostSent  = 16
	mostOfOrg = 8
	// mostDue is how many browsers are looked for at a time, and mostDueOfOrg how many of one organization.
	mostDue      = 200
	mostDueOfOrg = 50
	// sendTime is how long a push service may take. It is less than the lease of what is sent.
	sendTime = 10 * time.Second
)

// What happens to an attempt to notify, for [Deps.Count].
const (
	Sent    = "sent"
	Delayed = "delayed" // to be tried again
	Failed  = "failed"  // permanently
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
}

// New makes a worker.
func New(d Deps) *Worker {
	transport := remote.Transport(d.Permit, d.Resolver)
	transport.TLSClientConfig = &tls.Config{RootCAs: d.Roots, MinVersion: tls.VersionTLS12}
	return &Worker{
		Deps: d,
		client: &http.Client{
			Transport: transport, Timeout: sendTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Run notifies browsers until ctx ends. What is under way then is sent again by another process.
func (w *Worker) Run(ctx context.Context) error {
	due.Work[push.Due]{
		Most: mostSent, MostOfOrg: mostOfOrg, Org: func(d push.Due) id.Org { return d.Org }, Find: w.find,
		Do: func(ctx context.Context, d push.Due) {
			if err := w.send(ctx, d); err != nil && ctx.Err() == nil {
				w.Logger.ErrorContext(ctx, "failed to notify a browser", append(about(d), slog.Any("error", err))...)
			}
		},
	}.Run(ctx)
	return nil
}

// find returns browsers to be notified.
func (w *Worker) find(ctx context.Context) []push.Due {
	found, err := w.Pushes.Due(ctx, mostDueOfOrg, mostDue)
	if err != nil && ctx.Err() == nil {
		w.Logger.ErrorContext(ctx, "failed to read pending notifications", slog.Any("error", err))
	}
	return found
}

// about is what the log says of a browser. Its address is a secret.
func about(d push.Due) []any {
	return []any{slog.Int64("org", int64(d.Org)), slog.Int64("device", int64(d.Device))}
}

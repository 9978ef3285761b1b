// Package push sends notifications to the push services of browsers (RFC 8030). Package chatserver.dev/pkg/push stores
// their recipients and documents their guarantees; package missed determines their content.
//
// Connections go only to public addresses, and to the networks in the configuration. Duration, size and number of
// concurrent requests are limited. Redirects aren't followed.
package push

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/push"
	"chatserver.dev/services/due"
	"chatserver.dev/services/remote"
)

const (
	// maxSent is the maximum number of browsers that a process sends to at a time, and maxPerOrg of one organization.
	maxSent   = 64
	maxPerOrg = 8
	// maxDue is the maximum number of due browsers that are read at a time, and maxDuePerOrg of one organization.
	maxDue       = 200
	maxDuePerOrg = 50
	// sendTime is the timeout of a request to a push service. It is less than the lease of a notification.
	sendTime = 10 * time.Second
)

// Outcomes of an attempt to notify a browser, for [Deps.Count].
const (
	Sent    = "sent"
	Delayed = "delayed" // to be tried again
	Failed  = "failed"  // permanently
	Gone    = "gone"    // the browser's subscription has ended
)

// Deps are what a [Worker] works with.
type Deps struct {
	Pushes *push.Service
	Missed *missed.Service
	// Contact is an https address of the server's operator, for push services.
	Contact string
	Permit  remote.Permit
	Roots   *x509.CertPool // trusted certificate authorities; nil: the system's
	// Count is called with the outcome of each attempt.
	Count  func(ctx context.Context, outcome string)
	Now    func() time.Time
	Logger *slog.Logger
}

// Worker notifies browsers.
type Worker struct {
	Deps
	client *http.Client
}

// New returns a worker, which is started by [Worker.Run].
func New(d Deps) *Worker {
	transport := remote.Transport(d.Permit, nil)
	transport.TLSClientConfig = &tls.Config{RootCAs: d.Roots, MinVersion: tls.VersionTLS12}
	return &Worker{
		Deps: d,
		client: &http.Client{
			Transport: transport, Timeout: sendTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Run notifies browsers until ctx ends. Notifications in progress are then sent again by another process.
func (w *Worker) Run(ctx context.Context) error {
	due.Work[push.Due]{
		Max: maxSent, MaxPerOrg: maxPerOrg, Org: func(d push.Due) id.Org { return d.Org },
		Find:    func(ctx context.Context) ([]push.Due, error) { return w.Pushes.Due(ctx, maxDuePerOrg, maxDue) },
		Finding: outage.NewLog(w.Logger, slog.LevelError, "failed to read pending notifications", w.Now),
		Do: func(ctx context.Context, d push.Due) bool {
			err := w.send(ctx, d)
			if err != nil && ctx.Err() == nil {
				w.Logger.ErrorContext(ctx, "failed to notify a browser", append(about(d), slog.Any("error", err))...)
			}
			return err == nil
		},
	}.Run(ctx)
	return nil
}

// about returns the attributes of a browser for the log. Its address is a secret.
func about(d push.Due) []any {
	return []any{slog.Int64("org", int64(d.Org)), slog.Int64("device", int64(d.Device))}
}

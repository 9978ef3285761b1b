// Package outgoing calls outgoing webhook bots by HTTP (rest-api.md, section 5.12). Package chatserver.dev/pkg/outgoing
// stores the calls, and documents their guarantees.
//
// Connections go only to public addresses, and to the networks in the configuration. Duration, size and number of
// concurrent calls are limited. Redirects aren't followed.
package outgoing

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/outgoing"
	"chatserver.dev/services/due"
	"chatserver.dev/services/remote"
)

// Config configures the addresses at which bots can be called.
type Config struct {
	// Networks are allowed in addition to public addresses, at all ports, for the operator's own bots.
	Networks []netip.Prefix `env:"OUTGOING_WEBHOOK_NETWORKS"`
}

const (
	// maxCalls is the maximum number of concurrent calls of a process, and maxPerOrg of one organization.
	maxCalls  = 32
	maxPerOrg = 4
	// maxDue is the maximum number of due calls that are read at a time.
	maxDue = 100
	// callTime is the timeout of a call. It is less than the calls' lease.
	callTime = 10 * time.Second
	// endTime is the timeout for releasing a call when the process ends.
	endTime = 2 * time.Second
)

// Deps are the dependencies of a [Worker].
type Deps struct {
	Calls  *outgoing.Service
	Permit remote.Permit
	Now    func() time.Time
	Logger *slog.Logger
}

// Worker calls bots.
type Worker struct {
	calls  *outgoing.Service
	client *http.Client
	now    func() time.Time
	logger *slog.Logger
}

// New returns a worker, which is started by [Worker.Run].
func New(d Deps) *Worker {
	client := &http.Client{
		Transport:     remote.Transport(d.Permit, nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Worker{calls: d.Calls, client: client, now: d.Now, logger: d.Logger}
}

// Run calls bots until ctx ends. Calls in progress are then released for other processes.
func (w *Worker) Run(ctx context.Context) error {
	due.Work[outgoing.Due]{
		Max: maxCalls, MaxPerOrg: maxPerOrg, Org: func(d outgoing.Due) id.Org { return d.Org }, Stored: w.calls.Signal.Wait(),
		Find:    func(ctx context.Context) ([]outgoing.Due, error) { return w.calls.Due(ctx, maxPerOrg, maxDue) },
		Finding: outage.NewLog(w.logger, slog.LevelError, "failed to read pending calls of bots", w.now),
		Do: func(ctx context.Context, d outgoing.Due) bool {
			err := w.make(ctx, d)
			if err != nil && ctx.Err() == nil {
				w.logger.ErrorContext(ctx, "failed to call a bot", slog.Int64("org", int64(d.Org)), slog.Int64("call", d.Call), slog.Any("error", err))
			}
			return err == nil
		},
	}.Run(ctx)
	return nil
}

// make makes a call, and stores its result.
func (w *Worker) make(ctx context.Context, due outgoing.Due) error {
	call, ok, err := w.calls.Claim(ctx, due)
	if err != nil || !ok {
		return err
	}
	reply, failure := w.ask(ctx, call)
	switch {
	case ctx.Err() != nil: // the process ends
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		return w.calls.Release(ending, call)
	case failure != nil:
		return w.calls.Fail(ctx, call, *failure)
	}
	return w.calls.Answer(ctx, call, reply)
}

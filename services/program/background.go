package program

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/domain"
)

// destroyPeriod is how often deleted messages are destroyed that are old enough.
const destroyPeriod = 10 * time.Minute

// background is what happens without a request: changes that somebody began and left are continued, deleted
// messages are destroyed, mail is sent, and the oldest transaction is watched. Any number of processes may do it at once.
func background(d boot.Deps, in domain.Domain) (boot.Part, error) {
	failures, err := d.Meter.Int64Counter("chatserver.changes.failures", metric.WithDescription("Steps of large changes that failed."))
	if err != nil {
		return boot.Part{}, fmt.Errorf("measure failed steps: %w", err)
	}
	failed := func(ctx context.Context, kind string) {
		failures.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", kind)))
	}
	oldest, err := store.NewOldest(d.DB, d.Meter, d.Now, d.Logger)
	if err != nil {
		return boot.Part{}, err
	}
	mails, err := mailQueue(d, in)
	if err != nil {
		return boot.Part{}, err
	}
	runner := steps.NewRunner(d.DB, d.Now, failed, d.Logger, in.Kinds()...)
	run := func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return runner.Run(ctx) })
		group.Go(func() error { return oldest.Run(ctx) })
		if mails != nil {
			group.Go(func() error { return mails.Run(ctx) })
		}
		group.Go(func() error {
			destroy(ctx, d, in)
			return nil
		})
		return group.Wait()
	}
	return boot.Part{Name: "background", Run: run}, nil
}

// mailQueue returns what sends mail; nil: nothing does.
func mailQueue(d boot.Deps, in domain.Domain) (*mail.Queue, error) {
	transport, err := mail.NewTransport(d.Config.Mail, d.Now)
	if err != nil || transport == nil {
		return nil, err
	}
	mails, err := d.Meter.Int64Counter("chatserver.mails", metric.WithDescription("Mails by kind and by what became of them."))
	if err != nil {
		return nil, fmt.Errorf("count mails: %w", err)
	}
	count := func(ctx context.Context, kind, outcome string) {
		mails.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", kind), attribute.String("outcome", outcome)))
	}
	return mail.NewQueue(mail.QueueDeps{
		DB: d.DB, Transport: transport, Kinds: in.Mails(), PerAddress: d.MailTo, PerOrg: d.MailOf, Count: count, Logger: d.Logger,
	}), nil
}

// destroy destroys deleted messages, at once and then periodically until ctx ends.
func destroy(ctx context.Context, d boot.Deps, in domain.Domain) {
	ticker := time.NewTicker(destroyPeriod)
	defer ticker.Stop()
	for {
		if err := in.Revisions.DestroyDeleted(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to destroy deleted messages", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

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
	"chatserver.dev/pkg/scheduled"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/outgoing"
	"chatserver.dev/services/push"
	"chatserver.dev/services/remote"
)

// destroyPeriod is how often deleted messages are destroyed whose time for it has come.
const destroyPeriod = 10 * time.Minute

// unclaimedPeriod is how often uploaded files are removed that have been in no message for some time.
const unclaimedPeriod = time.Hour

// cleanPeriod is how often files that nothing refers to are removed.
const cleanPeriod = time.Minute

// exportPeriod is how often the process looks for requested archives.
const exportPeriod = 10 * time.Second

// expiredPeriod is how often messages whose retention has ended are deleted.
const expiredPeriod = 24 * time.Hour

// background returns the part of the process that works independently of requests. It continues unfinished changes,
// calls outgoing webhook bots, sends scheduled messages, deletes messages whose retention has ended, destroys deleted
// ones, sends mail and notifications of browsers, removes unused files, makes archives, and watches the oldest
// transaction and the database's replica. Any number of processes may run it at the same time.
func background(d boot.Deps, in domain.Domain, calls outgoing.Config) (boot.Part, error) {
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
	replica, err := store.NewReplicaWatch(d.DB, d.Meter, d.Now, d.Logger)
	if err != nil {
		return boot.Part{}, err
	}
	mails, err := mailQueue(d, in)
	if err != nil {
		return boot.Part{}, err
	}
	later, err := scheduledMessages(d, in)
	if err != nil {
		return boot.Part{}, err
	}
	notifier, err := browsers(d, in)
	if err != nil {
		return boot.Part{}, err
	}
	runner := steps.NewRunner(d.DB, d.Now, failed, d.Logger, in.Kinds()...)
	caller := outgoing.New(outgoing.Deps{Calls: in.Calls, Permit: remote.Public(calls.Networks...), Logger: d.Logger})
	run := func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return runner.Run(ctx) })
		group.Go(func() error { return oldest.Run(ctx) })
		group.Go(func() error { return replica.Run(ctx) })
		if mails != nil {
			group.Go(func() error { return mails.Run(ctx) })
		}
		if notifier != nil {
			group.Go(func() error { return notifier.Run(ctx) })
		}
		if mails != nil || notifier != nil {
			group.Go(func() error { return in.Missed.Run(ctx) })
		}
		group.Go(func() error { return caller.Run(ctx) })
		group.Go(func() error { return later.Run(ctx) })
		group.Go(func() error {
			destroy(ctx, d, in)
			return nil
		})
		group.Go(func() error {
			deleteExpired(ctx, d, in)
			return nil
		})
		group.Go(func() error {
			clean(ctx, d, in)
			return nil
		})
		group.Go(func() error {
			removeUnclaimed(ctx, d, in)
			return nil
		})
		group.Go(func() error {
			export(ctx, d, in)
			return nil
		})
		return group.Wait()
	}
	return boot.Part{Name: "background", Run: run}, nil
}

// scheduledMessages returns the service that sends scheduled messages.
func scheduledMessages(d boot.Deps, in domain.Domain) (*scheduled.Service, error) {
	messages, err := d.Meter.Int64Counter("chatserver.scheduled_messages", metric.WithDescription("Scheduled messages, by outcome."))
	if err != nil {
		return nil, fmt.Errorf("count scheduled messages: %w", err)
	}
	count := func(ctx context.Context, outcome string) {
		messages.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
	}
	return scheduled.New(scheduled.Deps{DB: d.DB, Orgs: d.Orgs, Messages: in.Messages, Count: count, Now: d.Now, Logger: d.Logger}), nil
}

// mailQueue returns the queue that sends mail; nil: mail is off.
func mailQueue(d boot.Deps, in domain.Domain) (*mail.Queue, error) {
	transport, err := mail.NewTransport(d.Config.Mail, d.Now)
	if err != nil || transport == nil {
		return nil, err
	}
	mails, err := d.Meter.Int64Counter("chatserver.mails", metric.WithDescription("Mails, by kind and outcome."))
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

// browsers returns the worker that notifies browsers; nil: notifications are off.
func browsers(d boot.Deps, in domain.Domain) (*push.Worker, error) {
	config := d.Config.Push
	if config.Key == "" {
		return nil, nil //nolint:nilnil // documented
	}
	notifications, err := d.Meter.Int64Counter("chatserver.push_notifications", metric.WithDescription("Attempts to notify browsers, by outcome."))
	if err != nil {
		return nil, fmt.Errorf("count notifications: %w", err)
	}
	count := func(ctx context.Context, outcome string) {
		notifications.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
	}
	return push.New(push.Deps{
		Pushes: in.Pushes, Missed: in.Missed, Contact: "https://" + d.Config.Org.ExternalHost, Permit: remote.Public(config.Networks...), Count: count, Logger: d.Logger,
	}), nil
}

// destroy destroys deleted messages, immediately and then periodically until ctx ends.
func destroy(ctx context.Context, d boot.Deps, in domain.Domain) {
	periodically(ctx, destroyPeriod, func() {
		if err := in.Revisions.DestroyDeleted(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to destroy deleted messages", slog.Any("error", err))
		}
	})
}

// deleteExpired deletes messages whose retention has ended, immediately and then periodically.
func deleteExpired(ctx context.Context, d boot.Deps, in domain.Domain) {
	periodically(ctx, expiredPeriod, func() {
		if err := in.Revisions.DeleteExpired(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to delete messages that are no longer kept", slog.Any("error", err))
		}
	})
}

// clean removes files that nothing refers to, immediately and then periodically.
func clean(ctx context.Context, d boot.Deps, in domain.Domain) {
	periodically(ctx, cleanPeriod, func() {
		if err := in.Files.Clean(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to remove deleted files", slog.Any("error", err))
		}
	})
}

// export creates requested archives of organizations, immediately and then periodically.
func export(ctx context.Context, d boot.Deps, in domain.Domain) {
	periodically(ctx, exportPeriod, func() {
		if err := in.Exports.Work(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to export organizations", slog.Any("error", err))
		}
	})
}

// removeUnclaimed removes uploaded files that are in no message, immediately and then periodically.
func removeUnclaimed(ctx context.Context, d boot.Deps, in domain.Domain) {
	periodically(ctx, unclaimedPeriod, func() {
		if err := in.Attachments.RemoveUnclaimed(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "failed to remove uploaded files that are in no message", slog.Any("error", err))
		}
	})
}

// periodically calls do immediately and then once in each period, until ctx ends.
func periodically(ctx context.Context, period time.Duration, do func()) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

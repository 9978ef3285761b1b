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
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/scheduled"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/due"
	"chatserver.dev/services/outgoing"
	"chatserver.dev/services/push"
	"chatserver.dev/services/remote"
)

// maxChanges is the maximum number of organizations whose unfinished changes a process continues at the same time.
const maxChanges = 4

// background returns the part of the process that works independently of requests. It continues unfinished changes,
// calls outgoing webhook bots, sends scheduled messages, deletes messages whose retention has ended, destroys deleted
// ones, sends mail and notifications of browsers, removes unused files, makes archives, and watches the oldest
// transaction and the database's replica. Any number of processes may run it at the same time.
func background(d boot.Deps, in domain.Domain, calls outgoing.Config) (boot.Part, error) {
	changes, err := unfinishedChanges(d, in)
	if err != nil {
		return boot.Part{}, err
	}
	transactions, err := store.NewTransactionWatch(d.DB, d.Meter, d.Now, d.Logger)
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
	caller := outgoing.New(outgoing.Deps{Calls: in.Calls, Permit: remote.Public(calls.Networks...), Now: d.Now, Logger: d.Logger})
	works := []work{changes, transactions.Run, replica.Run, caller.Run}
	if notifier != nil {
		works = append(works, notifier.Run)
	}
	if mails != nil || notifier != nil {
		works = append(works, in.Missed.Run)
	}
	for _, one := range periodicTasks(in, later, mails) {
		works = append(works, func(ctx context.Context) error {
			one.run(ctx, outage.NewLog(d.Logger, slog.LevelError, one.failure, d.Now))
			return nil
		})
	}
	return boot.Part{Name: "background", Run: together(works)}, nil
}

// work runs until ctx ends. An error ends the process.
type work func(ctx context.Context) error

// together returns the work that consists of all works at the same time.
func together(works []work) work {
	return func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		for _, one := range works {
			group.Go(func() error { return one(ctx) })
		}
		return group.Wait()
	}
}

// counter returns a function that counts something, by the value of an attribute.
func counter(meter metric.Meter, name, description, by string) (func(ctx context.Context, value string), error) {
	counted, err := meter.Int64Counter(name, metric.WithDescription(description))
	if err != nil {
		return nil, fmt.Errorf("make the metric %s: %w", name, err)
	}
	return func(ctx context.Context, value string) {
		counted.Add(ctx, 1, metric.WithAttributes(attribute.String(by, value)))
	}, nil
}

// unfinishedChanges returns the work that continues changes of several transactions that no process works on.
func unfinishedChanges(d boot.Deps, in domain.Domain) (work, error) {
	failed, err := counter(d.Meter, "chatserver.changes.failures", "Steps of large changes that failed.", "kind")
	if err != nil {
		return nil, err
	}
	runner := steps.NewRunner(d.DB, d.Now, failed, d.Logger, in.Kinds()...)
	changes := due.Work[steps.Due]{
		Max: maxChanges, MaxPerOrg: 1, Org: func(d steps.Due) id.Org { return d.OrgID }, Find: runner.Due, Do: runner.Continue,
		Finding: outage.NewLog(d.Logger, slog.LevelError, "failed to read unfinished changes", d.Now),
	}
	return func(ctx context.Context) error {
		changes.Run(ctx)
		return nil
	}, nil
}

// scheduledMessages returns the service that sends scheduled messages.
func scheduledMessages(d boot.Deps, in domain.Domain) (*scheduled.Service, error) {
	count, err := counter(d.Meter, "chatserver.scheduled_messages", "Scheduled messages, by outcome.", "outcome")
	if err != nil {
		return nil, err
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
	count, err := counter(d.Meter, "chatserver.push_notifications", "Attempts to notify browsers, by outcome.", "outcome")
	if err != nil {
		return nil, err
	}
	return push.New(push.Deps{
		Pushes: in.Pushes, Missed: in.Missed, Contact: "https://" + d.Config.Org.ExternalHost, Permit: remote.Public(config.Networks...), Count: count, Now: d.Now, Logger: d.Logger,
	}), nil
}

// periodicTask is work that is done once in each period.
type periodicTask struct {
	period  time.Duration
	failure string // what is logged if it fails
	do      func(ctx context.Context) error
	// doSome, in place of do, does a part of the work, and reports whether there may be more, which doesn't wait for the next period.
	doSome func(ctx context.Context) (more bool, err error)
}

// periodicTasks returns all of them. mails may be nil.
func periodicTasks(in domain.Domain, later *scheduled.Service, mails *mail.Queue) []periodicTask {
	all := []periodicTask{
		{period: time.Second, failure: "failed to send scheduled messages", doSome: later.Send},
		{period: 10 * time.Minute, failure: "failed to destroy deleted messages", do: in.Revisions.DestroyDeleted},
		{period: 24 * time.Hour, failure: "failed to delete messages that are no longer kept", do: in.Revisions.DeleteExpired},
		{period: time.Minute, failure: "failed to remove deleted files", do: in.Files.Clean},
		{period: time.Hour, failure: "failed to remove uploaded files that are in no message", do: in.Attachments.RemoveUnclaimed},
		{period: 10 * time.Second, failure: "failed to export organizations", do: in.Exports.Work},
	}
	if mails != nil {
		all = append(all, periodicTask{period: 2 * time.Second, failure: "failed to read pending mail", doSome: mails.Send})
	}
	return all
}

// run does the task immediately and then once in each period, until ctx ends.
func (c periodicTask) run(ctx context.Context, log *outage.Log) {
	ticker := time.NewTicker(c.period)
	defer ticker.Stop()
	for {
		more, err := c.once(ctx)
		log.Note(ctx, err)
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (c periodicTask) once(ctx context.Context) (more bool, err error) {
	if c.doSome != nil {
		return c.doSome(ctx)
	}
	return false, c.do(ctx)
}

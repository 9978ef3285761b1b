package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// lease is the time after which another process sends a claimed mail. It is longer than composing and [sendTime].
	lease = 2 * time.Minute
	// maxAttempts is the maximum number of attempts to send a mail. They take about a day.
	maxAttempts = 12
	// firstPause is the time between the first two attempts. It doubles after each attempt, up to maxPause.
	firstPause = time.Minute
	maxPause   = 4 * time.Hour
	// batchSize is the number of mails that are read together. concurrency that of mails that are sent concurrently.
	batchSize   = 50
	concurrency = 4
	// endTime is the timeout for recording that a mail has been sent.
	endTime = 5 * time.Second
)

// The outcomes of attempts, for [QueueDeps.Count].
const (
	Sent    = "sent"
	Delayed = "delayed" // will be retried
	Failed  = "failed"  // permanently
	Limited = "limited" // not sent, because of the limit of the address
)

// Tries limits something by key. limit.Tries implements it.
type Tries interface {
	// Count counts one, and returns how long to wait if there were too many.
	Count(ctx context.Context, key string) (wait time.Duration, err error)
	// Wait returns how long to wait before the next one, without counting one.
	Wait(ctx context.Context, key string) (wait time.Duration, err error)
}

// QueueDeps are the dependencies of a [Queue].
type QueueDeps struct {
	DB        *store.DB
	Transport Transport
	Kinds     []Composer
	// PerAddress limits the mails of a kind to an address, PerOrg all mails of an organization.
	PerAddress, PerOrg Tries
	// Count is called with the outcome of each attempt; nil: outcomes aren't counted.
	Count  func(ctx context.Context, kind, outcome string)
	Logger *slog.Logger
}

// Queue sends queued mail. Several processes may do so at the same time.
type Queue struct {
	QueueDeps
	kinds       map[string]Composer
	names       []string // of all kinds
	lowPriority []string // names of the kinds of low priority
}

// NewQueue makes a queue.
func NewQueue(d QueueDeps) *Queue {
	q := &Queue{QueueDeps: d, kinds: map[string]Composer{}}
	for _, kind := range d.Kinds {
		q.kinds[kind.Name()] = kind
		q.names = append(q.names, kind.Name())
		if kind.IsLowPriority() {
			q.lowPriority = append(q.lowPriority, kind.Name())
		}
	}
	if q.Count == nil {
		q.Count = func(context.Context, string, string) {}
	}
	return q
}

// Send sends some of the due mail and reports whether there may be more. It skips mail of unknown kinds, which a newer release has
// added: the processes of that release send it.
func (q *Queue) Send(ctx context.Context) (more bool, err error) {
	due, err := q.DB.DueMails(ctx, batchSize, q.names, q.lowPriority)
	if err != nil {
		return false, err
	}
	group := errgroup.Group{}
	group.SetLimit(concurrency)
	for _, one := range due {
		group.Go(func() error { return q.send(ctx, one) })
	}
	return len(due) == batchSize, group.Wait()
}

// send sends one mail unless another process does. It fails only with errors of the database.
func (q *Queue) send(ctx context.Context, due sqlc.DueMailsRow) error {
	claimed, err := store.Write(ctx, q.DB, due.OrgID, func(tx *store.Tx) (sqlc.ClaimMailRow, error) {
		return tx.ClaimMail(ctx, lease.Seconds(), due.MailID)
	})
	if store.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	attempt := int(claimed.Attempts)
	err = q.deliver(ctx, due, claimed, attempt == 1)
	if err != nil && ctx.Err() != nil {
		return nil //nolint:nilerr // after the lease, another process sends it
	}
	again, attempts, late := pause(attempt), attempt, errLater{}
	switch {
	case err == nil:
		q.Count(ctx, due.Kind, Sent)
		return q.end(ctx, due)
	case errors.Is(err, errLimited):
		q.Count(ctx, due.Kind, Limited)
		q.Logger.WarnContext(ctx, "dropped a mail: its address has received too many", about(due, attempt)...)
		return q.end(ctx, due)
	case errors.As(err, &late):
		// The mail isn't the reason, so the attempt isn't counted, except the first, which already counts in the limit of the address.
		again, attempts = late.wait, max(attempt-1, 1)
	case errors.Is(err, ErrRefused) || attempt >= maxAttempts:
		q.Count(ctx, due.Kind, Failed)
		q.Logger.ErrorContext(ctx, "a mail can't be sent", append(about(due, attempt), slog.Any("error", err))...)
		return q.end(ctx, due)
	}
	q.Count(ctx, due.Kind, Delayed)
	q.Logger.WarnContext(ctx, "a mail will be tried again", append(about(due, attempt), slog.Any("error", err))...)
	return q.DB.Write(ctx, due.OrgID, func(tx *store.Tx) error {
		return tx.PostponeMail(ctx, int16(attempts), again.Seconds(), due.MailID)
	})
}

// about returns the log attributes of a mail. They must not contain addresses.
func about(due sqlc.DueMailsRow, attempt int) []any {
	return []any{
		slog.Int64("org", int64(due.OrgID)), slog.Int64("mail", due.MailID), slog.String("kind", due.Kind), slog.Int("attempt", attempt),
	}
}

func pause(attempt int) time.Duration {
	return min(firstPause<<min(attempt-1, 20), maxPause)
}

var errLimited = errors.New("too many mails to the address")

// errLater says that an organization has to wait before it may send again.
type errLater struct{ wait time.Duration }

// Error implements error.
func (e errLater) Error() string { return fmt.Sprintf("the organization has to wait for %s", e.wait) }

// deliver composes a mail and passes it to the transport. The first attempt counts in the limit of the address, and each attempt
// in that of the organization if there is something to send.
func (q *Queue) deliver(ctx context.Context, due sqlc.DueMailsRow, claimed sqlc.ClaimMailRow, first bool) error {
	kind := q.kinds[due.Kind]
	if first && !kind.IsLowPriority() {
		if wait, err := q.PerAddress.Count(ctx, due.Kind+":"+strings.ToLower(due.Address)); err != nil || wait > 0 {
			return errors.Join(err, limited(wait))
		}
	}
	perOrg := fmt.Sprint(due.OrgID)
	if !kind.IsLowPriority() { // composing may store a link, which nobody would get
		if wait, err := q.PerOrg.Wait(ctx, perOrg); err != nil || wait > 0 {
			return errors.Join(err, later(wait))
		}
	}
	letter, err := store.Write(ctx, q.DB, due.OrgID, func(tx *store.Tx) (*Letter, error) {
		return kind.Letter(ctx, tx, due.Address, claimed.State)
	})
	if err != nil || letter == nil {
		return err
	}
	// Rows without a letter don't count: anybody adds them, by asking for links to addresses without accounts.
	if !kind.IsLowPriority() {
		if wait, err := q.PerOrg.Count(ctx, perOrg); err != nil || wait > 0 {
			return errors.Join(err, later(wait))
		}
	}
	return q.Transport.Deliver(ctx, *letter)
}

func limited(wait time.Duration) error {
	if wait > 0 {
		return errLimited
	}
	return nil
}

func later(wait time.Duration) error {
	if wait > 0 {
		return errLater{wait}
	}
	return nil
}

// end removes a mail, also if ctx has ended: otherwise another process would send it again.
func (q *Queue) end(ctx context.Context, due sqlc.DueMailsRow) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	return q.DB.Write(ctx, due.OrgID, func(tx *store.Tx) error { return tx.EndMail(ctx, due.MailID) })
}

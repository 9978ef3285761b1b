// Package scheduled sends scheduled messages and reminders when they are due (rest-api.md, section 2.2.8). Package
// message stores them until then.
//
// It promises:
//
//   - A message is sent exactly once, even if processes end meanwhile, because the transaction that sends it also
//     removes it from the scheduled ones. It isn't sent before its time by the clock of the process that sends
//     it.
//   - The permissions of the sender are checked when the message is sent. If it can't be sent, the notification
//     bot sends the account a private message with the reason and the content.
//   - Messages of an organization are sent one at a time, ordered by their times. Many messages of one
//     organization delay those of others by at most the time that [batchSize] of them take.
package scheduled

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxOrgs is the maximum number of organizations in a check, concurrency the number of organizations to send for at
	// the same time, and batchSize the maximum number of messages of each.
	maxOrgs     = 100
	concurrency = 4
	batchSize   = 20
	// maxFailures is the number of failures of the server after which a message is refused.
	maxFailures = 10
	// firstPause is the time after the first failure. It doubles after each of the next maxDoubled failures, up to
	// maxPause.
	firstPause = 10 * time.Second
	maxDoubled = 9
	maxPause   = time.Hour
	// staleTries is the maximum number of attempts to send a message while the stream changes.
	staleTries = 3
)

// Outcomes of sending a message, for [Deps.Count].
const (
	Sent    = "sent"
	Refused = "refused" // the sender is notified
	Delayed = "delayed" // by a failure of the server
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Messages *message.Service
	// Count, if not nil, is called with the outcome of each message.
	Count  func(ctx context.Context, outcome string)
	Now    func() time.Time
	Logger *slog.Logger
}

// Service sends due messages. Any number of processes may do so at once.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service {
	if d.Count == nil {
		d.Count = func(context.Context, string) {}
	}
	return &Service{d}
}

// Send sends some of the due messages, and reports whether there may be more.
func (s *Service) Send(ctx context.Context) (more bool, err error) {
	orgs, err := s.DB.OrgsWithDueScheduled(ctx, s.Now(), maxOrgs)
	if err != nil {
		return false, err
	}
	left := make([]bool, len(orgs))
	group := errgroup.Group{}
	group.SetLimit(concurrency)
	for i, org := range orgs {
		group.Go(func() (err error) {
			left[i], err = s.sendSome(ctx, org)
			return err
		})
	}
	err = group.Wait()
	for _, l := range left {
		more = more || l
	}
	return more || len(orgs) == maxOrgs, err
}

func (s *Service) sendSome(ctx context.Context, org id.Org) (more bool, err error) {
	for range batchSize {
		if more, err = s.next(ctx, org); err != nil || !more || ctx.Err() != nil {
			return false, err
		}
	}
	return true, nil
}

// next sends an organization's first due message. found is false if there is none, or if another process is sending
// messages of the organization.
func (s *Service) next(ctx context.Context, org id.Org) (found bool, err error) {
	for try := 1; ; try++ {
		row, outcome := sqlc.ScheduledMessage{}, ""
		err := s.DB.Write(ctx, org, func(tx *store.Tx) (err error) {
			row, outcome, err = s.send(ctx, tx)
			return err
		})
		switch {
		case err == nil && outcome == "":
			return false, nil
		case err == nil:
			s.Count(ctx, outcome)
			return true, nil
		case errors.Is(err, store.ErrStale) && try < staleTries:
		case row.ScheduledID == 0 || ctx.Err() != nil:
			return false, err
		default:
			s.Count(ctx, Delayed)
			s.Logger.WarnContext(ctx, "postponed a scheduled message", slog.Int64("org", int64(org)),
				slog.Int64("scheduled", row.ScheduledID), slog.Any("error", err))
			due := s.Now().Add(min(firstPause<<min(row.Failures, maxDoubled), maxPause))
			return true, s.DB.Write(ctx, org, func(tx *store.Tx) error { return tx.PostponeScheduled(ctx, due, row.ScheduledID) })
		}
	}
}

// send sends the first due message and returns its row and the outcome, which is empty if there is none. It reads
// everything before it writes (docs/decisions/0014-short-transactions.md).
func (s *Service) send(ctx context.Context, tx *store.Tx) (row sqlc.ScheduledMessage, outcome string, err error) {
	free, err := tx.TryLockScheduled(ctx)
	if err != nil || !free {
		return row, "", err
	}
	row, err = tx.NextScheduled(ctx, s.Now())
	if store.IsNotFound(err) {
		return row, "", nil
	}
	if err != nil {
		return row, "", err
	}
	outcome = Sent
	send, err := s.prepare(ctx, tx, row)
	if f := fault.Of(err); f != nil && f.Kind == fault.Invalid {
		outcome = Refused
		send, err = s.refuse(ctx, tx, row, f)
	}
	if err != nil {
		return row, "", err
	}
	if err := send(ctx); err != nil {
		return row, "", err
	}
	return row, outcome, tx.EndScheduled(ctx, row.ScheduledID)
}

// errInactive says that the sender isn't active anymore.
var errInactive = fault.Plain("Your account was deactivated.")

// errFailed says that the server failed to send a message too often.
var errFailed = fault.Plain("The server failed to send it.")

func (s *Service) prepare(ctx context.Context, tx *store.Tx, row sqlc.ScheduledMessage) (send func(ctx context.Context) error, err error) {
	if row.Failures >= maxFailures {
		return nil, errFailed
	}
	who, err := s.sender(ctx, tx, row)
	if err != nil {
		return nil, err
	}
	to := message.Place{Topic: row.Topic}
	if row.StreamID != nil {
		to.Stream = *row.StreamID
	} else {
		to.Conversation = *row.ConversationID
	}
	if row.Reminder {
		return s.Messages.PrepareReminder(ctx, tx, who, to, row.Content)
	}
	return s.Messages.Prepare(ctx, tx, who, to, row.Content, row.Widget)
}

// sender returns the current state of the account that scheduled the message.
func (s *Service) sender(ctx context.Context, tx *store.Tx, row sqlc.ScheduledMessage) (actor.Actor, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return actor.Actor{}, err
	}
	u, err := user.ByID(ctx, tx, row.SenderID)
	if err != nil {
		return actor.Actor{}, err
	}
	if !u.Active {
		return actor.Actor{}, errInactive
	}
	who, err := u.Caller(ctx, tx, o)
	who.Client = row.Client
	return who, err
}

// refuse returns a function that sends the notification bot's message to the sender, with the reason why the message
// isn't sent and its content: as a quote or, if that gets too long, as plain text.
func (s *Service) refuse(ctx context.Context, tx *store.Tx, row sqlc.ScheduledMessage, why *fault.Fault) (send func(ctx context.Context) error, err error) {
	fence := "```"
	for strings.Contains(row.Content, fence) {
		fence += "`"
	}
	at := "<time:" + row.DeliverAt.UTC().Format(time.RFC3339) + ">"
	for _, as := range []string{"quote", "text"} {
		send, err = s.Messages.ToUsers(ctx, tx, []id.User{row.SenderID}, []catalogue.Notice{func(in catalogue.Texts) string {
			return fmt.Sprintf("%s\n\n%s%s\n%s\n%s", in.Notices.NotSent(at, why.In(in.Refusal).Msg), fence, as, row.Content, fence)
		}})
		if !errors.Is(err, message.ErrRendering) {
			break
		}
	}
	return send, err
}

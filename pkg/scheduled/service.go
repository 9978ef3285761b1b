// Package scheduled sends messages when their time has come, and reminders (rest-api.md, section 2.2.8). Package message keeps
// them until then.
//
// It promises:
//
//   - A message is sent once, whatever dies meanwhile: the transaction that sends it removes it from those that wait. It isn't
//     sent before its time by the clock of the process that sends it.
//   - It is sent as the account then is, where it may then send. If it can't be sent, the account gets a private message
//     from the notification bot that says why, and what was to be sent.
//   - Messages of an organization are sent in the order of their times, one at a time; many in one organization don't
//     delay those of others for longer than [some] of them take.
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
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// look is how often messages are looked for whose time has come.
	look = time.Second
	// mostOrgs is how many organizations are looked at, atOnce for how many something is sent at a time, and some how many
	// messages are then sent of each.
	mostOrgs = 100
	atOnce   = 4
	some     = 20
	// mostFailures is how often the server may fail to send a message until it is refused.
	mostFailures = 10
	// firstPause is the time after the first failure; it doubles, up to longestPause.
	firstPause   = 10 * time.Second
	longestPause = time.Hour
	// staleTries bounds how often a message is sent again because the stream has changed meanwhile.
	staleTries = 3
)

// What can happen to a message, for [Deps.Count].
const (
	Sent    = "sent"
	Refused = "refused" // the sender is notified
	Delayed = "delayed" // by a failure of the server
)

// Deps are what a [Service] works with.
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Messages *message.Service
	// Count is called with what became of a message; nil: nobody counts.
	Count  func(ctx context.Context, outcome string)
	Now    func() time.Time
	Logger *slog.Logger
}

// Service sends messages. Any number of processes may do so at once.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service {
	if d.Count == nil {
		d.Count = func(context.Context, string) {}
	}
	return &Service{d}
}

// Run sends messages until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		more, err := s.Send(ctx)
		if err != nil && ctx.Err() == nil {
			s.Logger.ErrorContext(ctx, "failed to send scheduled messages", slog.Any("error", err))
		}
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Send sends some of the messages whose time has come, and reports whether there may be more.
func (s *Service) Send(ctx context.Context) (more bool, err error) {
	orgs, err := s.DB.OrgsWithDueScheduled(ctx, s.Now(), mostOrgs)
	if err != nil {
		return false, err
	}
	left := make([]bool, len(orgs))
	group := errgroup.Group{}
	group.SetLimit(atOnce)
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
	return more || len(orgs) == mostOrgs, err
}

func (s *Service) sendSome(ctx context.Context, org id.Org) (more bool, err error) {
	for range some {
		if more, err = s.next(ctx, org); err != nil || !more || ctx.Err() != nil {
			return false, err
		}
	}
	return true, nil
}

// next sends an organization's first message whose time has come; found is false if there is none, or another process sends
// the organization's.
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
			due := s.Now().Add(min(firstPause<<row.Failures, longestPause))
			return true, s.DB.Write(ctx, org, func(tx *store.Tx) error { return tx.PostponeScheduled(ctx, due, row.ScheduledID) })
		}
	}
}

// send sends the first message, and returns what became of it; empty: there was none. All that it reads comes before all that it
// writes (docs/decisions/0014-short-transactions.md).
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
		send, err = s.refuse(ctx, tx, row, f.Msg)
	}
	if err != nil {
		return row, "", err
	}
	if err := send(ctx); err != nil {
		return row, "", err
	}
	return row, outcome, tx.EndScheduled(ctx, row.ScheduledID)
}

// errInactive says that the sender isn't there any more.
var errInactive = fault.Plain("Your account was deactivated.")

// errFailed says that the server can't send a message.
var errFailed = fault.Plain("The server failed to send it.")

func (s *Service) prepare(ctx context.Context, tx *store.Tx, row sqlc.ScheduledMessage) (send func(ctx context.Context) error, err error) {
	if row.Failures >= mostFailures {
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

// sender is who scheduled the message, as they are now.
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

// refuse has the notification bot say to the sender why the message isn't sent, and what it was.
func (s *Service) refuse(ctx context.Context, tx *store.Tx, row sqlc.ScheduledMessage, why string) (send func(ctx context.Context) error, err error) {
	fence := "```"
	for strings.Contains(row.Content, fence) {
		fence += "`"
	}
	text := fmt.Sprintf("Your message for <time:%s> wasn't sent: %s\n\n%squote\n%s\n%s",
		row.DeliverAt.UTC().Format(time.RFC3339), why, fence, row.Content, fence)
	return s.Messages.ToUsers(ctx, tx, []id.User{row.SenderID}, []string{text})
}

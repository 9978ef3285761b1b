package missed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxMails is the maximum number of mails to an account in an hour, each about a conversation. One more is about
	// all other conversations. Later messages wait for the next hour.
	maxMails = 10
	// away is how long after its last activity an account still gets mail.
	away = 30 * 24 * time.Hour
	// mayHaveLeft is how long it is uncertain whether somebody was still there after a message: clients say nothing when they are
	// closed, and report that their users are active until these have done nothing for five minutes.
	mayHaveLeft = 10 * time.Minute
	// again is the time until the next attempt if an account can't be notified.
	again = 10 * time.Minute
)

// errLost says that another process has already notified the account.
var errLost = errors.New("another process was faster")

// state is the state of a mail.
type state struct {
	User     id.User      `json:"user"`
	Messages []id.Message `json:"messages"`
}

// kind returns the kind of mail about missed messages. This package limits their number itself.
func (s *Service) kind() mail.Kind[state] { return mail.NewLowPriorityKind("missed", s.compose) }

// Notify queues mail for the accounts that are due. If it fails for some of them, they are due again later, and Notify
// returns the first of these errors at its end.
func (s *Service) Notify(ctx context.Context) error {
	failed := error(nil)
	for {
		due, err := s.DB.DueMissed(ctx, passes)
		if err != nil {
			return err
		}
		for _, one := range due {
			isThere := s.there(ctx, one.OrgID, []id.User{one.UserID})[one.UserID]
			err := s.DB.Write(ctx, one.OrgID, func(tx *store.Tx) error { return s.notify(ctx, tx, one.UserID, isThere) })
			if err == nil || errors.Is(err, errLost) {
				continue
			}
			if err := s.postpone(ctx, one.OrgID, one.UserID); err != nil {
				return err
			}
			failed = cmp.Or(failed, fmt.Errorf("account %d of organization %d: %w", one.UserID, one.OrgID, err))
		}
		if len(due) < passes {
			return failed
		}
	}
}

// postpone makes an account due later.
func (s *Service) postpone(ctx context.Context, in id.Org, account id.User) error {
	return s.DB.Write(ctx, in, func(tx *store.Tx) error {
		row, err := tx.MissedOf(ctx, account)
		if store.IsNotFound(err) {
			return nil // another process has notified it
		}
		if err != nil {
			return err
		}
		_, err = tx.EndMissed(ctx, sqlc.EndMissedParams{
			UserID: account, Done: []int64{}, DueAt: row.DueAt, Hour: row.Hour, Mails: row.Mails, WaitSeconds: again.Seconds(),
		})
		return err
	})
}

// notify queues mail about what an account missed. If its user is there, messages wait while the user may have left before them. All
// reads come before the writes.
func (s *Service) notify(ctx context.Context, tx *store.Tx, account id.User, isThere bool) error {
	row, err := tx.MissedOf(ctx, account)
	if store.IsNotFound(err) {
		return errLost
	}
	if err != nil {
		return err
	}
	to, found, err := s.missed(ctx, tx, account, id.Convert[id.Message](row.Messages))
	if err != nil {
		return err
	}
	now := s.Now()
	end := sqlc.EndMissedParams{UserID: account, Done: row.Messages, DueAt: row.DueAt, Hour: row.Hour, Mails: row.Mails, WaitSeconds: delay.Seconds()}
	if now.Sub(row.Hour) >= time.Hour {
		end.Hour, end.Mails = now, 0
	}
	about := make([]state, 0, len(found))
	for _, c := range found {
		about = append(about, state{account, c.ids()})
	}
	switch sent := int(end.Mails); {
	case isThere:
		about, end.Done = nil, without(row.Messages, found, now.Add(-mayHaveLeft))
	case sent > maxMails && len(about) > 0: // they wait
		about, end.Done, end.WaitSeconds = nil, []int64{}, max(end.Hour.Add(time.Hour).Sub(now), delay).Seconds()
	case sent+len(about) > maxMails:
		all := state{User: account}
		for _, one := range about {
			all.Messages = append(all.Messages, one.Messages...)
		}
		about, end.Mails = []state{all}, maxMails+1
	default:
		end.Mails += int16(len(about)) // maxMails at most
	}
	ended, err := tx.EndMissed(ctx, end)
	if err != nil {
		return err
	}
	if ended == 0 {
		return errLost
	}
	if len(about) == 0 {
		return nil
	}
	addresses := make([]string, len(about))
	for i := range addresses {
		addresses[i] = to.RealEmail
	}
	return s.kind().AddAll(ctx, tx, addresses, about)
}

// without returns the messages except for those in found that were sent or edited since a time.
func without(messages []int64, found []conversation, since time.Time) []int64 {
	for _, c := range found {
		for _, m := range c.messages {
			if m.ChangedAt.After(since) {
				messages = slices.DeleteFunc(messages, func(one int64) bool { return one == int64(m.MessageID) })
			}
		}
	}
	return messages
}

// missed returns an account and the messages for a mail. It returns no messages if no mail is to be sent.
func (s *Service) missed(ctx context.Context, tx *store.Tx, account id.User, messages []id.Message) (user.User, []conversation, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil || o.Deactivated {
		return user.User{}, nil, err
	}
	to, err := user.ByID(ctx, tx, account)
	if errors.Is(err, user.ErrNoSuchUser) || err == nil && (!to.Active || to.IsBot()) {
		return user.User{}, nil, nil
	}
	if err != nil {
		return user.User{}, nil, err
	}
	found, err := read(ctx, tx, to, messages)
	if err != nil || len(found) == 0 {
		return to, nil, err
	}
	idle, err := tx.IdlePeople(ctx, []int64{int64(account)}, s.Now().Add(-away))
	if err != nil || len(idle) == 0 {
		return to, found, err
	}
	reports, err := s.Presence.Of(ctx, tx.Org(), account, s.Now())
	if err != nil || len(reports) == 0 {
		return to, nil, err
	}
	return to, found, nil
}

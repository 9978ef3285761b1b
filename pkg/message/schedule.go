package message

import (
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/timeparse"
	"chatserver.dev/pkg/user"
)

// The errors of scheduling a message (rest-api.md, section 2.2.8).
var (
	ErrNoTime        = fault.Plain("Missing deliver_at in a request for delayed message delivery")
	ErrTimeFormat    = fault.Plain("Invalid time format")
	ErrTimePast      = fault.Plain("Time must be in the future.")
	ErrRemindOthers  = fault.Bad("Reminders can only be set for streams.")
	ErrManyScheduled = fault.Bad("Too many scheduled messages: %d are waiting to be sent, which is the limit.")
)

// The maximum numbers of scheduled messages of an account and of an organization.
const (
	MaxScheduled      = 1_000
	MaxScheduledOfOrg = 20_000
)

// Schedule says when to send a message.
type Schedule struct {
	At       *string // a time in one of many formats; nil: not given, which is an error
	Zone     string  // IANA name of the time zone of At if At has none; empty: the account's
	Reminder bool    // the notification bot sends it
}

// delivery is the data that is stored with a scheduled message.
type delivery struct {
	at       time.Time
	reminder bool
}

// Schedule stores a message that package scheduled sends later, and returns the time, in the zone that applies. The faults are
// those of sections 2.2 and 2.2.8 of rest-api.md.
func (s *Service) Schedule(ctx context.Context, who actor.Actor, draft Draft, when Schedule) (time.Time, error) {
	draft.later = &delivery{reminder: when.Reminder}
	_, err := s.submit(ctx, who, draft, func() (err error) {
		draft.later.at, err = s.timeOf(ctx, who, when)
		return err
	})
	return draft.later.at, err
}

// timeOf returns the time at which to send a message.
func (s *Service) timeOf(ctx context.Context, who actor.Actor, when Schedule) (time.Time, error) {
	if when.At == nil {
		return time.Time{}, ErrNoTime
	}
	zone, err := s.zoneOf(ctx, who, when.Zone)
	if err != nil {
		return time.Time{}, err
	}
	at, ok := timeparse.Parse(*when.At, zone)
	switch {
	case !ok:
		return time.Time{}, ErrTimeFormat
	case !at.After(s.Now()):
		return time.Time{}, ErrTimePast
	}
	return at, nil
}

// zoneOf returns the time zone with a name or, if it is empty, the account's.
func (s *Service) zoneOf(ctx context.Context, who actor.Actor, name string) (*time.Location, error) {
	if name != "" {
		return user.Zone(name)
	}
	u, err := store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (user.User, error) { return user.ByID(ctx, tx, who.User) })
	if err != nil || u.Timezone == "" {
		return time.UTC, err
	}
	return user.Zone(u.Timezone)
}

// deliver sends a message, or schedules it if the draft is for later.
func (s *Service) deliver(ctx context.Context, who actor.Actor, m store.NewMessage, draft Draft) (message id.Message, ok bool, err error) {
	switch {
	case draft.later == nil && draft.once == nil:
		return s.send(ctx, who, m)
	case draft.later == nil:
		return s.sendOnce(ctx, who, m, draft.once)
	}
	return 0, true, s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if _, fresh, err := draft.once.use(ctx, tx, who); err != nil || !fresh {
			return err
		}
		if err := tx.LockScheduling(ctx); err != nil {
			return err
		}
		waiting, err := tx.CountScheduled(ctx, who.User, MaxScheduled, MaxScheduledOfOrg)
		switch {
		case err != nil:
			return err
		case waiting.Own >= MaxScheduled:
			return ErrManyScheduled.Format(waiting.Own)
		case waiting.Everybodys >= MaxScheduledOfOrg:
			return ErrManyScheduled.Format(waiting.Everybodys)
		}
		if len(m.Attachments) > 0 {
			if err := tx.KeepUnclaimed(ctx, draft.later.at, id.Convert[int64](m.Attachments)); err != nil {
				return err
			}
		}
		return tx.AddScheduled(ctx, sqlc.AddScheduledParams{
			SenderID: who.User, StreamID: int64(m.Stream), ConversationID: int64(m.Conversation), Topic: m.Topic, Content: m.Content,
			Widget: draft.Widget, Client: m.Client, Reminder: draft.later.reminder, DeliverAt: draft.later.at,
		})
	})
}

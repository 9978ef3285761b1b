package subscription

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// What new accounts have received of the public streams that they begin with (events.md, section 4.8).
const (
	historyTime   = 7 * 24 * time.Hour
	historyMost   = 1000 // messages, and streams
	historyUnread = 20   // of them, the newest
)

// JoinFirst subscribes a new account to its first streams: those that it was invited to and that it may have (see [Service.admitted]), or if
// it was invited to none the organization's default streams. inviter is who invited it; 0: nobody did, the streams are the server's choice. It
// begins with what was sent there lately, of which nobody is notified. It can be repeated.
func (s *Service) JoinFirst(ctx context.Context, in id.Org, newcomer user.User, invited []id.Stream, inviter id.User) error {
	server, streams := actor.Actor{}, []Wanted(nil)
	err := s.db.Read(ctx, in, func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		bot, err := user.NotificationBot(ctx, tx)
		if err != nil {
			return err
		}
		bot.Role = actor.Owner
		server = bot.Actor(o, nil)
		if len(invited) == 0 {
			streams, err = Defaults(ctx, tx)
		} else {
			streams, err = s.admitted(ctx, tx, o, newcomer, invited, inviter)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.Join(ctx, server, newcomer.ID, streams); err != nil {
		return err
	}
	return s.db.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockOwnMarks(ctx); err != nil {
			return err
		}
		if err := tx.LockAccount(ctx, newcomer.ID); err != nil {
			return err
		}
		return tx.ReceiveHistory(ctx, sqlc.ReceiveHistoryParams{
			UserID: newcomer.ID, Since: s.now().Add(-historyTime), Most: historyMost, Unread: historyUnread,
		})
	})
}

// admitted returns the streams of an invitation that are still there and that the newcomer could enter without it, or that the inviter could
// subscribe them to now: by what the inviter sees (rest-api.md, section 1.9) and by the policy (section 8.4). Who has left a private stream
// brings nobody in.
func (s *Service) admitted(ctx context.Context, tx *store.Tx, o org.Org, newcomer user.User, invited []id.Stream, inviter id.User) ([]Wanted, error) {
	rows, err := tx.InvitedStreams(ctx, inviter, id.Convert[int64](invited))
	if err != nil {
		return nil, err
	}
	by, adds := user.User{}, false
	if inviter != 0 {
		if by, err = user.ByID(ctx, tx, inviter); err != nil {
			return nil, err
		}
		adds = by.Active && o.Settings.InviteToStreamPolicy.Allows(by.Actor(o, nil), s.now())
	}
	streams := []Wanted(nil)
	for _, row := range rows {
		open := !row.InviteOnly && newcomer.Role < actor.Guest
		seen := permit.ReadStream(by.Role, permit.StreamView{InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Subscribed: row.Subscribed})
		if inviter == 0 || open || adds && seen {
			streams = append(streams, Wanted{Name: row.Name})
		}
	}
	return streams, nil
}

// Defaults returns the organization's default streams.
func Defaults(ctx context.Context, tx *store.Tx) ([]Wanted, error) {
	rows, err := tx.DefaultStreams(ctx)
	if err != nil {
		return nil, err
	}
	return lists.Map(rows, func(row sqlc.Stream) Wanted { return Wanted{Name: row.Name} }), nil
}

// Join subscribes an account to any number of streams, in batches of the size that requests may have. The caller may do so,
// and create those that don't exist.
func (s *Service) Join(ctx context.Context, who actor.Actor, account id.User, streams []Wanted) error {
	for some := range slices.Chunk(streams, MaxStreams) {
		_, err := s.Subscribe(ctx, who, Request{
			Streams: some, Principals: Principals{IDs: []id.User{account}}, EveryStream: true,
			New: stream.Settings{HistoryPublic: true, PostPolicy: permit.PostAnyone},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

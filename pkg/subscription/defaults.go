package subscription

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
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

// JoinFirst subscribes a new account to its first streams: those of an invitation that are still there, or if it names none the
// organization's default streams. It begins with what was sent there lately, of which nobody is notified. It can be repeated.
func (s *Service) JoinFirst(ctx context.Context, in id.Org, account id.User, invited []id.Stream) error {
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
			return err
		}
		names, err := tx.ActiveStreamNames(ctx, id.Convert[int64](invited))
		streams = lists.Map(names, func(name string) Wanted { return Wanted{Name: name} })
		return err
	})
	if err != nil {
		return err
	}
	if err := s.Join(ctx, server, account, streams); err != nil {
		return err
	}
	return s.db.Write(ctx, in, func(tx *store.Tx) error {
		if err := tx.LockOwnMarks(ctx); err != nil {
			return err
		}
		if err := tx.LockAccount(ctx, account); err != nil {
			return err
		}
		return tx.ReceiveHistory(ctx, sqlc.ReceiveHistoryParams{
			UserID: account, Since: s.now().Add(-historyTime), Most: historyMost, Unread: historyUnread,
		})
	})
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

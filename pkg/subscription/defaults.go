package subscription

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// JoinDefaults subscribes a new account to the organization's default streams. It can be repeated.
func (s *Service) JoinDefaults(ctx context.Context, in id.Org, account id.User) error {
	server, streams := actor.Actor{}, []Wanted(nil)
	err := s.db.Read(ctx, in, func(tx *store.Tx) error {
		streams = nil // the transaction may be tried again
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
		rows, err := tx.DefaultStreams(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			streams = append(streams, Wanted{Name: row.Name})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(streams, MaxStreams) {
		request := Request{
			Streams: some, Principals: Principals{IDs: []id.User{account}}, EveryStream: true,
			New: stream.Settings{HistoryPublic: true, PostPolicy: permit.PostAnyone},
		}
		if _, err := s.Subscribe(ctx, server, request); err != nil {
			return err
		}
	}
	return nil
}

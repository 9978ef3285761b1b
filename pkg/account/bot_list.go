package account

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// OwnBot is a bot as its owner lists it.
type OwnBot struct {
	// Address that the bot logs in with.
	Username string `json:"username"`
	// Name of the bot.
	FullName string `json:"full_name"`
	BotFacts
}

// OwnBots returns the caller's active bots, the oldest first. Their keys aren't part of it: only hashes of them are stored.
func (s *Service) OwnBots(ctx context.Context, who actor.Actor) (bots []OwnBot, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		bots = []OwnBot{} // the transaction may be tried again
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		all, err := user.Bots(ctx, tx, who.User, false)
		if err != nil {
			return err
		}
		views, err := user.ViewBots(ctx, tx, o, all)
		for _, bot := range all {
			if bot.Active {
				bots = append(bots, OwnBot{Username: bot.RealEmail, FullName: bot.FullName, BotFacts: factsOf(o, views, bot)})
			}
		}
		return err
	})
	return bots, err
}

package state

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/user"
)

// Bots are those that the caller keeps: all of the organization for an administrator, and otherwise
// their own; active or not. Their API keys aren't part of it, since only a sum of them is stored.
type Bots struct {
	BotList []event.BotObject `json:"realm_bots"` // the bots that the caller keeps
}

// EmbeddedBots are the programs that bots of the embedded kind can run. The server has none.
type EmbeddedBots struct {
	EmbeddedBotList []BotProgram `json:"realm_embedded_bots"` // programs that embedded bots can run
}

// WebhookBots are the incoming integrations that the server has.
type WebhookBots struct {
	WebhookBotList []BotProgram `json:"realm_incoming_webhook_bots"` // incoming integrations
}

// BotProgram is something that a bot can be made for.
type BotProgram struct {
	Name   string            `json:"name"`   // as it is in paths
	Config map[string]string `json:"config"` // its configuration; never null
}

// bots picks the caller's bots out of all accounts.
func (r *reading) bots(ctx context.Context, all []user.User) (*Bots, error) {
	bots := []user.User{}
	streams := []int64{}
	for _, u := range all {
		if !u.IsBot() || u.System || !r.who.Role.IsAdmin() && u.Owner != r.self.ID {
			continue
		}
		bots = append(bots, u)
		for _, stream := range [...]id.Stream{u.Register.SendingStream, u.Register.EventsStream} {
			if stream != 0 {
				streams = append(streams, int64(stream))
			}
		}
	}
	names, err := r.streamNames(ctx, streams)
	if err != nil {
		return nil, err
	}
	objects := make([]event.BotObject, len(bots))
	for i, bot := range bots {
		objects[i] = user.BotObject(r.org, bot)
		objects[i].DefaultSendingStream = named(names, bot.Register.SendingStream)
		objects[i].DefaultEventsRegisterStream = named(names, bot.Register.EventsStream)
	}
	return &Bots{objects}, nil
}

func named(names map[int64]string, stream id.Stream) *string {
	if name, ok := names[int64(stream)]; ok {
		return &name
	}
	return nil
}

func readEmbeddedBots(_ context.Context, _ *reading, into *State) error {
	into.EmbeddedBots = &EmbeddedBots{[]BotProgram{}}
	return nil
}

func readWebhookBots(_ context.Context, r *reading, into *State) error {
	bots := make([]BotProgram, len(r.Webhooks))
	for i, name := range r.Webhooks {
		bots[i] = BotProgram{Name: name, Config: map[string]string{}}
	}
	into.WebhookBots = &WebhookBots{bots}
	return nil
}

package message

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// maxCalls is the maximum number of outgoing webhook bots that are called with one message.
const maxCalls = 20

// calls returns the calls of outgoing webhook bots for a person's message (rest-api.md, section 5.12). Messages of bots don't
// call bots, which could continue forever.
func calls(who actor.Actor, bots []id.User, cause store.Cause) store.BotCalls {
	if who.IsBot() {
		return store.BotCalls{}
	}
	return store.BotCalls{Bots: bots[:min(len(bots), maxCalls)], Cause: cause}
}

// outgoing returns the active outgoing webhook bots in a conversation.
func outgoing(members []user.User) []id.User {
	bots := []id.User(nil)
	for _, u := range members {
		if u.Bot == actor.OutgoingWebhook && u.Active {
			bots = append(bots, u.ID)
		}
	}
	return bots
}

// send stores a message as store.DB.Send does, and reports calls of bots to Deps.Called.
func (s *Service) send(ctx context.Context, who actor.Actor, m store.NewMessage) (message id.Message, ok bool, err error) {
	message, ok, err = s.DB.Send(ctx, who.Org(), m)
	if ok && len(m.Bots) > 0 && s.Called != nil {
		s.Called()
	}
	return message, ok, err
}

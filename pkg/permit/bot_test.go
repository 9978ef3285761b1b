package permit_test

import (
	"errors"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/permit"
)

func TestMakeBot(t *testing.T) {
	t.Parallel()
	for _, role := range []actor.Role{actor.Owner, actor.Administrator, actor.Member} {
		for policy, kinds := range map[permit.BotPolicy]map[actor.BotType]bool{
			permit.BotsByEveryone: {actor.GenericBot: true, actor.IncomingWebhook: true, actor.OutgoingWebhook: true},
			permit.NoGenericBots:  {actor.GenericBot: false, actor.IncomingWebhook: true, actor.OutgoingWebhook: true},
			permit.BotsByAdmins:   {actor.GenericBot: false, actor.IncomingWebhook: false, actor.OutgoingWebhook: false},
			0:                     {actor.GenericBot: false, actor.OutgoingWebhook: false}, // an unknown policy allows nothing
		} {
			for kind, allowed := range kinds {
				err := permit.MakeBot(role, policy, kind)
				if want := allowed || role.IsAdmin(); want != (err == nil) || err != nil && !errors.Is(err, permit.ErrNotAdmin) {
					t.Errorf("role %d, policy %d, kind %d: %v", role, policy, kind, err)
				}
			}
		}
	}
}

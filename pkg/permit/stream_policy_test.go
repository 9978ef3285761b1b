package permit_test

import (
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/permit"
)

func TestStreamPolicies(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	account := func(role actor.Role, age time.Duration) actor.Actor {
		return actor.New(1, actor.Actor{Role: role, Joined: now.Add(-age), WaitingPeriod: 3 * day})
	}
	bot := account(actor.Member, 3*day)
	bot.Bot = actor.GenericBot
	noPeriod := account(actor.Member, 0)
	noPeriod.WaitingPeriod = 0
	for name, c := range map[string]struct {
		who                          actor.Actor
		byMembers, byAdmins, byFulls bool
	}{
		"owner":                      {account(actor.Owner, 0), true, true, true},
		"administrator":              {account(actor.Administrator, 0), true, true, true},
		"full member":                {account(actor.Member, 3*day), true, false, true},
		"new member":                 {account(actor.Member, 3*day-time.Second), true, false, false},
		"new member, no period":      {noPeriod, true, false, true},
		"guest":                      {account(actor.Guest, 30*day), false, false, false},
		"bot, judged by its own age": {bot, true, false, true},
	} {
		for policy, want := range map[permit.StreamPolicy]bool{
			permit.ByMembers: c.byMembers, permit.ByAdmins: c.byAdmins, permit.ByFullMembers: c.byFulls,
		} {
			if got := policy.Allows(c.who, now); got != want {
				t.Errorf("%s under policy %d: %v", name, policy, got)
			}
		}
	}
}

package permit_test

import (
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

func TestPost(t *testing.T) {
	t.Parallel()
	const (
		waiting = 3 * 24 * time.Hour
		self    = id.User(7)
		keeper  = id.User(8)
	)
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	account := func(role actor.Role, bot actor.BotType, age time.Duration) actor.Actor {
		return actor.Actor{User: self, Role: role, Bot: bot, Joined: now.Add(-age), WaitingPeriod: waiting}
	}
	owned := func(a actor.Actor, role actor.Role, age time.Duration) actor.Actor {
		a.BotOwner, a.OwnerRole, a.OwnerJoined = keeper, role, now.Add(-age)
		return a
	}
	old, young := 2*waiting, waiting-time.Second
	member := account(actor.Member, actor.Human, old)
	guest := account(actor.Guest, actor.Human, old)
	bot := account(actor.Member, actor.GenericBot, old)

	public := permit.PostTarget{Policy: permit.PostAnyone}
	private := permit.PostTarget{Policy: permit.PostAnyone, InviteOnly: true}
	web := permit.PostTarget{Policy: permit.PostAnyone, IsWebPublic: true}
	with := func(target permit.PostTarget, policy permit.PostPolicy) permit.PostTarget {
		target.Policy = policy
		return target
	}
	joined := func(target permit.PostTarget, sender, owner bool) permit.PostTarget {
		target.SenderSubscribed, target.OwnerSubscribed = sender, owner
		return target
	}
	gone := joined(public, true, true)
	gone.Deactivated = true

	for _, test := range []struct {
		name   string
		sender actor.Actor
		to     permit.PostTarget
		by     id.User
		want   error
	}{
		{"public", member, public, 0, nil},
		{"public, subscribed", member, joined(public, true, false), 0, nil},
		{"public, by a guest", guest, public, 0, permit.ErrPost},
		{"public, by a subscribed guest", guest, joined(public, true, false), self, nil},
		{"web-public, by a guest", guest, web, 0, nil},
		{"private", member, private, 0, permit.ErrPost},
		{"private, subscribed", member, joined(private, true, false), self, nil},
		{"private, by an administrator", account(actor.Administrator, actor.Human, old), private, 0, permit.ErrPost},
		{"private, by a person with a strange owner", member, joined(private, false, true), 0, permit.ErrPost},
		{"private, by a bot", owned(bot, actor.Member, old), private, 0, permit.ErrPost},
		{"private, by the bot of a subscriber", owned(bot, actor.Member, old), joined(private, false, true), keeper, nil},
		{"private, by a subscribed bot", owned(bot, actor.Member, old), joined(private, true, true), self, nil},
		{"deactivated", account(actor.Owner, actor.Human, old), gone, 0, permit.ErrPost},
		{"private, by an outgoing webhook", account(actor.Member, actor.OutgoingWebhook, old), private, 0, permit.ErrPost},
		{"private, by the outgoing webhook of a subscriber", owned(account(actor.Member, actor.OutgoingWebhook, old), actor.Member, old), joined(private, false, true), keeper, nil},
		{"administrators', by an outgoing webhook", owned(account(actor.Member, actor.OutgoingWebhook, old), actor.Member, old), with(public, permit.PostAdmins), 0, permit.ErrPostAdmins},

		{"administrators', by a member", member, with(public, permit.PostAdmins), 0, permit.ErrPostAdmins},
		{"administrators', by a subscriber", member, with(joined(private, true, false), permit.PostAdmins), 0, permit.ErrPostAdmins},
		{"administrators', by one", account(actor.Administrator, actor.Human, young), with(public, permit.PostAdmins), 0, nil},
		{"administrators', by an owner", account(actor.Owner, actor.Human, young), with(public, permit.PostAdmins), 0, nil},
		{"administrators', by one's bot", owned(bot, actor.Administrator, old), with(public, permit.PostAdmins), 0, nil},
		{"administrators', by a member's bot", owned(bot, actor.Member, old), with(public, permit.PostAdmins), 0, permit.ErrPostAdmins},
		{"administrators', by nobody's bot", bot, with(public, permit.PostAdmins), 0, permit.ErrPostAdmins},
		{"administrators', by a person with a strange owner", owned(member, actor.Administrator, old), with(public, permit.PostAdmins), 0, permit.ErrPostAdmins},
		{"unknown policy", member, with(public, 9), 0, permit.ErrPostAdmins},

		{"new members', by one", account(actor.Member, actor.Human, young), with(public, permit.PostNewMembers), 0, nil},
		{"new members', at the last moment", account(actor.Member, actor.Human, waiting), with(public, permit.PostNewMembers), 0, permit.ErrPostNewMembers},
		{"new members', by an administrator", account(actor.Administrator, actor.Human, old), with(public, permit.PostNewMembers), 0, nil},
		{"new members', by one's bot", owned(bot, actor.Member, young), with(public, permit.PostNewMembers), 0, nil},
		{"new members', by an old member's new bot", owned(account(actor.Member, actor.GenericBot, young), actor.Member, old), with(public, permit.PostNewMembers), 0, permit.ErrPostNewMembers},
		{"new members', by an old member with a strange owner", owned(member, actor.Member, young), with(public, permit.PostNewMembers), 0, permit.ErrPostNewMembers},
		{"new members', by nobody's new bot", account(actor.Member, actor.GenericBot, young), with(public, permit.PostNewMembers), 0, nil},
		{"new members', private, not subscribed", account(actor.Member, actor.Human, young), with(private, permit.PostNewMembers), 0, permit.ErrPost},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			by, err := permit.Post(now, test.sender, test.to)
			if by != test.by || !errors.Is(err, test.want) {
				t.Errorf("Post = %d, %v; want %d, %v", by, err, test.by, test.want)
			}
		})
	}
	_, err := permit.Post(now, member, permit.PostTarget{Name: "vault", InviteOnly: true, Policy: permit.PostAnyone})
	if err == nil || err.Error() != "Not authorized to send to stream 'vault'" {
		t.Errorf("the text is %q", err)
	}
}

func TestSeeingStreams(t *testing.T) {
	t.Parallel()
	public, private := permit.StreamView{}, permit.StreamView{InviteOnly: true}
	web := permit.StreamView{IsWebPublic: true}
	in := func(v permit.StreamView) permit.StreamView {
		v.Subscribed = true
		return v
	}
	for _, test := range []struct {
		name              string
		role              actor.Role
		stream            permit.StreamView
		read, subscribers bool
	}{
		{"member, public", actor.Member, public, true, true},
		{"member, private", actor.Member, private, false, false},
		{"member, own private", actor.Member, in(private), true, true},
		{"administrator, private", actor.Administrator, private, false, true},
		{"owner, private", actor.Owner, private, false, true},
		{"guest, public", actor.Guest, public, false, false},
		{"guest, own public", actor.Guest, in(public), true, true},
		{"guest, own private", actor.Guest, in(private), true, true},
		{"guest, web-public", actor.Guest, web, true, true},
	} {
		if got := permit.ReadStream(test.role, test.stream); got != test.read {
			t.Errorf("%s: ReadStream = %v", test.name, got)
		}
		if got := permit.ReadSubscribers(test.role, test.stream); got != test.subscribers {
			t.Errorf("%s: ReadSubscribers = %v", test.name, got)
		}
	}
}

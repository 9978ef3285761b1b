package permit_test

import (
	"errors"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

func TestWho(t *testing.T) {
	t.Parallel()
	callers := []struct {
		name string
		role actor.Role
		bot  actor.BotType
	}{
		{"owner", actor.Owner, actor.Human},
		{"administrator", actor.Administrator, actor.Human},
		{"member", actor.Member, actor.Human},
		{"guest", actor.Guest, actor.Human},
		{"bot", actor.Member, actor.GenericBot},
		{"administrator's bot", actor.Administrator, actor.OutgoingWebhook},
		{"guest bot", actor.Guest, actor.GenericBot},
		{"incoming webhook", actor.Owner, actor.IncomingWebhook},
	}
	bot, guest, admin, owner, hook := permit.ErrBot, permit.ErrGuest, permit.ErrNotAdmin, permit.ErrNotOwner, permit.ErrHook
	notHook := permit.ErrNotHook
	for who, want := range map[permit.Who][]*fault.Fault{
		permit.Anyone:               {nil, nil, nil, nil, nil, nil, nil, hook},
		permit.AnyoneIncludingHooks: {nil, nil, nil, nil, nil, nil, nil, nil},
		permit.Hook:                 {notHook, notHook, notHook, notHook, notHook, notHook, notHook, nil},
		permit.Human:                {nil, nil, nil, nil, bot, bot, bot, hook},
		permit.NonGuest:             {nil, nil, nil, guest, nil, nil, guest, hook},
		permit.Member:               {nil, nil, nil, guest, bot, bot, guest, hook},
		permit.Admin:                {nil, nil, admin, admin, admin, nil, admin, hook},
		permit.Owner:                {nil, owner, owner, owner, owner, owner, owner, hook},
	} {
		for i, c := range callers {
			err := who.Check(actor.New(1, actor.Actor{Role: c.role, Bot: c.bot}))
			if want[i] == nil && err != nil || want[i] != nil && !errors.Is(err, want[i]) {
				t.Errorf("%v, %s: %v, want %v", who, c.name, err, want[i])
			}
		}
	}
}

func TestWhoFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault *fault.Fault
		kind  fault.Kind
		code  string
		msg   string
	}{
		{permit.ErrBot, fault.Invalid, "", "This endpoint does not accept bot requests."},
		{permit.ErrGuest, fault.Invalid, "BAD_REQUEST", "Not allowed for guest users"},
		{permit.ErrNotAdmin, fault.Invalid, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"},
		{permit.ErrNotOwner, fault.Invalid, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"},
		{permit.ErrHook, fault.Unauthenticated, "UNAUTHORIZED", "This API is not available to incoming webhook bots."},
		{
			permit.ErrNotHook, fault.Unauthenticated, "UNAUTHORIZED",
			"This address takes only the API key of an incoming webhook bot; this key belongs to another kind of account.",
		},
	} {
		if c.fault.Kind != c.kind || c.fault.Code != c.code || c.fault.Msg != c.msg {
			t.Errorf("%+v, want %+v", c.fault, c)
		}
	}
}

func TestWhoZero(t *testing.T) {
	t.Parallel()
	if permit.Who(0).Valid() || permit.Who(9).Valid() || !permit.Anyone.Valid() || !permit.Hook.Valid() || permit.Who(9).String() != "Who(9)" {
		t.Error("the wrong groups are valid")
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero value accepted a caller")
		}
	}()
	_ = permit.Who(0).Check(actor.Actor{Role: actor.Owner})
}

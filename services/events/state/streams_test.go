package state_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// town is an organization whose people have different access to its streams.
type town struct {
	*servicetest.World
	admin, ann, bob, guest, robot, eve servicetest.Account
}

func newTown(t *testing.T) town {
	t.Helper()
	w := servicetest.New(t)
	c := town{World: w, admin: w.Person("Admin", actor.Administrator), ann: w.Person("Ann", actor.Member), bob: w.Person("Bob", actor.Member)}
	c.guest, c.robot = w.Person("Guest", actor.Guest), w.Bot("Robot", actor.GenericBot, c.ann)
	c.eve = w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
	exec(t, w, `insert into streams (org_id, is_default, stream_id, deactivated, name, invite_only) values
		($1, true, 9001, false, 'market', false), ($1, false, 9002, false, 'council', true), ($1, true, 9003, false, 'empty', false),
		($1, false, 9004, false, 'left', true), ($1, true, 9005, true, 'ruin', false), ($1, false, 9006, false, 'Ghosts', false)`, w.Org.ID)
	gone := w.Person("Gone", actor.Member)
	exec(t, w, `update users set active = false where user_id = $1`, gone.ID)
	exec(t, w, `insert into subscriptions (org_id, stream_id, user_id, active, color, received, muted, push_notifications) values
		($1, 9001, $2, true, '#aaa', '{[1,)}', true, true), ($1, 9001, $3, true, '#bbb', '{[1,)}', false, null), ($1, 9001, $5, true, '#ddd', '{[1,)}', false, null),
		($1, 9002, $3, true, '#bbb', '{[1,)}', false, null), ($1, 9004, $2, false, '#ccc', '{[1,2)}', false, null), ($1, 9004, $3, true, '#ccc', '{[1,)}', false, null),
		($1, 9005, $2, false, '#ccc', '{[1,2)}', false, null), ($1, 9006, $4, true, '#ccc', '{[1,)}', false, null), ($1, 9001, $4, true, '#ccc', '{[1,)}', false, null)`,
		w.Org.ID, c.ann.ID, c.bob.ID, gone.ID, c.guest.ID)
	return c
}

func TestStreams(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	for _, viewer := range []struct {
		servicetest.Account
		subscribed, unsubscribed, never, streams, defaults []any
	}{
		{c.admin, []any{}, []any{}, []any{"Ghosts", "council", "empty", "left", "market"}, []any{"market"}, []any{"empty", "market"}},
		{c.ann, []any{"market"}, []any{"left"}, []any{"Ghosts", "empty"}, []any{"market"}, []any{"empty", "market"}},
		{c.bob, []any{"council", "left", "market"}, []any{}, []any{"Ghosts", "empty"}, []any{"council", "left", "market"}, []any{"empty", "market"}},
		{c.guest, []any{"market"}, []any{}, []any{}, []any{"market"}, []any{}},
		{c.robot, []any{}, []any{}, []any{"Ghosts", "empty", "market"}, []any{"market"}, []any{"empty", "market"}},
		{c.eve, []any{}, []any{}, []any{}, []any{}, []any{}},
	} {
		got := fetch(viewer.Account, "subscription", "stream", "default_streams")
		for key, want := range map[string][]any{
			"subscriptions": viewer.subscribed, "unsubscribed": viewer.unsubscribed, "never_subscribed": viewer.never,
			"streams": viewer.streams, "realm_default_streams": viewer.defaults,
		} {
			servicetest.Same(t, viewer.FullName+": "+key, want, list(got[key], "name"))
		}
	}
}

func TestSubscribers(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	market := []any{number(c.ann.ID), number(c.bob.ID), number(c.guest.ID)}
	bob := []any{number(c.bob.ID)}
	for _, viewer := range []struct {
		servicetest.Account
		key, stream string
		want        any
	}{
		{c.ann, "subscriptions", "market", market},
		{c.guest, "subscriptions", "market", market},
		{c.robot, "never_subscribed", "market", market},
		{c.admin, "never_subscribed", "council", bob},
		{c.bob, "subscriptions", "council", bob},
		{c.ann, "unsubscribed", "left", nil},
		{c.ann, "never_subscribed", "Ghosts", []any{}},
	} {
		params := servicetest.Params{"fetch_event_types": []string{"subscription"}, "include_subscribers": true}
		object := find(register(viewer.Account, params)[viewer.key], "name", viewer.stream)
		servicetest.Same(t, viewer.FullName+": "+viewer.stream, viewer.want, object["subscribers"])
		if _, ok := object["subscribers"]; ok != (viewer.want != nil) {
			t.Errorf("%s: %s has subscribers: %v", viewer.FullName, viewer.stream, ok)
		}
	}
	for _, object := range fetch(c.ann, "subscription")["subscriptions"].([]any) {
		if _, ok := object.(map[string]any)["subscribers"]; ok {
			t.Error("subscribers that weren't asked for")
		}
	}
}

func TestNotificationSettingsNull(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	exec(t, c.World, `update users set settings = '{"enable_stream_desktop_notifications": true, "enable_stream_email_notifications": true}'
		where user_id = $1`, c.ann.ID)
	keys := []string{"desktop_notifications", "audible_notifications", "push_notifications", "email_notifications", "wildcard_mentions_notify"}
	for _, knows := range []bool{false, true} {
		got := register(c.ann, servicetest.Params{
			"fetch_event_types": []string{"subscription"}, "client_capabilities": map[string]bool{"notification_settings_null": knows},
		})
		inherited := func(value bool) any {
			if knows {
				return nil
			}
			return value
		}
		want := map[string]any{
			"desktop_notifications": inherited(true), "audible_notifications": inherited(false), "push_notifications": true,
			"email_notifications": inherited(true), "wildcard_mentions_notify": nil,
		}
		servicetest.Same(t, "subscriptions", want, only(find(got["subscriptions"], "name", "market"), keys...))
		want["push_notifications"] = inherited(false)
		servicetest.Same(t, "unsubscribed", want, only(find(got["unsubscribed"], "name", "left"), keys...))
		servicetest.Same(t, "never_subscribed", map[string]any{}, only(find(got["never_subscribed"], "name", "empty"), keys...))
	}
}

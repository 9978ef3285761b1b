package subscription_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

// plain renders nothing. Its streams have no descriptions.
type plain struct{}

func (plain) RenderDescription(context.Context, string, markdown.Context) (string, error) {
	return "", nil
}

// unsubscribe unsubscribes the caller.
func (w *world) unsubscribe(t *testing.T, who string, names ...string) {
	t.Helper()
	removed, err := w.service.Unsubscribe(t.Context(), w.actor(who), names, subscription.Principals{})
	if err != nil || len(removed.NotRemoved) > 0 {
		t.Fatalf("%s unsubscribes: %+v, %v", who, removed, err)
	}
}

func TestUnsubscribeEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		who    string
		whom   []string
		names  []string
		want   subscription.Answer
		events []string
	}{
		{
			name: "oneself", who: "ann", names: []string{" PUBLIC", "alone"},
			want: subscription.Answer{Removed: []string{"public"}, NotRemoved: []string{"alone"}},
			events: []string{
				"subscription/remove public -> ann; -ann@1",
				"subscription/peer_remove 1 ann -> non-guests, subscribers of 1, not ann",
			},
		},
		{
			name: "a guest leaves", who: "guest", names: []string{"vault"},
			want: subscription.Answer{Removed: []string{"vault"}},
			events: []string{
				"subscription/remove vault -> guest; -guest@2",
				"subscription/peer_remove 2 guest -> admins, subscribers of 2, not guest",
			},
		},
		{
			name: "the last one leaves a public stream", who: "robot", names: []string{"alone"},
			want: subscription.Answer{Removed: []string{"alone"}},
			events: []string{
				"subscription/remove alone -> robot; -robot@3",
				"subscription/peer_remove 3 robot -> non-guests, subscribers of 3, not robot",
				"stream/vacate alone -> non-guests",
			},
		},
		{
			name: "an administrator empties both", who: "admin", whom: []string{"ann", "guest", "ann"}, names: []string{"public", "vault"},
			want: subscription.Answer{Removed: []string{"public", "vault", "public", "vault"}},
			events: []string{
				"subscription/remove public vault -> ann; -ann@1 -ann@2",
				"subscription/remove public vault -> guest; -guest@1 -guest@2",
				"subscription/peer_remove 1 ann -> non-guests, subscribers of 1, not ann guest",
				"subscription/peer_remove 1 guest -> non-guests, subscribers of 1, not ann guest",
				"subscription/peer_remove 2 ann -> admins, subscribers of 2, not ann guest",
				"subscription/peer_remove 2 guest -> admins, subscribers of 2, not ann guest",
				"stream/vacate public -> non-guests",
				"stream/delete vault -> admins, subscribers of 2",
			},
		},
		{
			name: "nobody was in it", who: "owner", names: []string{"public"},
			want: subscription.Answer{NotRemoved: []string{"public"}}, events: []string{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "ann", w.with(wanted("public"), "ann", "guest"))
			w.subscribe(t, "ann", private(w.with(wanted("vault"), "ann", "guest")))
			w.subscribe(t, "robot", wanted("alone"))
			w.events(t)
			got, err := w.service.Unsubscribe(t.Context(), w.actor(test.who), test.names, w.principals(test.whom...))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "removed", append([]string{}, test.want.Removed...), got.Removed)
			same(t, "not removed", append([]string{}, test.want.NotRemoved...), got.NotRemoved)
			same(t, "events", test.events, w.events(t))
		})
	}
}

func TestEmptyPrivateStreamIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", private(wanted("vault")))
	w.unsubscribe(t, "ann", "vault")
	// Its name is free again.
	got := w.subscribe(t, "bob", wanted("Vault"))
	same(t, "subscribed", map[string][]string{"bob@acme.example": {"Vault"}}, got.Subscribed)
	if row := w.row(t, "vault"); row.StreamID != 2 || row.InviteOnly {
		t.Errorf("the name leads to %+v", row)
	}
}

// TestDeactivatedAccounts checks that deactivated accounts don't count, although their subscriptions are kept.
func TestDeactivatedAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("beta"), "ann", "bob"))
	w.subscribe(t, "ann", private(w.with(wanted("vault"), "ann", "bob")))
	w.sql.Exec("update users set active = false where user_id = $1", w.users["bob"].ID)
	state := w.state(t, "ann", subscription.StateOptions{Subscribers: true})
	same(t, "state", []string{"beta[ann]", "vault[ann]"}, w.described(state.Subscribed))
	_, err := w.service.Subscribe(t.Context(), w.actor("ann"), w.with(wanted("gamma"), "bob"))
	if !errors.Is(err, subscription.ErrPrincipal) {
		t.Errorf("subscribing a deactivated account returns %v", err)
	}
	w.events(t)
	w.unsubscribe(t, "ann", "beta", "vault")
	w.write(t, func(tx *store.Tx) error {
		facts, err := stream.FactsByID(t.Context(), tx, w.actor("ann"), 1)
		if facts.Occupied {
			t.Error("a stream with a deactivated account alone is occupied")
		}
		return err
	})
	w.subscribe(t, "ann", wanted("beta"))
	same(t, "events", []string{
		"subscription/remove beta vault -> ann; -ann@1 -ann@2",
		"subscription/peer_remove 1 ann -> non-guests, subscribers of 1, not ann",
		"subscription/peer_remove 2 ann -> admins, subscribers of 2, not ann",
		"stream/vacate beta -> non-guests",
		"stream/delete vault -> admins, subscribers of 2; -bob@2",
		"stream/occupy beta -> non-guests",
		"subscription/add beta[ann] -> ann; +ann@1",
		"subscription/peer_add 1 ann -> non-guests, subscribers of 1, not ann",
	}, w.events(t))
}

// TestChangesWaitForTheLock delays changes of a stream's subscriptions as the sending of a message does.
func TestChangesWaitForTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", wanted("beta"))
	for _, test := range []struct {
		what   string
		change func() error
	}{
		{"subscribing", func() error {
			_, err := w.service.Subscribe(t.Context(), w.actor("bob"), wanted("beta"))
			return err
		}},
		{"setting a color", func() error {
			return w.service.SetProperties(t.Context(), w.actor("ann"), []subscription.Property{{Stream: 1, Name: "color", Value: "#abc"}})
		}},
		{"unsubscribing", func() error {
			_, err := w.service.Unsubscribe(t.Context(), w.actor("ann"), []string{"beta"}, subscription.Principals{})
			return err
		}},
		{"deactivating", func() error { return w.streams.Deactivate(t.Context(), w.actor("admin"), 1) }},
	} {
		done := make(chan error, 1)
		w.write(t, func(tx *store.Tx) error {
			if err := tx.LockSubscriptions(t.Context(), 1); err != nil {
				return err
			}
			go func() { done <- test.change() }()
			select {
			case err := <-done:
				t.Errorf("%s didn't wait: %v", test.what, err)
				done <- err
			case <-time.After(100 * time.Millisecond):
			}
			return nil
		})
		if err := <-done; err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
	}
}

func TestUnsubscribeRefuses(t *testing.T) {
	t.Parallel()
	byAdmins := func(s *org.Settings) { s.CreateStreamPolicy = permit.ByAdmins }
	for _, test := range []struct {
		name       string
		org        func(*org.Settings)
		who        string
		principals func(w *world) subscription.Principals
		names      []string
		want       error
		msg        string
	}{
		{
			"somebody else", nil, "ann", func(w *world) subscription.Principals { return w.principals("bob") },
			[]string{"beta"},
			subscription.ErrNotAdmin, "This action requires administrative rights",
		},
		{
			"oneself twice", nil, "ann", func(w *world) subscription.Principals { return w.principals("ann", "ann") },
			[]string{"beta"},
			subscription.ErrNotAdmin, "",
		},
		{"oneself, but not exactly", nil, "ann", func(*world) subscription.Principals {
			return subscription.Principals{Emails: []string{"Ann@acme.example"}}
		}, []string{"beta"}, subscription.ErrNotAdmin, ""},
		{"no such streams", nil, "ann", nil, []string{"x", "beta", "Y", "y"}, subscription.ErrNoStreams, "Stream(s) (x, Y) do not exist"},
		{"no such streams, and may not create", byAdmins, "ann", nil, []string{"x"}, subscription.ErrCreate, "User cannot create streams."},
		{"no such streams for a guest", nil, "guest", nil, []string{"x"}, subscription.ErrCreate, ""},
		{"no such user", nil, "admin", func(*world) subscription.Principals {
			return subscription.Principals{Emails: []string{"x@acme.example"}}
		}, []string{"beta"}, subscription.ErrPrincipal, "User not authorized to execute queries on behalf of 'x@acme.example'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.org)
			w.subscribe(t, "owner", w.with(wanted("beta"), "ann", "bob"))
			w.events(t)
			principals := subscription.Principals{}
			if test.principals != nil {
				principals = test.principals(w)
			}
			_, err := w.service.Unsubscribe(t.Context(), w.actor(test.who), test.names, principals)
			if !errors.Is(err, test.want) || test.msg != "" && err.Error() != test.msg {
				t.Errorf("got the error %v, want %v", err, test.want)
			}
			same(t, "events", []string{}, w.events(t))
		})
	}
	t.Run("oneself by address", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.subscribe(t, "ann", wanted("beta"))
		got, err := w.service.Unsubscribe(t.Context(), w.actor("ann"), []string{"beta"}, subscription.Principals{Emails: []string{"ann@acme.example"}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "removed", []string{"beta"}, got.Removed)
	})
}

package subscription_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestSubscribeEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		before  func(t *testing.T, w *world)
		who     string
		request func(w *world) subscription.Request
		answer  subscription.Answer
		events  []string
		notices []string
	}{
		{
			name: "a new public stream", who: "ann",
			request: func(*world) subscription.Request { return wanted(" Pumps ") },
			answer:  subscription.Answer{Subscribed: map[string][]string{"ann@acme.example": {"Pumps"}}},
			events: []string{
				"stream/create Pumps -> non-guests",
				"stream/occupy Pumps -> non-guests",
				"subscription/add Pumps[ann] -> ann; +ann@1",
				"subscription/peer_add 1 ann -> non-guests, subscribers of 1, not ann",
			},
			notices: []string{"stream 1 > stream events: Stream created by @_**ANN|4**. (read by 4)"},
		},
		{
			name: "a new public stream for others, one a guest", who: "ann",
			request: func(w *world) subscription.Request { return w.with(wanted("pumps"), "bob", "guest") },
			answer: subscription.Answer{Subscribed: map[string][]string{
				"bob@acme.example": {"pumps"}, "guest@acme.example": {"pumps"},
			}},
			events: []string{
				"stream/create pumps -> non-guests",
				"stream/occupy pumps -> non-guests, guest",
				"subscription/add pumps[bob guest] -> bob; +bob@1",
				"subscription/add pumps[bob guest] -> guest; +guest@1",
				"subscription/peer_add 1 bob -> non-guests, subscribers of 1, not bob guest",
				"subscription/peer_add 1 guest -> non-guests, subscribers of 1, not bob guest",
			},
			notices: []string{"stream 1 > stream events: Stream created by @_**ANN|4**. (read by 4)"},
		},
		{
			name: "a new private stream", who: "ann",
			request: func(w *world) subscription.Request { return private(w.with(wanted("vault"), "ann", "admin", "bob")) },
			answer: subscription.Answer{Subscribed: map[string][]string{
				"ann@acme.example": {"vault"}, "admin@acme.example": {"vault"}, "bob@acme.example": {"vault"},
			}},
			events: []string{
				"stream/create vault -> admins",
				"stream/create vault -> ann bob",
				"subscription/add vault[admin ann bob] -> ann; +ann@1",
				"subscription/add vault[admin ann bob] -> admin; +admin@1",
				"subscription/add vault[admin ann bob] -> bob; +bob@1",
				"subscription/peer_add 1 ann -> admins, subscribers of 1, not ann admin bob",
				"subscription/peer_add 1 admin -> admins, subscribers of 1, not ann admin bob",
				"subscription/peer_add 1 bob -> admins, subscribers of 1, not ann admin bob",
			},
			notices: []string{"stream 1 > stream events: Stream created by @_**ANN|4**. (read by 4)"},
		},
		{
			name: "existing and new ones, with people who are there already", who: "ann",
			before: func(t *testing.T, w *world) {
				t.Helper()
				w.subscribe(t, "ann", wanted("beta"))
				w.subscribe(t, "ann", private(w.with(wanted("alpha"), "ann", "bob")))
			},
			request: func(w *world) subscription.Request {
				return w.with(wanted("BETA", "gamma", "Alpha", "beta"), "bob", "ann")
			},
			answer: subscription.Answer{
				Subscribed: map[string][]string{"bob@acme.example": {"beta", "gamma"}, "ann@acme.example": {"gamma"}},
				Already:    map[string][]string{"bob@acme.example": {"alpha"}, "ann@acme.example": {"beta", "alpha"}},
			},
			events: []string{
				"stream/create gamma -> non-guests",
				"stream/occupy gamma -> non-guests",
				"subscription/add beta[ann bob] gamma[ann bob] -> bob; +bob@1 +bob@3",
				"subscription/add gamma[ann bob] -> ann; +ann@3",
				"subscription/peer_add 1 bob -> non-guests, subscribers of 1, not bob",
				"subscription/peer_add 3 bob -> non-guests, subscribers of 3, not bob ann",
				"subscription/peer_add 3 ann -> non-guests, subscribers of 3, not bob ann",
			},
			notices: []string{
				"user 5: @**ANN** subscribed you to the stream #**beta**.",
				"stream 3 > stream events: Stream created by @_**ANN|4**. (read by 4)",
			},
		},
		{
			name: "people join a private stream", who: "ann",
			before: func(t *testing.T, w *world) {
				t.Helper()
				w.subscribe(t, "ann", private(wanted("vault")))
				w.subscribe(t, "ann", wanted("beta"))
			},
			request: func(w *world) subscription.Request { return w.with(wanted("vault", "beta"), "guest", "admin", "robot") },
			answer: subscription.Answer{Subscribed: map[string][]string{
				"guest@acme.example": {"vault", "beta"}, "admin@acme.example": {"vault", "beta"}, "robot@acme.example": {"vault", "beta"},
			}},
			events: []string{
				"stream/create vault -> guest robot",
				"subscription/add vault[admin ann guest robot] beta[admin ann guest robot] -> guest; +guest@1 +guest@2",
				"subscription/add vault[admin ann guest robot] beta[admin ann guest robot] -> admin; +admin@1 +admin@2",
				"subscription/add vault[admin ann guest robot] beta[admin ann guest robot] -> robot; +robot@1 +robot@2",
				"subscription/peer_add 1 guest -> admins, subscribers of 1, not guest admin robot",
				"subscription/peer_add 1 admin -> admins, subscribers of 1, not guest admin robot",
				"subscription/peer_add 1 robot -> admins, subscribers of 1, not guest admin robot",
				"subscription/peer_add 2 guest -> non-guests, subscribers of 2, not guest admin robot",
				"subscription/peer_add 2 admin -> non-guests, subscribers of 2, not guest admin robot",
				"subscription/peer_add 2 robot -> non-guests, subscribers of 2, not guest admin robot",
			},
			notices: []string{
				"user 6: @**ANN** subscribed you to the following streams:\n\n* #**beta**\n* #**vault**",
				"user 3: @**ANN** subscribed you to the following streams:\n\n* #**beta**\n* #**vault**",
			},
		},
		{
			name: "a stream that everybody left", who: "robot",
			before: func(t *testing.T, w *world) {
				t.Helper()
				w.subscribe(t, "ann", wanted("beta"))
				w.unsubscribe(t, "ann", "beta")
			},
			request: func(*world) subscription.Request { return wanted("beta") },
			answer:  subscription.Answer{Subscribed: map[string][]string{"robot@acme.example": {"beta"}}},
			events: []string{
				"stream/occupy beta -> non-guests",
				"subscription/add beta[robot] -> robot; +robot@1",
				"subscription/peer_add 1 robot -> non-guests, subscribers of 1, not robot",
			},
		},
		{
			name: "nothing new", who: "ann",
			before: func(t *testing.T, w *world) {
				t.Helper()
				w.subscribe(t, "ann", wanted("beta"))
			},
			request: func(*world) subscription.Request { return wanted("beta") },
			answer:  subscription.Answer{Already: map[string][]string{"ann@acme.example": {"beta"}}},
		},
		{
			name: "nothing asked for", who: "ann",
			request: func(*world) subscription.Request { return wanted() },
		},
		{
			name: "what can't be joined is left out", who: "admin",
			before: func(t *testing.T, w *world) {
				t.Helper()
				w.subscribe(t, "ann", private(wanted("vault")))
			},
			request: func(*world) subscription.Request {
				r := wanted("VAULT", "beta")
				r.LeaveOut = true
				return r
			},
			answer: subscription.Answer{
				Subscribed:   map[string][]string{"admin@acme.example": {"beta"}},
				Unauthorized: []string{"vault"},
			},
			events: []string{
				"stream/create beta -> non-guests",
				"stream/occupy beta -> non-guests",
				"subscription/add beta[admin] -> admin; +admin@2",
				"subscription/peer_add 2 admin -> non-guests, subscribers of 2, not admin",
			},
			notices: []string{"stream 2 > stream events: Stream created by @_**ADMIN|3**. (read by 3)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if test.before != nil {
				test.before(t, w)
			}
			w.events(t)
			w.notices.said = nil
			got := w.subscribe(t, test.who, test.request(w))
			if test.answer.Subscribed == nil {
				test.answer.Subscribed = map[string][]string{}
			}
			if test.answer.Already == nil {
				test.answer.Already = map[string][]string{}
			}
			if test.answer.Unauthorized == nil {
				test.answer.Unauthorized = []string{}
			}
			test.answer.Removed, test.answer.NotRemoved = []string{}, []string{}
			same(t, "answer", test.answer, got)
			same(t, "events", append([]string{}, test.events...), w.events(t))
			same(t, "notices", test.notices, w.notices.said)
		})
	}
}

func TestSubscribeRefuses(t *testing.T) {
	t.Parallel()
	days := int32(7)
	unknown := func(p subscription.Principals) subscription.Request {
		r := wanted("beta")
		r.Principals = p
		return r
	}
	for _, test := range []struct {
		name    string
		org     func(*org.Settings)
		who     string
		request func(w *world) subscription.Request
		want    error
		msg     string
	}{
		{"blank name", nil, "ann", func(*world) subscription.Request { return wanted("beta", "  ") }, stream.ErrInvalidName, "Invalid stream name ''"},
		{"long name", nil, "ann", func(*world) subscription.Request { return wanted(strings.Repeat("ä", 61)) }, stream.ErrLongName, "Stream name too long (limit: 60 characters)."},
		{"null in name", nil, "ann", func(*world) subscription.Request { return wanted("a\x00b") }, stream.ErrNullInName, "Stream name 'a\x00b' contains NULL (0x00) characters."},
		{
			"members may not create", func(s *org.Settings) { s.CreateStreamPolicy = permit.ByAdmins }, "ann",
			func(*world) subscription.Request { return wanted("beta") }, subscription.ErrCreate, "User cannot create streams.",
		},
		{
			"creating comes before joining", func(s *org.Settings) { s.CreateStreamPolicy = permit.ByAdmins }, "ann",
			func(*world) subscription.Request { return wanted("vault", "beta") }, subscription.ErrCreate, "User cannot create streams.",
		},
		{"retention by an administrator", nil, "admin", func(*world) subscription.Request {
			r := wanted("beta")
			r.New.RetentionDays = &days
			return r
		}, subscription.ErrCreateSettings, "User cannot create stream with this settings."},
		{"private, and not in it", nil, "ann", func(*world) subscription.Request { return wanted("beta", "vault") }, subscription.ErrNoAccess, "Unable to access stream (Vault)."},
		{"private, and administrator", nil, "admin", func(*world) subscription.Request { return wanted("vault") }, subscription.ErrNoAccess, "Unable to access stream (Vault)."},
		{
			"others, for administrators only", func(s *org.Settings) { s.InviteToStreamPolicy = permit.ByAdmins }, "ann",
			func(w *world) subscription.Request { return w.with(wanted("beta"), "ann") },
			subscription.ErrOthersAdmins, "Only administrators can modify other users' subscriptions.",
		},
		{
			"others, for full members only", func(s *org.Settings) {
				s.InviteToStreamPolicy, s.WaitingPeriodThreshold = permit.ByFullMembers, 101
			}, "ann",
			func(w *world) subscription.Request { return w.with(wanted("beta"), "bob") },
			subscription.ErrOthersTooNew, "Your account is too new to modify other users' subscriptions.",
		},
		{"unknown id", nil, "ann", func(w *world) subscription.Request {
			return unknown(subscription.Principals{IDs: append(w.principals("bob").IDs, 999)})
		}, subscription.ErrPrincipal, "User not authorized to execute queries on behalf of '999'"},
		{"account of another organization", nil, "ann", func(w *world) subscription.Request {
			return unknown(w.principals("stranger"))
		}, subscription.ErrPrincipal, ""},
		{"unknown address", nil, "ann", func(*world) subscription.Request {
			return unknown(subscription.Principals{Emails: []string{"ANN@acme.example", "x@acme.example"}})
		}, subscription.ErrPrincipal, "User not authorized to execute queries on behalf of 'x@acme.example'"},
		{"the server's own bot", nil, "ann", func(*world) subscription.Request {
			return unknown(subscription.Principals{Emails: []string{"notification-bot@chat.example"}})
		}, subscription.ErrPrincipal, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.org)
			w.subscribe(t, "owner", private(wanted("Vault")))
			w.addStranger(t)
			w.events(t)
			w.notices.said = nil
			_, err := w.service.Subscribe(t.Context(), w.actor(test.who), test.request(w))
			if !errors.Is(err, test.want) || test.msg != "" && err.Error() != test.msg {
				t.Errorf("got the error %v, want %v", err, test.msg)
			}
			same(t, "events", []string{}, w.events(t))
			same(t, "notices", []string(nil), w.notices.said)
		})
	}
}

// addStranger creates an account in another organization.
func (w *world) addStranger(t *testing.T) {
	t.Helper()
	own := w.org
	w.org = w.newOrg(t, "other", nil)
	w.join(t, "stranger", actor.Member, actor.Human)
	w.org = own
}

func TestSubscribeStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", private(wanted("vault")))
	own := w.org
	w.org = w.newOrg(t, "other", nil)
	w.join(t, "stranger", actor.Member, actor.Human)
	got := w.subscribe(t, "stranger", wanted("vault"))
	same(t, "answer", map[string][]string{"stranger@acme.example": {"vault"}}, got.Subscribed)
	if row := w.row(t, "vault"); row.InviteOnly || row.OrgID == own.ID {
		t.Errorf("the other organization's stream is %+v", row)
	}
}

// Whoever is being deactivated joins no stream anymore: other subscribers would see them in it, since the event that says
// that they are gone comes first. A stream that is made for them isn't made.
func TestDeactivatedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		join func(ctx context.Context, w *world, beta id.Stream) error
		want error
	}{
		"by the owner": {func(ctx context.Context, w *world, _ id.Stream) error {
			_, err := w.service.Subscribe(ctx, w.actor("owner"), w.with(wanted("beta", "new"), "ann"))
			return err
		}, subscription.ErrPrincipal},
		"alone": {func(ctx context.Context, w *world, _ id.Stream) error {
			_, err := w.service.Subscribe(ctx, w.actor("ann"), wanted("beta", "new"))
			return err
		}, fault.ErrUserDeactivated},
		"by an invitation": {func(ctx context.Context, w *world, beta id.Stream) error {
			return w.service.Join(ctx, w.org.ID, w.users["ann"].ID, []id.Stream{beta})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "owner", wanted("beta"))
			beta, done := w.row(t, "beta").StreamID, make(chan error, 1)
			w.write(t, func(tx *store.Tx) error {
				_, err := user.Update(t.Context(), tx, w.org, w.users["ann"].ID, user.Change{Active: new(false)})
				go func() { done <- test.join(t.Context(), w, beta) }()
				w.sql.AwaitBlocked(1)
				return err
			})
			if err := <-done; !errors.Is(err, test.want) {
				t.Errorf("joining returns %v, want %v", err, test.want)
			}
			own, _ := w.streamsOf(t, "ann")
			same(t, "streams", []string(nil), own)
			same(t, "new streams", []int64{0}, storetest.Values[int64](w.sql, `select count(*) from streams where name = 'new'`))
		})
	}
}

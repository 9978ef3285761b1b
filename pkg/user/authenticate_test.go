package user_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

var _ endpoint.Authenticator = (*user.Authenticator)(nil)

const (
	acmeHost  = "acme.chat.example"
	otherHost = "other.chat.example"
)

func (s *server) authenticator() *user.Authenticator {
	return user.NewAuthenticator(s.db, s.config, s.clock.Now, slog.New(slog.DiscardHandler))
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	_, otherKey := s.person(s.other, "ada", actor.Member)
	_, goneKey := s.person(s.acme, "gone", actor.Member)
	closed, err := s.orgs.Create(t.Context(), org.Draft{Subdomain: "closed", Name: "Closed", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, closedKey := s.person(closed, "ada", actor.Member)
	s.exec("update users set active = false where full_name = 'gone Test'")
	s.exec("update organizations set deactivated = true where subdomain = 'closed'")
	unknown := strings.Repeat("x", 32)

	for name, c := range map[string]struct {
		host, email, key string
		want             error
	}{
		"right":                          {acmeHost, "ada@corp.example", key, nil},
		"letter case, white space, port": {"ACME.Chat.Example:8443", " ADA@corp.example ", key, nil},
		"unknown key":                    {acmeHost, "ada@corp.example", unknown, fault.ErrInvalidKey},
		"another's address":              {acmeHost, "gone@corp.example", key, fault.ErrInvalidKey},
		"no address":                     {acmeHost, "", unknown, fault.ErrInvalidKey},
		"deactivated organization":       {"closed.chat.example", "ada@corp.example", closedKey, fault.ErrOrgDeactivated},
		"deactivated account":            {acmeHost, "gone@corp.example", goneKey, fault.ErrUserDeactivated},
		"another organization's host":    {otherHost, "ada@corp.example", key, fault.ErrWrongSubdomain},
		"another organization's key":     {acmeHost, "ada@corp.example", otherKey, fault.ErrWrongSubdomain},
		"the root domain":                {"chat.example", "ada@corp.example", key, fault.ErrWrongSubdomain},
		// In the order of the table in rest-api.md, section 1.4.
		"address before deactivation": {acmeHost, "ada@corp.example", goneKey, fault.ErrInvalidKey},
		"deactivation before host":    {otherHost, "gone@corp.example", goneKey, fault.ErrUserDeactivated},
	} {
		a := s.authenticator()
		for _, attempt := range []string{"asked", "remembered"} {
			who, err := a.Authenticate(t.Context(), c.host, c.email, c.key)
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v", name, attempt, err, c.want)
			}
			if (err == nil) != (who.User != 0) || (err == nil) != (who.Org() != 0) {
				t.Errorf("%s, %s: error %v with the caller %+v", name, attempt, err, who)
			}
			if strings.HasPrefix(name, "address") || strings.HasPrefix(name, "another's") || strings.HasPrefix(name, "no a") {
				continue // the address isn't used here
			}
			if _, err := a.AuthenticateKey(t.Context(), c.host, c.key); !errors.Is(err, c.want) {
				t.Errorf("%s, %s, key alone: %v, want %v", name, attempt, err, c.want)
			}
		}
	}
}

func TestAuthenticateReturnsWholeActor(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) {
		o.EmailAddressVisibility = org.EmailsForAdmins
		o.WaitingPeriodThreshold = 3
		o.PrivateMessagePolicy = 2
	})
	owner, key := s.person(s.acme, "ada", actor.Administrator)
	s.clock.Advance(time.Hour)
	bot, botKey := s.bot(s.acme, "echo", owner.ID)
	a := s.authenticator()
	same := cmp.Options{cmp.AllowUnexported(actor.Actor{}), cmpopts.EquateApproxTime(0)}
	sending := actor.Sending{OrgURL: "https://acme.chat.example", Previews: true, PrivateDisabled: true}

	who, err := a.Authenticate(t.Context(), acmeHost, "ada@corp.example", key)
	if err != nil {
		t.Fatal(err)
	}
	want := actor.New(s.acme.ID, actor.Actor{
		User: owner.ID, Role: actor.Administrator, FullName: "ada Test",
		Email: "user" + number(owner.ID) + "@chat.example", RealEmail: "ada@corp.example", Joined: start, Subdomain: "acme",
		AvatarURL: "/avatar/" + number(owner.ID) + "?v=1", WaitingPeriod: 72 * time.Hour, Sending: sending,
		Key: user.HashKey(key),
	})
	if diff := cmp.Diff(want, who, same); diff != "" {
		t.Errorf("person (-want +got):\n%s", diff)
	}
	who, err = a.AuthenticateKey(t.Context(), acmeHost, botKey)
	if err != nil {
		t.Fatal(err)
	}
	want = actor.New(s.acme.ID, actor.Actor{
		User: bot.ID, Role: actor.Member, Bot: actor.GenericBot, BotOwner: owner.ID, OwnerRole: actor.Administrator,
		FullName: "echo Bot", Email: "echo-bot@chat.example", RealEmail: "echo-bot@chat.example",
		Joined: start.Add(time.Hour), OwnerJoined: start, Subdomain: "acme",
		AvatarURL: "/avatar/" + number(bot.ID) + "?v=1", WaitingPeriod: 72 * time.Hour, Sending: sending,
		Key: user.HashKey(botKey),
	})
	if diff := cmp.Diff(want, who, same); diff != "" {
		t.Errorf("bot (-want +got):\n%s", diff)
	}

	// A bot without an active owner has no owner. A zero role must never count as an owner's rights.
	s.exec("update users set active = false where user_id = $1", owner.ID)
	who, err = s.authenticator().AuthenticateKey(t.Context(), acmeHost, botKey)
	if err != nil {
		t.Fatal(err)
	}
	if who.BotOwner != 0 || who.OwnerRole != 0 {
		t.Errorf("owner %d with role %d of a bot whose owner is deactivated", who.BotOwner, who.OwnerRole)
	}
}

func TestRevokedKeyWorksThreeSecondsLonger(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	try := func(want error) {
		t.Helper()
		if _, err := a.AuthenticateKey(t.Context(), acmeHost, key); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	try(nil)
	renewed := ""
	s.write(s.acme, func(tx *store.Tx) error {
		rotation, err := s.users.Rotate(t.Context(), tx, ada.ID, "", 0)
		renewed = rotation.Key
		return err
	})
	s.clock.Advance(3*time.Second - 1)
	try(nil)
	s.clock.Advance(1)
	try(fault.ErrInvalidKey)
	if _, err := a.AuthenticateKey(t.Context(), acmeHost, renewed); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

// Who has changed something needn't wait until it takes effect.
func TestRefresh(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, adas := s.person(s.acme, "ada", actor.Member)
	_, bobs := s.person(s.acme, "bob", actor.Member)
	a := s.authenticator()
	try := func(key string, want actor.Role) {
		t.Helper()
		if got, err := a.AuthenticateKey(t.Context(), acmeHost, key); err != nil || got.Role != want {
			t.Errorf("role %d, want %d: %v", got.Role, want, err)
		}
	}
	a.Refresh(t.Context(), s.clock.Now())
	try(adas, actor.Member)
	try(bobs, actor.Member)
	began := s.clock.Now()
	s.exec(fmt.Sprintf("update users set role = 600 where user_id = %d", ada.ID))
	try(adas, actor.Member)
	a.Refresh(t.Context(), began)
	try(adas, actor.Guest)
	try(bobs, actor.Member)

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	s.exec(fmt.Sprintf("update users set role = 400 where user_id = %d", ada.ID))
	a.Refresh(canceled, began)
	try(adas, actor.Guest)
}

// A connection's caller is the same no longer than a new connection's would be.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	ada, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	follow := func() (actor.Actor, func() bool) {
		t.Helper()
		who, err := a.AuthenticateKey(t.Context(), acmeHost, key)
		if err != nil {
			t.Fatal(err)
		}
		same := a.Follow(who, key)
		if same == nil || !same() {
			t.Fatal("the caller isn't the same at once")
		}
		return who, same
	}
	who, same := follow()
	s.clock.Advance(3*time.Second - 1)
	if !same() {
		t.Error("the caller is forgotten early")
	}
	s.clock.Advance(1)
	if same() {
		t.Error("the caller is the same although the key would be read again")
	}
	promoted := who
	promoted.Role = actor.Owner
	if a.Follow(promoted, key) != nil || a.Follow(who, "another") != nil {
		t.Error("another caller, or another key, is followed")
	}
	_, same = follow()
	if a.Forget(who); same() || a.Follow(who, key) != nil {
		t.Error("a forgotten caller is followed")
	}
	s.write(s.acme, func(tx *store.Tx) error {
		_, err := s.users.Rotate(t.Context(), tx, ada.ID, "", time.Second)
		return err
	})
	_, same = follow()
	s.clock.Advance(time.Second)
	if same() {
		t.Error("the caller is the same although the replaced key has ended")
	}
	if _, err := a.Authenticate(t.Context(), acmeHost, ada.RealEmail, key); !errors.Is(err, fault.ErrInvalidKey) {
		t.Errorf("the replaced key: %v", err)
	}
}

// Clients learn of a new address before caches do.
func TestNewAddressWorksAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	try := func(email string, want error) {
		t.Helper()
		if _, err := a.Authenticate(t.Context(), acmeHost, email, key); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", email, err, want)
		}
	}
	try("ada@corp.example", nil)
	s.exec("update users set email = 'new@corp.example' where full_name = 'ada Test'")
	s.clock.Advance(time.Second)
	try("new@corp.example", nil)
	try("ada@corp.example", fault.ErrInvalidKey)
}

// Concurrent callers with one key cause one query, and a caller that leaves doesn't break it for the others.
func TestConcurrentMissesAreOneQuery(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	holder, observer := storetest.Connect(t, s.url), storetest.Connect(t, s.url)
	holder.Exec("begin")
	holder.Exec("lock table users in access exclusive mode")
	waiting := func() int64 {
		return storetest.Values[int64](observer, `select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock' and query like '%name: Authenticate %'`)[0]
	}
	group := sync.WaitGroup{}
	failed := make(chan error, 40)
	for range cap(failed) {
		group.Go(func() {
			if _, err := a.AuthenticateKey(t.Context(), acmeHost, key); err != nil {
				failed <- err
			}
		})
	}
	testbed.Until(t, "a query waits", func() bool { return waiting() > 0 })
	time.Sleep(50 * time.Millisecond) // until the others have called
	if n := waiting(); n != 1 {
		t.Errorf("%d queries, want 1", n)
	}
	holder.Exec("rollback")
	group.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
}

// Failures of the database aren't cached.
func TestFailureIsNotRemembered(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	s.exec("alter function authenticate(bytea) rename to gone")
	if _, err := a.AuthenticateKey(t.Context(), acmeHost, key); err == nil || fault.Of(err) != nil {
		t.Errorf("without the function: %v", err)
	}
	s.exec("alter function gone(bytea) rename to authenticate")
	if _, err := a.AuthenticateKey(t.Context(), acmeHost, key); err != nil {
		t.Errorf("with it again: %v", err)
	}
}

func TestRememberedCallerCostsNothing(t *testing.T) {
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	a := s.authenticator()
	ctx := t.Context()
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := a.Authenticate(ctx, "acme.chat.example:8443", "Ada@corp.example", key); err != nil {
			t.Error(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkAuthenticateRemembered(b *testing.B) {
	db := storetest.Open(b)
	config := org.Config{ExternalHost: "chat.example"}
	clock := testbed.NewClock(start)
	orgs := org.New(db, config, clock.Now)
	users := user.New(db, orgs, clock.Now)
	key := ""
	_, err := orgs.Create(b.Context(), org.Draft{Name: "Bench", Settings: org.Defaults()}, func(tx *store.Tx, o org.Org) (err error) {
		_, key, err = users.Create(b.Context(), tx, o, user.Draft{RealEmail: "a@b.example", FullName: "Ada", Role: actor.Member})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	a := user.NewAuthenticator(db, config, clock.Now, slog.New(slog.DiscardHandler))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Authenticate(b.Context(), "chat.example", "a@b.example", key); err != nil {
			b.Fatal(err)
		}
	}
}

func number(u id.User) string { return strconv.FormatInt(int64(u), 10) }

// TestAuthenticatorWatches checks that cached entries are used as long as the database reports no change, and that
// every kind of change takes effect soon.
func TestAuthenticatorWatches(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(*org.Settings) {})
	a := user.NewAuthenticator(s.db, s.config, time.Now, slog.New(slog.DiscardHandler))
	person, personKey := s.person(s.acme, "Ann", actor.Member)
	bot, botKey := s.bot(s.acme, "Helper", person.ID)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Watch(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	ask := func(key string) (actor.Actor, error) { return a.AuthenticateKey(ctx, "acme.chat.example", key) }
	for _, key := range []string{personKey, botKey} {
		if _, err := ask(key); err != nil {
			t.Fatal(err)
		}
	}
	s.exec("update users set role = 200 where user_id = $1", person.ID)
	testbed.Until(t, "a role shows", func() bool { who, err := ask(personKey); return err == nil && who.Role == actor.Administrator })
	testbed.Until(t, "the role of a bot's owner shows", func() bool { who, err := ask(botKey); return err == nil && who.OwnerRole == actor.Administrator })
	s.exec("update organizations set settings = '{\"waiting_period_threshold\": 7}'")
	testbed.Until(t, "a setting shows", func() bool { who, err := ask(personKey); return err == nil && who.WaitingPeriod == 7*24*time.Hour })
	s.exec("update users set active = false where user_id = $1", person.ID)
	testbed.Until(t, "a deactivation shows", func() bool { _, err := ask(personKey); return errors.Is(err, fault.ErrUserDeactivated) })
	testbed.Until(t, "the owner's deactivation shows", func() bool { who, err := ask(botKey); return err == nil && who.BotOwner == 0 })
	s.exec("update users set api_key_hash = null where user_id = $1", bot.ID)
	testbed.Until(t, "a revoked key shows", func() bool { _, err := ask(botKey); return errors.Is(err, fault.ErrInvalidKey) })
}

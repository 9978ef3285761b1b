// Package servicetest runs the whole server in a test's process: the endpoints of all
// services on a real PostgreSQL and a real Redis, organizations, accounts, and clients that call.
package servicetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/push"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/web"
	"chatserver.dev/services/webhook"
)

// Host is the server's root domain.
const Host = "chat.example"

// PushKey is the private key that identifies the server to push services (RFC 8292).
const PushKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"

// World is a server with one organization, at the root domain.
type World struct {
	T           testing.TB
	DB          *store.DB
	DatabaseURL string // a superuser's
	RedisURL    string
	Redis       *queue.Redis
	domain.Domain
	Presence  *presence.Store
	Events    *events.Service
	Org       org.Org
	Endpoints []endpoint.Endpoint // of all services
	Handler   http.Handler        // serves them
	Logger    *slog.Logger
	// Failed, if set, is called as [endpoint.Config.Failed] is.
	Failed func(e endpoint.Endpoint, f *fault.Fault, handled bool)
	// PollsStay keeps the polls of replicas that start later in package http's server, as LONG_POLLS=nethttp does.
	PollsStay bool
	// PollsParsed makes replicas that start later parse each poll completely, as LONG_POLLS=parsed does.
	PollsParsed bool
	// Pages serves the pages outside of the interface.
	Pages http.Handler
	// EndEvents stops Events before the end of the test; replicas continue.
	EndEvents func()

	emails   int
	accounts *user.Authenticator
	stopped  atomic.Pointer[time.Time] // the time of accounts; nil: it isn't stopped
	failed   func(e endpoint.Endpoint, f *fault.Fault, handled bool)
}

// Unlimited allows every call.
type Unlimited struct{}

// Allow allows every call.
func (Unlimited) Allow(context.Context, id.User, time.Time) limit.Decision {
	return limit.Decision{Allowed: true}
}

// New starts a server that is stopped at the end of the test. methods are its ways to sign in besides passwords.
func New(t testing.TB, methods ...org.Method) *World {
	t.Helper()
	w := &World{T: t, RedisURL: testbed.Redis(t), Logger: testbed.Logger(t)}
	client, err := queue.Connect(queue.Config{URL: w.RedisURL})
	w.must(err)
	w.Redis = queue.New(client)
	waker := queue.NewWaker(client, nil, w.Logger)
	w.DB, w.DatabaseURL = storetest.OpenWaking(t, waker)
	config := org.Config{ExternalHost: Host, ExternalScheme: "https", MailIn: "*@in.chat.example", JitsiServerURL: "https://calls.example/jitsi", Methods: methods}
	w.Presence = presence.NewStore(client)
	images, err := imagelink.New(t.Context(), w.DB.ImageKeys, time.Now)
	w.must(err)
	orgs := org.New(w.DB, config, time.Now)
	tries := func(name string, calls int) *limit.Tries {
		return limit.NewTries(client, name, limit.Rule{Calls: calls, Window: 30 * time.Minute})
	}
	logins := login.New(login.Deps{
		DB: w.DB, Orgs: orgs, Hasher: password.NewHasher(2, 100), Now: time.Now, Logger: w.Logger,
		Accounts: tries("account", 5), All: tries("all", 100), Networks: tries("network", 100), KnownNetworks: limit.NewKnownNetworks(client, time.Now),
		Requests: tries("mail", 2), RequestsADay: tries("mail a day", 5), RequestsFrom: tries("mail from", 20), Mail: true,
	})
	blobs, err := blob.OpenFolder(t.TempDir())
	w.must(err)
	keys, err := keyring.New(t.Context(), w.DB.ImageKeys, time.Now)
	w.must(err)
	w.Domain = domain.New(domain.Deps{
		DB: w.DB, Blobs: blobs, Keys: keys, Orgs: orgs, Logins: logins, Throttle: limit.NewThrottle(client), Presence: w.Presence, Images: images, Mail: true, Push: push.Config{Key: PushKey, Content: true}, Now: time.Now, Logger: w.Logger,
	})
	w.Events = w.eventsOn(w.Redis)
	w.Endpoints = slices.Concat(api.Endpoints(w.Domain, "0.0.0"), w.Events.Endpoints(), webhook.Endpoints(w.Messages))
	declared := Declared(t)
	w.failed = func(e endpoint.Endpoint, f *fault.Fault, handled bool) {
		declared(e, f, handled)
		if w.Failed != nil {
			w.Failed(e, f, handled)
		}
	}
	w.accounts = user.NewAuthenticator(w.DB, config, w.accountsNow, w.Logger)
	w.Handler = w.router(w.Endpoints, nil)
	pages := http.NewServeMux()
	for route, page := range api.Pages(w.Domain, web.Config{Enabled: true}, w.accounts, time.Now, w.Logger) {
		pages.Handle(route, page)
	}
	w.Pages = pages
	w.Org, err = w.Orgs.Create(t.Context(), org.Draft{Name: "Plant", Settings: org.Defaults()}, nil)
	w.must(err)

	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	dispatching, endEvents := context.WithCancel(ctx)
	waking, running := sync.WaitGroup{}, sync.WaitGroup{}
	waking.Go(func() { _ = waker.Run(ctx) })
	running.Go(func() {
		if err := w.Events.Run(dispatching); err != nil && !errors.Is(err, context.Canceled) { // a test may end before it has begun
			t.Errorf("events service: %v", err)
		}
	})
	w.EndEvents = func() { endEvents(); running.Wait() }
	t.Cleanup(func() {
		w.EndEvents()
		cancel()
		waking.Wait()
		_ = client.Close()
	})
	return w
}

// eventsOn returns an events service of the world.
func (w *World) eventsOn(redis *queue.Redis) *events.Service {
	initial := state.New(state.Deps{Orgs: w.Orgs, Users: w.Users, Subscriptions: w.Subscriptions, Statuses: w.Statuses, Uploads: true, Webhooks: webhook.Names(), Now: time.Now})
	service, err := events.New(events.Deps{
		DB: w.DB, Redis: redis, State: initial, Config: events.Config{Config: dispatch.Config{LogKeep: 24 * time.Hour}, QueuesPerAccount: 100},
		Version: "0.0.0", Meter: noop.Meter{}, Now: time.Now, Logger: w.Logger,
	})
	w.must(err)
	return service
}

func (w *World) must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Resume continues changes that nobody works on, as api does after a while.
func (w *World) Resume() {
	w.T.Helper()
	sql := storetest.Connect(w.T, w.DatabaseURL)
	sql.Exec("update changes set due_at = now() - interval '1 second'")
	runner := steps.NewRunner(w.DB, time.Now, func(context.Context, string) { w.T.Error("a step failed") }, w.Logger, w.Kinds()...)
	due, err := runner.Due(w.T.Context())
	for ; len(due) > 0; due, err = runner.Due(w.T.Context()) {
		for _, change := range due {
			runner.Continue(w.T.Context(), change)
		}
	}
	if err != nil {
		w.T.Fatal(err)
	}
	if left := storetest.Values[int64](sql, "select count(*) from changes")[0]; left != 0 {
		w.T.Errorf("%d changes are left", left)
	}
}

// Interrupt calls do while nobody can be subscribed to a stream, so that new accounts stay incomplete, and then does what
// [World.Resume] does.
func (w *World) Interrupt(do func()) {
	w.T.Helper()
	sql := storetest.Connect(w.T, w.DatabaseURL)
	sql.Exec("create function fail() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$")
	sql.Exec("create trigger fail before insert on subscriptions for each row execute function fail()")
	do()
	sql.Exec("drop trigger fail on subscriptions")
	sql.Exec("drop function fail")
	w.Resume()
}

// Parked waits until the number of waiting polls is polls.
func (w *World) Parked(polls int) {
	w.T.Helper()
	testbed.Until(w.T, fmt.Sprintf("%d polls wait", polls), func() bool { return w.Events.Waiting() == polls })
}

// WatchAccounts notifies the events service of changed accounts, within about a second. It returns when the service knows of all
// changes so far.
func (w *World) WatchAccounts() {
	w.T.Helper()
	storetest.Connect(w.T, w.DatabaseURL).Exec("update users set changed_at = clock_timestamp() where system") // at least one has changed
	known := make(chan struct{})
	knows := sync.OnceFunc(func() { close(known) })
	w.accounts.OnChange(func(users map[id.User]bool, orgs map[id.Org]bool) {
		w.Events.Recheck(users, orgs)
		knows()
	})
	ctx, cancel := context.WithCancel(w.T.Context())
	watching := sync.WaitGroup{}
	watching.Go(func() { _ = w.accounts.Watch(ctx) })
	w.T.Cleanup(func() { cancel(); watching.Wait() })
	<-known
}

// Forget makes the server look up accounts again that it remembers for seconds, after a change of their rights.
func (w *World) Forget(accounts ...Account) {
	for _, a := range accounts {
		w.accounts.Forget(actor.Actor{Key: sha256.Sum256([]byte(a.Key))})
	}
}

// Remember makes the server remember accounts as it knows them, as a process does for a second or three after another one has
// changed them. It is for tests of what accounts can do that have just lost a right.
func (w *World) Remember() {
	now := time.Now()
	w.stopped.Store(&now)
}

// remembering is a world's authenticator, which doesn't notice changes after [World.Remember].
type remembering struct {
	*user.Authenticator
	w *World
}

// Refresh implements [endpoint.Refresher].
func (r remembering) Refresh(ctx context.Context, since time.Time) {
	if r.w.stopped.Load() == nil {
		r.Authenticator.Refresh(ctx, since)
	}
}

func (w *World) accountsNow() time.Time {
	if at := w.stopped.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// NewOrg creates another organization, at a subdomain.
func (w *World) NewOrg(subdomain string) org.Org {
	w.T.Helper()
	made, err := w.Orgs.Create(w.T.Context(), org.Draft{Subdomain: subdomain, Name: subdomain, Settings: org.Defaults()}, nil)
	w.must(err)
	return made
}

// Account is an account as a client.
type Account struct {
	user.User
	Key string
	Org org.Org
	// UserAgent is the User-Agent of the client; empty: Test/1.0.
	UserAgent string
	// IdempotencyKey is the header of that name in requests; empty: none.
	IdempotencyKey string
	world          *World
	handler        http.Handler // nil: the world's
}

// Existing returns an account that was created by other means, in its current state.
func (w *World) Existing(o org.Org, number id.User, key string) Account {
	w.T.Helper()
	a := Account{Key: key, Org: o, world: w}
	w.must(w.DB.Read(w.T.Context(), o.ID, func(tx *store.Tx) (err error) {
		a.User, err = user.ByID(w.T.Context(), tx, number)
		return err
	}))
	return a
}

// Person creates a person's account in the first organization.
func (w *World) Person(name string, role actor.Role) Account {
	w.T.Helper()
	return w.Account(w.Org, user.Draft{FullName: name, Role: role})
}

// Bot creates a bot in the first organization.
func (w *World) Bot(name string, kind actor.BotType, owner Account) Account {
	w.T.Helper()
	return w.Account(w.Org, user.Draft{FullName: name, Role: actor.Member, Bot: kind, Owner: owner.ID})
}

// Account creates an account in any organization. If the draft has no address, one is generated.
func (w *World) Account(o org.Org, draft user.Draft) Account {
	w.T.Helper()
	if draft.RealEmail == "" {
		w.emails++
		draft.RealEmail = slug(draft.FullName) + "@" + Host
	}
	a := Account{Org: o, world: w}
	w.must(w.DB.Write(w.T.Context(), o.ID, func(tx *store.Tx) (err error) {
		a.User, a.Key, err = w.Users.Create(w.T.Context(), tx, o, draft)
		return err
	}))
	return a
}

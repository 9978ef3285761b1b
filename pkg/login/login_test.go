package login_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

const (
	host    = "acme.chat.example"
	correct = "correct horse battery"
	better  = "better horse battery!"
)

type world struct {
	t      *testing.T
	db     *store.DB
	url    string // of the database, as a superuser
	redis  *redis.Client
	orgs   *org.Service
	users  *user.Service
	acme   org.Org
	hasher *password.Hasher
	keys   *user.Authenticator
	logins *login.Service
	ada    user.User
	adaKey string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}
	w := &world{t: t, hasher: password.NewHasher(1, 100)}
	w.db, w.url = storetest.OpenURL(t)
	w.orgs = org.New(w.db, config, time.Now)
	w.users = user.New(w.db, w.orgs, time.Now)
	w.keys = user.NewAuthenticator(w.db, config, time.Now, slog.New(slog.DiscardHandler))
	options, err := redis.ParseURL(testbed.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	w.redis = redis.NewClient(options)
	t.Cleanup(func() { _ = w.redis.Close() })
	w.logins = login.New(login.Deps{
		DB: w.db, Orgs: w.orgs, Hasher: w.hasher, Accounts: w.tries("account", 5), All: w.tries("all", 30), Networks: w.tries("network", 8),
		KnownNetworks: limit.NewKnownNetworks(w.redis, time.Now), Now: time.Now, Logger: testbed.Logger(t),
	})
	if w.acme, err = w.orgs.Create(t.Context(), org.Draft{Subdomain: "acme", Name: "Acme", Settings: org.Defaults()}, nil); err != nil {
		t.Fatal(err)
	}
	w.ada, w.adaKey = w.person("ada")
	w.set(w.ada)
	return w
}

// tries returns a counter of so few tries a day that no other is allowed during a test.
func (w *world) tries(name string, calls int) *limit.Tries {
	return limit.NewTries(w.redis, name, limit.Rule{Calls: calls, Window: 24 * time.Hour})
}

func (w *world) write(work func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), w.acme.ID, work); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) person(name string) (made user.User, key string) {
	w.t.Helper()
	w.write(func(tx *store.Tx) (err error) {
		made, key, err = w.users.Create(w.t.Context(), tx, w.acme, user.Draft{RealEmail: name + "@corp.example", FullName: name, Role: actor.Member})
		return err
	})
	return made, key
}

// set makes the correct password that of an account.
func (w *world) set(of user.User) {
	w.t.Helper()
	hash, err := w.logins.NewPassword(w.t.Context(), correct)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(func(tx *store.Tx) error { return login.SetPassword(w.t.Context(), tx, of.ID, hash, 0) })
}

// from returns an attempt from a different network for each number.
func from(network int, email, chosen string) login.Attempt {
	return login.Attempt{
		Host: host, Network: netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", network)), Client: "Term", Email: email, Password: chosen,
	}
}

func (w *world) issue(a login.Attempt) login.Issued {
	w.t.Helper()
	issued, err := w.logins.Issue(w.t.Context(), a)
	if err != nil {
		w.t.Fatal(err)
	}
	return issued
}

// refuses fails the test unless the attempt is refused with the fault.
func (w *world) refuses(a login.Attempt, want *fault.Fault) {
	w.t.Helper()
	if issued, err := w.logins.Issue(w.t.Context(), a); !errors.Is(err, want) || issued != (login.Issued{}) {
		w.t.Errorf("%s: %v, want %v", a.Email, err, want)
	}
}

func (w *world) who(key string) (actor.Actor, error) {
	return w.keys.AuthenticateKey(w.t.Context(), host, key)
}

// Each login has its own key, in addition to the account's.
func TestIssue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.issue(from(1, "ada@corp.example", correct))
	two := w.issue(from(1, " ADA@corp.example ", correct))
	if one.Email != "ada@corp.example" || one.Key == two.Key || one.Key == w.adaKey {
		t.Errorf("%+v and %+v", one, two)
	}
	for _, key := range []string{one.Key, two.Key, w.adaKey} {
		who, err := w.who(key)
		if err != nil || who.User != w.ada.ID || (who.Login == 0) != (key == w.adaKey) {
			t.Errorf("%+v, %v", who, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace, _ := w.person("grace") // without a password
	if grace.ID == 0 {
		t.Fatal("no account")
	}
	w.refuses(from(1, "ada@corp.example", "correct horse batterY"), login.ErrIncorrect)
	w.refuses(from(1, "ada@corp.example", ""), login.ErrIncorrect)
	w.refuses(from(1, "grace@corp.example", correct), login.ErrIncorrect)
	w.refuses(from(1, "nobody@corp.example", correct), login.ErrIncorrect)
	w.refuses(from(1, "notification-bot@chat.example", ""), login.ErrIncorrect)
	for _, bad := range []string{"", "ada", "Ada <ada@corp.example>", "ada@corp.example, grace@corp.example", "ada@corp.example\x00"} {
		w.refuses(from(2, bad, correct), login.ErrAddress)
	}
	elsewhere := from(2, "ada@corp.example", correct)
	elsewhere.Host = "nobody.chat.example"
	w.refuses(elsewhere, org.ErrInvalidSubdomain)
}

// The state of an account is revealed only to a caller with the password.
func TestDeactivated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	storetest.Connect(t, w.url).Exec("update users set active = false where user_id = $1", w.ada.ID)
	w.refuses(from(1, "ada@corp.example", "wrong"), login.ErrIncorrect)
	w.refuses(from(1, "ada@corp.example", correct), login.ErrUserDisabled)
}

// Each refusal computes one hash, whatever the reason. If none can be computed, all attempts fail with the same
// error.
func TestRefusalsHash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace, _ := w.person("grace") // without a password
	gone, _ := w.person("gone")
	w.set(gone)
	storetest.Connect(t, w.url).Exec("update users set active = false where user_id = $1", gone.ID)
	deps := w.logins.Deps
	deps.Hasher = password.NewHasher(0, 0)
	w.logins = login.New(deps)
	for _, email := range []string{"ada@corp.example", grace.RealEmail, gone.RealEmail, "nobody@corp.example", "notification-bot@chat.example"} {
		w.refuses(from(1, email, correct), password.ErrBusy)
		w.refuses(from(1, email, "wrong"), password.ErrBusy)
	}
}

// Correct passwords count, too.
func TestAllTriesAtAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deps := w.logins.Deps
	deps.All = w.tries("six", 6)
	w.logins = login.New(deps)
	for range 6 {
		w.issue(from(1, "ada@corp.example", correct))
	}
	w.refuses(from(2, "ada@corp.example", correct), login.ErrTries)
}

// Five wrong passwords block an account, from wherever they come, except where somebody has signed in to it. A correct one before
// that resets the count.
func TestTriesAtAnAccount(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	for range 4 {
		w.refuses(from(1, "ada@corp.example", "wrong"), login.ErrIncorrect)
	}
	w.issue(from(2, "ada@corp.example", correct))
	wrong, tooMany := 0, 0
	mutex, wg := sync.Mutex{}, sync.WaitGroup{}
	for i := range 20 {
		wg.Go(func() {
			_, err := w.logins.Issue(t.Context(), from(10+i, "Ada@corp.example", "wrong"))
			mutex.Lock()
			defer mutex.Unlock()
			switch {
			case errors.Is(err, login.ErrIncorrect):
				wrong++
			case errors.Is(err, login.ErrTries):
				tooMany++
			}
		})
	}
	wg.Wait()
	if wrong != 5 || tooMany != 15 {
		t.Errorf("%d of 20 guesses at once were compared, %d were refused", wrong, tooMany)
	}
	w.refuses(from(40, "ada@corp.example", correct), login.ErrTries)
	w.issue(from(2, "ada@corp.example", correct))
	for range 5 {
		w.refuses(from(2, "ada@corp.example", "wrong"), login.ErrIncorrect)
	}
	w.refuses(from(2, "ada@corp.example", correct), login.ErrTries)
	if f := fault.Of(login.ErrTries.Format(1)); f.Kind != fault.TooMany {
		t.Errorf("%+v", f)
	}
}

// A network that guesses passwords of many accounts is refused. Others aren't.
func TestFailuresOfANetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 8 {
		w.refuses(from(1, fmt.Sprintf("user%d@corp.example", i), "wrong"), login.ErrIncorrect)
	}
	w.refuses(from(1, "ada@corp.example", correct), login.ErrTries)
	w.issue(from(2, "ada@corp.example", correct))
}

// Requests by which an account finds out addresses are counted by their kind.
func TestAddressesOfAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.logins.RequestsFrom = w.tries("mail from", 2)
	ada, bob := actor.New(w.acme.ID, actor.Actor{User: 1}), actor.New(w.acme.ID, actor.Actor{User: 2})
	for _, c := range []struct {
		who    actor.Actor
		kind   string
		passes bool
	}{
		{ada, "mail", true}, {ada, "mail", true}, {ada, "mail", false}, {ada, "own", true}, {bob, "mail", true}, {ada, "own", true}, {ada, "own", false},
	} {
		if err := w.logins.CountAddress(t.Context(), c.who, c.kind); (err == nil) != c.passes || err != nil && !errors.Is(err, login.ErrTries) {
			t.Errorf("%d, %s: %v", c.who.User, c.kind, err)
		}
	}
}

// The number of logins of an account is limited: another one ends the oldest.
func TestMostLogins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.issue(from(1, "ada@corp.example", correct))
	w.write(func(tx *store.Tx) error {
		for i := range login.MaxLogins - 1 {
			hash := user.HashKey(strconv.Itoa(i))
			if err := tx.AddLogin(t.Context(), sqlc.AddLoginParams{UserID: w.ada.ID, KeyHash: hash[:], Client: "Test"}); err != nil {
				return err
			}
		}
		return nil
	})
	if _, err := w.who(first.Key); err != nil {
		t.Fatal(err)
	}
	w.issue(from(1, "ada@corp.example", correct))
	fresh := user.NewAuthenticator(w.db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now, slog.New(slog.DiscardHandler))
	if _, err := fresh.AuthenticateKey(t.Context(), host, first.Key); !errors.Is(err, fault.ErrInvalidKey) {
		t.Errorf("the oldest login: %v", err)
	}
}

// Accounts with this setting get a mail about each login, with the place that it comes from.
func TestNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.url)
	w.logins.Mail = true
	w.issue(from(1, "ada@corp.example", correct)) // the account is new
	sql.Exec("update users set joined_at = now() - interval '2 minutes'")
	w.issue(from(7, "ada@corp.example", correct))
	w.refuses(from(8, "ada@corp.example", "wrong"), login.ErrIncorrect)
	sql.Exec(`update users set settings = '{"enable_login_emails": false}'`)
	w.issue(from(9, "ada@corp.example", correct))
	box := w.send()
	if len(box) != 1 || box[0].To != "ada@corp.example" || !strings.Contains(box[0].Before[1], "Term, from 192.0.2.7, at ") {
		t.Errorf("%+v", box)
	}
}

// Whoever replaces a password can't prevent the mail about it. The first password has none.
func TestPasswordNotice(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.url)
	w.logins.Mail = true
	who, err := w.who(w.issue(from(1, "ada@corp.example", correct)).Key)
	if err != nil {
		t.Fatal(err)
	}
	sql.Exec(`update users set settings = '{"enable_login_emails": false}'`)
	if err := w.logins.ChangePassword(t.Context(), who, correct, better); err != nil {
		t.Fatal(err)
	}
	if box := w.send(); len(box) != 1 || box[0].To != "ada@corp.example" || !strings.HasSuffix(box[0].Subject, " was changed") {
		t.Errorf("%+v", box)
	}
	sql.Exec("delete from passwords")
	if err := w.logins.ChangePassword(t.Context(), who, "", correct); err != nil {
		t.Fatal(err)
	}
	if box := w.send(); len(box) != 0 {
		t.Errorf("the first password: %+v", box)
	}
}

// send sends the queued mails, and returns them.
func (w *world) send() []mail.Letter {
	w.t.Helper()
	box := &postbox{}
	queue := mail.NewQueue(mail.QueueDeps{
		DB: w.db, Transport: box, Kinds: w.logins.Mails(), PerAddress: unlimited{}, PerOrg: unlimited{}, Logger: testbed.Logger(w.t),
	})
	if _, err := queue.Send(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return *box
}

type postbox []mail.Letter

func (p *postbox) Deliver(_ context.Context, l mail.Letter) error {
	*p = append(*p, l)
	return nil
}

type unlimited struct{}

func (unlimited) Count(context.Context, string) (time.Duration, error) { return 0, nil }

func (unlimited) Wait(context.Context, string) (time.Duration, error) { return 0, nil }

package login_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

func TestChangePassword(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	grace, _ := w.person("grace")
	w.set(grace)
	graces := w.issue(from(1, "grace@corp.example", correct))
	own, other := w.issue(from(1, "ada@corp.example", correct)), w.issue(from(1, "ada@corp.example", correct))
	who, err := w.who(own.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		before, after string
		want          *fault.Fault
	}{
		{"wrong", better, login.ErrWrongPassword},
		{correct, "hamlet", login.ErrWeak},
		{correct, "ada@corp", login.ErrWeak},
		{correct, string(make([]byte, 101)), password.ErrTooLong},
	} {
		if err := w.logins.ChangePassword(t.Context(), who, c.before, c.after); !errors.Is(err, c.want) {
			t.Errorf("%q to %q: %v", c.before, c.after, err)
		}
	}
	if err := w.logins.ChangePassword(t.Context(), who, "", better); !errors.Is(err, login.ErrWrongPassword) {
		t.Errorf("as if there were none: %v", err)
	}
	if err := w.logins.ChangePassword(t.Context(), who, correct, better); err != nil {
		t.Fatal(err)
	}
	w.refuses(from(1, "ada@corp.example", correct), login.ErrIncorrect)
	w.issue(from(1, "ada@corp.example", better))
	fresh := user.NewAuthenticator(w.db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now, slog.New(slog.DiscardHandler))
	for key, want := range map[string]error{own.Key: nil, w.adaKey: nil, graces.Key: nil, other.Key: fault.ErrInvalidKey} {
		if _, err := fresh.AuthenticateKey(t.Context(), host, key); !errors.Is(err, want) {
			t.Errorf("after the change: %v, want %v", err, want)
		}
	}
}

// Whoever has an account's key can't use it to find out the password.
func TestTriesToChangePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deps := w.logins.Deps
	deps.Accounts = w.tries("one", 1)
	w.logins = login.New(deps)
	who, err := w.who(w.adaKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.logins.ChangePassword(t.Context(), who, "wrong", better); !errors.Is(err, login.ErrWrongPassword) {
		t.Errorf("the first try: %v", err)
	}
	if err := w.logins.ChangePassword(t.Context(), who, correct, better); !errors.Is(err, login.ErrTries) {
		t.Errorf("the second try: %v", err)
	}
}

// A password is compared outside of the transaction that uses the result. What has changed meanwhile counts.
func TestChangesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who, err := w.who(w.adaKey)
	if err != nil {
		t.Fatal(err)
	}
	issue := func() error {
		_, err := w.logins.Issue(t.Context(), from(1, "ada@corp.example", correct))
		return err
	}
	change := func() error { return w.logins.ChangePassword(t.Context(), who, correct, better) }
	sql := storetest.Connect(t, w.url)
	for _, c := range []struct {
		change string
		call   func() error
		want   *fault.Fault
	}{
		{"update users set active = false where user_id = $1", issue, login.ErrUserDisabled},
		{"update passwords set hash = hash || ' ' where user_id = $1", issue, login.ErrIncorrect},
		{"update passwords set hash = hash || ' ' where user_id = $1", change, login.ErrWrongPassword},
	} {
		sql.Exec("begin")
		sql.Exec("select pg_advisory_xact_lock(1, hashint8($1))", w.ada.ID) // as LockUser does
		done := make(chan error, 1)
		go func() { done <- c.call() }()
		sql.AwaitBlocked(1)
		sql.Exec(c.change, w.ada.ID)
		sql.Exec("commit")
		if err := <-done; !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.change, err, c.want)
		}
		sql.Exec("update users set active = true where user_id = $1", w.ada.ID)
		w.set(w.ada)
	}
}

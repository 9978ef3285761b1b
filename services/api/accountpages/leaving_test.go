package accountpages_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/neworg"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// leaves calls do, and ends its context once a query returns true. From then on, do finds a table locked for a moment.
func (w *world) leaves(table, begun string, do func(ctx context.Context) error) error {
	w.t.Helper()
	ctx, leave := context.WithCancel(w.t.Context())
	defer leave()
	lock, sql := storetest.Connect(w.t, w.DatabaseURL), storetest.Connect(w.t, w.DatabaseURL)
	lock.Exec("begin")
	lock.Exec("lock table " + table + " in share row exclusive mode")
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	testbed.Until(w.t, "it has begun", func() bool { return storetest.Values[bool](sql, begun)[0] })
	leave()
	time.Sleep(20 * time.Millisecond) // until everybody has noticed
	lock.Exec("commit")
	return <-done
}

// If somebody disconnects when their account has been created, it is completed without them.
func TestLeavingWhileJoining(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	w.Person("Ann", actor.Member).Subscribe("hall")
	sql.Exec("update streams set is_default = true")
	err := w.leaves("subscriptions", "select exists (select from users where full_name = 'Eve')", func(ctx context.Context) error {
		return w.Accounts.Join(ctx, w.Org.ID, account.Newcomer{
			Draft: account.Draft{Email: "eve@corp.example", FullName: "Eve", Password: secret}, Role: actor.Member,
		}, nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.Resume()
	if in := storetest.Values[int](sql, "select count(*)::int from subscriptions join users using (org_id, user_id) where full_name = 'Eve'")[0]; in != 1 {
		t.Errorf("Eve is in %d streams", in)
	}
}

// Whoever disconnects when the link has been used finds the organization.
func TestLeavingWhileFounding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrgs.Open = true
	w.submit("/new/", "email", "eve@corp.example").says(200, "Look into your mail")
	token := strings.TrimPrefix(path(w.Letter().Link), "/new/")
	err := w.leaves("organizations", "select not exists (select from mail_links)", func(ctx context.Context) error {
		_, err := w.NewOrgs.Create(ctx, token, neworg.Draft{Name: "Mill", Subdomain: "mill", FullName: "Eve", Password: secret})
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := storetest.Values[int](storetest.Connect(t, w.DatabaseURL), "select count(*)::int from organizations where subdomain = 'mill'")[0]; n != 1 {
		t.Errorf("%d organizations", n)
	}
}

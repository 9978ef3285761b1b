package user_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// Any number of unknown keys are looked up by at most two queries at a time, with many keys each. They don't displace
// the keys of accounts in the cache, and don't accumulate.
func TestFloodOfUnknownKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	_, key := s.person(s.acme, "ada", actor.Member)
	_, late := s.person(s.acme, "bob", actor.Member)
	a := s.authenticator()
	authenticate := func(key string, want error) {
		if _, err := a.AuthenticateKey(t.Context(), acmeHost, key); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	authenticate(key, nil)

	holder, observer := storetest.Connect(t, s.url), storetest.Connect(t, s.url)
	holder.Exec("begin")
	holder.Exec("lock table users in access exclusive mode")
	asking := func() int64 {
		return storetest.Values[int64](observer, `select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock' and query like '%name: Authenticate %'`)[0]
	}
	const floods, each = 600, 20
	flood, answered := sync.WaitGroup{}, atomic.Int64{}
	for i := range floods {
		flood.Go(func() {
			for n := range each {
				authenticate(fmt.Sprintf("%032d", i*each+n), fault.ErrInvalidKey)
				answered.Add(1)
			}
		})
	}
	testbed.Until(t, "all have called, and somebody asks", func() bool { return a.Pending() == floods && asking() > 0 })
	if n := asking(); n > 2 {
		t.Errorf("%d questions at a time, want 2 at most", n)
	}
	authenticate(key, nil) // a cached account doesn't wait
	flood.Go(func() {
		authenticate(late, nil)
		if n := answered.Load(); n > floods*each/2 {
			t.Errorf("an account waited for %d unknown keys, of which %d were before it", n, floods)
		}
	})
	testbed.Until(t, "an account waits, too", func() bool { return a.Pending() == floods+1 })
	holder.Exec("rollback")
	flood.Wait()
	if accounts, nobodys := a.Remembered(); accounts != 2 || nobodys > 4096 {
		t.Errorf("%d keys of accounts and %d unknown ones are cached", accounts, nobodys)
	}
}

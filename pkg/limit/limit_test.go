package limit_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/testbed"
)

func rule(t *testing.T, text string) limit.Rule {
	t.Helper()
	r := limit.Rule{}
	if err := r.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRule(t *testing.T) {
	t.Parallel()
	if r := rule(t, "200/60s"); r.Calls != 200 || r.Window != time.Minute || r.String() != "200/1m0s" {
		t.Errorf("%+v is %s", r, r)
	}
	for _, bad := range []string{"", "200", "/60s", "200/", "0/60s", "-1/60s", "200/60", "200/0s", "200/-1s", "1/999us", "x/60s"} {
		r := limit.Rule{}
		if err := r.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is %+v", bad, r)
		}
	}
	r := limit.Rule{}
	if err := r.UnmarshalText([]byte("2000000000/1s")); err == nil || !strings.Contains(err.Error(), "2000000000 requests are too many") {
		t.Errorf("too many calls for a period: %+v, %v", r, err)
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	l := limit.NewLocal(rule(t, "3/30s"))
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for i, c := range []struct {
		second int
		user   id.User
		want   limit.Decision
	}{
		{0, 1, limit.Decision{Limit: 3, Remaining: 2, Reset: at(10), Allowed: true}},
		{0, 1, limit.Decision{Limit: 3, Remaining: 1, Reset: at(20), Allowed: true}},
		{0, 1, limit.Decision{Limit: 3, Remaining: 0, Reset: at(30), Allowed: true}},
		{0, 1, limit.Decision{Limit: 3, Reset: at(30), RetryAfter: 10 * time.Second}},
		{0, 65, limit.Decision{Limit: 3, Remaining: 2, Reset: at(10), Allowed: true}}, // in the same stripe
		{9, 1, limit.Decision{Limit: 3, Reset: at(30), RetryAfter: time.Second}},
		{10, 1, limit.Decision{Limit: 3, Remaining: 0, Reset: at(40), Allowed: true}},
		{200, 1, limit.Decision{Limit: 3, Remaining: 2, Reset: at(210), Allowed: true}},
	} {
		if got := l.Allow(c.user, at(c.second)); got != c.want {
			t.Errorf("call %d: %+v, want %+v", i, got, c.want)
		}
	}
}

func TestLocalForgetsInTheCallersFavour(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	l := limit.NewLocal(rule(t, "1/1h"))
	if !l.Allow(64, now).Allowed || l.Allow(64, now).Allowed {
		t.Fatal("the rule doesn't hold")
	}
	for user := range id.User(5000) {
		if !l.Allow(128+64*user, now).Allowed { // all in the stripe of the first one
			t.Fatalf("user %d is refused its first call", user)
		}
	}
	if !l.Allow(64, now).Allowed {
		t.Error("5000 accounts in one stripe are all kept")
	}
}

func TestLocalConcurrently(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	l := limit.NewLocal(rule(t, "100/1h"))
	allowed := make(chan bool, 1000)
	wg := sync.WaitGroup{}
	for range 10 {
		wg.Go(func() {
			for range 100 {
				allowed <- l.Allow(7, now).Allowed
			}
		})
	}
	wg.Wait()
	close(allowed)
	count := 0
	for ok := range allowed {
		if ok {
			count++
		}
	}
	if count != 100 {
		t.Errorf("%d of 100 calls", count)
	}
}

func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.DialerRetries = -1, 1 // so that calls fail at once if Redis is unreachable
	c := redis.NewClient(options)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestShared(t *testing.T) {
	t.Parallel()
	url := testbed.Redis(t)
	one := limit.NewShared(client(t, url), rule(t, "3/30s"), testbed.Logger(t))
	two := limit.NewShared(client(t, url), rule(t, "3/30s"), testbed.Logger(t))
	now := time.Now()
	for i, l := range []*limit.Shared{one, two, one} {
		d := l.Allow(t.Context(), 1, now)
		if !d.Allowed || d.Limit != 3 || d.Remaining != 2-i || d.RetryAfter != 0 || d.Reset.Before(now) {
			t.Errorf("call %d: %+v", i, d)
		}
	}
	d := two.Allow(t.Context(), 1, now)
	if d.Allowed || d.Remaining != 0 || d.RetryAfter <= 0 || d.RetryAfter > 10*time.Second {
		t.Errorf("fourth call: %+v", d)
	}
	if d := two.Allow(t.Context(), 2, now); !d.Allowed || d.Remaining != 2 {
		t.Errorf("another user: %+v", d)
	}
}

func TestSharedWithoutRedis(t *testing.T) {
	t.Parallel()
	server, err := localserver.StartRedis(t.Context(), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	log := &bytes.Buffer{}
	l := limit.NewShared(client(t, server.URL()), rule(t, "1/30s"), slog.New(slog.NewTextHandler(log, nil)))
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for second := range 70 {
		if second > 2 && second < 59 || second > 61 {
			continue // each attempt takes a moment
		}
		d := l.Allow(t.Context(), 1, now.Add(time.Duration(second)*time.Second))
		if !d.Allowed || d.Limit != 1 {
			t.Fatalf("second %d: %+v", second, d)
		}
	}
	if lines := strings.Count(log.String(), "requests are not counted"); lines != 2 {
		t.Errorf("in 70 s it was logged %d times:\n%s", lines, log)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The client has to reconnect first.
	later := now.Add(time.Hour)
	testbed.Until(t, "calls are counted again", func() bool {
		later = later.Add(2 * time.Second)
		return !l.Allow(t.Context(), 1, later).Allowed
	})
}

// Each attempt to ask a Redis that doesn't answer may take the timeout. Calls of the next second make none.
func TestSharedAsksRarelyWithoutRedis(t *testing.T) {
	t.Parallel()
	redis := client(t, "unix://"+filepath.Join(t.TempDir(), "nobody"))
	l := limit.NewShared(redis, rule(t, "1/30s"), testbed.Logger(t))
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		asked uint32
	}{{0, 1}, {time.Second - 1, 1}, {time.Second, 2}} {
		if d := l.Allow(t.Context(), 1, now.Add(c.after)); !d.Allowed {
			t.Errorf("after %v: %+v", c.after, d)
		}
		if asked := redis.PoolStats().Misses; asked != c.asked {
			t.Errorf("after %v, Redis was asked %d times, want %d", c.after, asked, c.asked)
		}
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	url := testbed.Redis(t)
	one, two := limit.NewThrottle(client(t, url)), limit.NewThrottle(client(t, url))
	first := func(l *limit.Throttle, key string, period time.Duration) bool {
		t.Helper()
		ok, err := l.First(t.Context(), key, period)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !first(one, "a", time.Minute) || first(two, "a", time.Minute) || !first(two, "b", 20*time.Millisecond) {
		t.Error("not exactly the first call was allowed")
	}
	testbed.Until(t, "the period has ended", func() bool { return first(one, "b", time.Minute) })
}

// Each account's latest 20 networks are remembered, for 30 days.
func TestKnownNetworks(t *testing.T) {
	t.Parallel()
	url, now := testbed.Redis(t), time.Unix(1e9, 0)
	clock := func() time.Time { return now }
	one, two := limit.NewKnownNetworks(client(t, url), clock), limit.NewKnownNetworks(client(t, url), clock)
	note := func(account, network string) {
		t.Helper()
		if err := one.Note(t.Context(), account, network); err != nil {
			t.Fatal(err)
		}
	}
	has := func(account, network string) bool {
		t.Helper()
		known, err := two.Has(t.Context(), account, network)
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	note("ada", "a")
	if !has("ada", "a") || has("ada", "b") || has("bob", "a") {
		t.Error("not exactly the one network is known")
	}
	for i := range 20 {
		now = now.Add(24 * time.Hour)
		note("ada", "b")
		note("ada", strings.Repeat("c", i+1))
	}
	if has("ada", "a") || has("ada", "c") || !has("ada", "cc") || !has("ada", "b") {
		t.Error("not exactly the latest networks are known")
	}
	if now = now.Add(29 * 24 * time.Hour); !has("ada", "b") || has("ada", strings.Repeat("c", 18)) {
		t.Error("after 29 days")
	}
	redis := client(t, url)
	keys := redis.Keys(t.Context(), "*").Val()
	if len(keys) != 1 {
		t.Fatalf("keys: %q", keys)
	}
	if left := redis.TTL(t.Context(), keys[0]).Val(); left <= 29*24*time.Hour || left > 30*24*time.Hour {
		t.Errorf("what is known is removed in %v, want 30 days", left)
	}
}

// The calls of a busy account are counted in batches, and no more of them are allowed than the rule permits. An
// account with occasional calls is charged only for its calls.
func TestSharedCountsAhead(t *testing.T) {
	t.Parallel()
	url := testbed.Redis(t)
	redis := client(t, url)
	l := limit.NewShared(redis, rule(t, "100/600s"), testbed.Logger(t))
	now := time.Now()
	passed := 0
	for range 130 {
		if l.Allow(t.Context(), 1, now).Allowed {
			passed++
		}
	}
	if passed != 100 {
		t.Errorf("%d calls of a busy account passed, of 100", passed)
	}
	asked := redis.InfoMap(t.Context(), "commandstats").Item("Commandstats", "cmdstat_evalsha")
	if calls, _, _ := strings.Cut(strings.TrimPrefix(asked, "calls="), ","); len(calls) > 2 || calls > "60" {
		t.Errorf("Redis was asked too often: %s", asked)
	}
	for i := range 20 {
		d := l.Allow(t.Context(), 2, now.Add(time.Duration(i)*2*time.Second))
		if !d.Allowed || d.Remaining != 99-i {
			t.Errorf("slow call %d: %+v", i, d)
		}
	}
}

// Parallel calls of an account lose no more of those that are counted in advance than a twentieth.
func TestSharedCountsParallelCalls(t *testing.T) {
	t.Parallel()
	l := limit.NewShared(client(t, testbed.Redis(t)), rule(t, "200/6000s"), testbed.Logger(t))
	now, allowed := time.Now(), atomic.Int64{}
	for range 10 {
		burst := sync.WaitGroup{}
		for range 30 {
			burst.Go(func() {
				if l.Allow(t.Context(), 1, now).Allowed {
					allowed.Add(1)
				}
			})
		}
		burst.Wait()
	}
	if n := allowed.Load(); n < 190 || n > 200 {
		t.Errorf("%d of 200 calls are allowed", n)
	}
}

package systemtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	// crashSeconds is the time during which servers are killed. CRASH_SECONDS overrides it.
	crashSeconds = 20
	// latecomers is the number of queues that are registered meanwhile. It doesn't grow with the time, since each
	// message goes to all queues.
	latecomers = 20
	// stretch is the number of kills in a series, a second or two apart, and calm the time without kills after it:
	// enough for a shard's next dispatcher to start and to deliver the backlog.
	stretch, calm = 8, 6 * time.Second
	// latest is the maximum delay of a message. A series of kills takes 12 to 20 seconds, since each may undo the
	// recovery from the one before. The last one costs up to eleven seconds more, see "How late an event may be" in
	// docs/decisions/0002-event-path.md, and then the backlog is delivered. An event that arrives only after a
	// heartbeat takes 45 seconds or more.
	latest = 40 * time.Second
	// explanations is the number of late messages that are explained; the others have the same reasons.
	explanations = 3
)

// TestEveryQueueGetsEveryEventOnce runs senders, a person who unsubscribes and subscribes, and following clients
// against real processes, and kills all of these processes again and again: the dispatchers, also at failpoints between
// two steps, api, Redis and PostgreSQL. It also severs connections to both servers without closing them, and stops a
// process for some time. Then every queue must have got every message with it in the audience exactly once, in the
// order of the log, and soon after the message was confirmed.
//
// The expected messages of a queue are determined without the dispatcher's data: from the messages themselves, from
// subscriptions.received, and from the snapshot of the queue's registration.
func TestEveryQueueGetsEveryEventOnce(t *testing.T) {
	t.Parallel()
	crash(t, StartSystem(t))
}

// TestEveryQueueGetsEveryEventOnceOfSeveralServers is the same with a Redis Cluster, whose servers are killed one at a time.
func TestEveryQueueGetsEveryEventOnceOfSeveralServers(t *testing.T) {
	t.Parallel()
	crash(t, StartClusterSystem(t))
}

func crash(t *testing.T, s *System) {
	t.Helper()
	length := crashSeconds * time.Second
	if text := os.Getenv("CRASH_SECONDS"); text != "" {
		seconds, err := time.ParseDuration(text + "s")
		if err != nil {
			t.Fatal(err)
		}
		length = seconds
	}
	api := s.Service("api", "CHAT_FAILPOINTS=after-send=0.002")
	events := []*Process{
		s.Service("events", "CHAT_FAILPOINTS=before-dispatch=0.001,after-dispatch=0.001,after-register=0.05"),
		s.Service("events", "CHAT_FAILPOINTS=before-dispatch=0.001,after-dispatch=0.001,after-register=0.05"),
	}
	w := newCrashWorld(t, s, api, events)
	running, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	following, unfollow := context.WithCancel(t.Context())
	t.Cleanup(func() {
		unfollow()
		w.following.Wait()
	})
	followers := w.follow(following)
	work := sync.WaitGroup{}
	for i := range w.people {
		work.Go(func() { w.send(running, i) })
	}
	work.Go(func() { w.comeAndGo(running) })
	work.Go(func() { w.moreFollowers(running, following, length/latecomers) })
	w.following.Go(func() { w.seen.look(following, t, s, w.shard()) })
	kills := w.kill(running, s, api, events)
	work.Wait()
	t.Logf("killed %v; processes ended %d times", kills, s.Ended())

	expected, at := w.expected(t)
	total, explained, late := 0, 0, time.Duration(0)
	deadline := time.Now().Add(60 * time.Second)
	for name, f := range followers() {
		want := expected(f)
		total += len(want)
		for {
			got, err := f.got()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if slices.Equal(got, want) {
				break
			}
			if len(got) > len(want) || time.Now().After(deadline) {
				t.Errorf("%s (queue %s): %d messages, want %d; (-want +got):\n%s", name, f.queue, len(got), len(want), cmp.Diff(want, got))
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		worst := w.latest(f)
		late = max(late, worst.late())
		if worst.late() > latest {
			t.Errorf("%s (queue %s): a message came %v after it was confirmed, want %v at most", name, f.queue, worst.late(), latest)
			if explained++; explained <= explanations {
				t.Log(w.seen.explain(worst, at(worst.message)))
			}
		}
	}
	if total < 1000 {
		t.Errorf("only %d deliveries, want at least 1000 for a meaningful run", total)
	}
	t.Logf("%d deliveries to %d queues, the latest %v after it was confirmed", total, len(followers()), late)
}

// crashWorld has the participants of a crash test.
type crashWorld struct {
	t       *testing.T
	s       *System
	api     func() []string
	events  func() []string
	people  []*client
	users   []int64
	streams []string

	seen      timeline
	mutex     sync.Mutex
	confirmed map[int64]time.Time // messages, by when the server had confirmed them
	followers map[string]*follower
	following sync.WaitGroup
}

func newCrashWorld(t *testing.T, s *System, api *Process, events []*Process) *crashWorld {
	t.Helper()
	w := &crashWorld{
		t: t, s: s, confirmed: map[int64]time.Time{}, followers: map[string]*follower{},
		api: func() []string { return []string{api.URL()} },
		events: func() []string {
			urls := []string(nil)
			for _, e := range events {
				urls = append(urls, e.URL())
			}
			return urls
		},
	}
	accounts := s.Organization(t, 8)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	for _, a := range accounts {
		w.people = append(w.people, &client{http: &http.Client{Transport: transport}, urls: w.api, email: a.Email, key: a.Key})
		w.users = append(w.users, a.UserID)
	}
	for i := range 4 {
		name := fmt.Sprintf("stream %d", i)
		w.streams = append(w.streams, name)
		private := "false"
		if i == 3 {
			private = "true"
		}
		err := w.people[0].insist(t.Context(), http.MethodPost, "/users/me/subscriptions", url.Values{
			"subscriptions": {fmt.Sprintf(`[{"name":%q}]`, name)}, "invite_only": {private}, "principals": {asJSON(w.users)},
		}, &struct{}{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// follow starts two followers for each person, one that polls and one that receives streams, until ctx ends. It returns
// a function for all followers.
func (w *crashWorld) follow(ctx context.Context) func() map[string]*follower {
	for i := range w.people {
		for n := range 2 {
			w.newFollower(ctx, fmt.Sprintf("person %d queue %d", i, n), i, n == 1)
		}
	}
	return func() map[string]*follower {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return w.followers
	}
}

func (w *crashWorld) newFollower(ctx context.Context, name string, person int, streams bool) {
	f := &follower{client: *w.people[person], streams: streams, user: w.users[person]}
	f.urls = w.events
	if err := f.register(ctx); err != nil {
		w.t.Errorf("%s: register: %v", name, err)
		return
	}
	w.mutex.Lock()
	w.followers[name] = f
	w.mutex.Unlock()
	w.following.Go(func() { f.follow(ctx) })
}

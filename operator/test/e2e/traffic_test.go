//go:build e2e

package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	crowd  = 500                    // clients that wait for events
	pace   = 500 * time.Millisecond // between messages of a sender
	settle = 60 * time.Second       // for the last events to come
)

// traffic are clients that use a server all the time: pollers of one stream, some of which have events streamed, somebody who sends to it, and a
// system that posts to a webhook. None tries anything twice.
type traffic struct {
	t        *testing.T
	stop     func()        // has senders stop
	ended    chan struct{} // they are to stop
	senders  sync.WaitGroup
	pollers  sync.WaitGroup
	queues   []*queue
	seen     [][]string     // what came, by poller
	last     []atomic.Int64 // when something came last to a poller, in Unix milliseconds; 0: it has everything
	expected [2]atomic.Int64
	mutex    sync.Mutex
	problems []string
}

// begin starts traffic with some pollers.
func begin(t *testing.T, pollers int) *traffic {
	t.Helper()
	const name = "traffic"
	accounts := streamAndBots(t, name, 25) // enough that no account has over 100 queues after several tests
	apply(t, chat, fmt.Sprintf(`
apiVersion: chatserver.dev/v1alpha1
kind: IncomingWebhook
metadata: {name: %[1]s-hook}
spec:
  organizationRef: {name: %[2]s}
  integration: helloworld
  stream: %[1]s
  topic: hooks
  adopt: true
  credentials: {secretName: %[1]s-hook}
`, name, server))
	ready(t, chat, "incomingwebhook/"+name+"-hook")
	hook, err := url.Parse(secret(t, chat, name+"-hook", "url"))
	if err != nil {
		t.Fatal(err)
	}
	c := &traffic{t: t, ended: make(chan struct{}), queues: make([]*queue, pollers), seen: make([][]string, pollers), last: make([]atomic.Int64, pollers)}
	c.stop = sync.OnceFunc(func() { close(c.ended) })
	t.Cleanup(c.stop) // a test that fails must not send into the next one
	events := address(t, chat, server+"-events")
	for i := range c.queues {
		if c.queues[i], err = register(events, accounts[i%len(accounts)]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.queues {
		c.pollers.Go(func() { c.follow(i) })
	}
	sender := &connection{address: address(t, chat, server+"-api")}
	c.senders.Go(func() {
		c.send(0, sender, func(mark string) error {
			return sender.call(accounts[0], http.MethodPost, "/messages", form{"type": "stream", "to": name, "topic": "sent", "content": mark}, nil)
		})
	})
	poster := &connection{address: address(t, chat, server+"-webhook")}
	c.senders.Go(func() {
		c.send(1, poster, func(mark string) error {
			return poster.post(account{site: hook.Host}, http.MethodPost, hook.RequestURI(), "application/json",
				`{"featured_title": "`+mark+`", "featured_url": "https://tides.example"}`, nil)
		})
	})
	time.Sleep(2 * time.Second)
	return c
}

// mark finds the n-th message of a sender.
var mark = regexp.MustCompile(`mark-[01]-\d+`)

const last = "mark-0-0" // the message that says that there are no more

func (c *traffic) send(sender int, over *connection, send func(mark string) error) {
	defer over.close()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
		}
		began := time.Now()
		if err := send(fmt.Sprintf("mark-%d-%d", sender, c.expected[sender].Load()+1)); err != nil {
			c.problem("sender %d: %v (after %s)", sender, err, time.Since(began).Round(time.Millisecond))
			return
		}
		c.expected[sender].Add(1)
	}
}

// streams is of how many pollers one has events streamed.
const streams = 5

// follow polls, or has events streamed, until the last message has come.
func (c *traffic) follow(i int) {
	q := c.queues[i]
	defer q.close()
	defer c.last[i].Store(0)
	c.last[i].Store(time.Now().UnixMilli())
	get := func() (over bool, err error) {
		messages, err := q.poll()
		for _, m := range messages {
			over = over || !c.use(i, m)
		}
		return over, err
	}
	if i%streams == 0 {
		get = func() (over bool, err error) {
			return q.stream(func(m message) bool { return c.use(i, m) })
		}
	}
	for over := false; !over; {
		began := time.Now()
		var err error
		if over, err = get(); err != nil {
			c.problem("poller %d: %v (after %s)", i, err, time.Since(began).Round(time.Millisecond))
			return
		}
	}
}

// use notes a message that a poller got, and returns whether there are more.
func (c *traffic) use(i int, m message) bool {
	c.last[i].Store(time.Now().UnixMilli())
	found := mark.FindString(m.Content)
	if found == last {
		return false
	}
	c.seen[i] = append(c.seen[i], found)
	return true
}

func (c *traffic) problem(format string, args ...any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.problems = append(c.problems, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// end stops the traffic, and compares what was sent with what everybody got.
func (c *traffic) end(within string) {
	c.t.Helper()
	time.Sleep(2 * time.Second)
	c.stop()
	c.senders.Wait()
	call(c.t, address(c.t, chat, server+"-api"), c.queues[0].account, http.MethodPost, "/messages",
		form{"type": "stream", "to": "traffic", "topic": "sent", "content": last}, nil)
	over := make(chan struct{})
	go func() { c.pollers.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(settle):
		c.problem("after %s there are pollers that haven't got the last message", settle)
		for i := range c.last {
			if at := c.last[i].Load(); at != 0 {
				c.problem("poller %d (streams: %t) got something last at %s", i, i%streams == 0, time.UnixMilli(at).Format("15:04:05.000"))
			}
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, problem := range c.problems {
		if i < 20 {
			c.t.Error(problem)
		}
	}
	if len(c.problems) > 0 {
		c.t.Fatalf("%d clients saw an error", len(c.problems))
	}
	for sender := range c.expected {
		want := []string{}
		for n := range c.expected[sender].Load() {
			want = append(want, fmt.Sprintf("mark-%d-%d", sender, n+1))
		}
		for i, seen := range c.seen {
			got := slices.DeleteFunc(slices.Clone(seen), func(m string) bool { return m[5] != byte('0'+sender) })
			if !slices.Equal(got, want) {
				c.t.Errorf("poller %d got %d of %d messages of sender %d, or not once and in order: %v", i, len(got), len(want), sender, got)
			}
		}
	}
	c.t.Logf("%s: %d messages by api and %d by webhook, each at all of %d pollers once and in order, no error",
		within, c.expected[0].Load(), c.expected[1].Load(), len(c.queues))
}

// serves waits until a server is at a version.
func serves(t testing.TB, want string) {
	t.Helper()
	eventually(t, 4*time.Minute, func() error {
		if got := field(t, chat, "chatserver/"+server, ".status.version"); got != want {
			return fmt.Errorf("%s serves: %+v", got, conditionOf(t, chat, "chatserver/"+server, "Ready"))
		}
		return nil
	})
	ready(t, chat, "chatserver/"+server)
}

// TestRollingUpdateUnderTraffic brings another version in while everybody is there.
func TestRollingUpdateUnderTraffic(t *testing.T) {
	install(t)
	if os.Getenv("TEST_LONG") == "" { // the long suite has parallel tests that rotate what this server uses
		t.Parallel()
	}
	to := patched
	if field(t, chat, "chatserver/"+server, ".status.version") == patched {
		to = version
	}
	c := begin(t, crowd)
	began := time.Now()
	patch(t, chat, "chatserver/"+server, `{"spec":{"version":"`+to+`"}}`)
	serves(t, to)
	c.end("rolling update in " + time.Since(began).Round(time.Second).String())
}

// TestPodDeletionUnderTraffic deletes a pod of each component while everybody is there.
func TestPodDeletionUnderTraffic(t *testing.T) {
	long(t)
	install(t)
	c := begin(t, crowd)
	for _, component := range []string{"api", "events", "webhook"} {
		label := "app.kubernetes.io/name=chatserver,app.kubernetes.io/component=" + component
		for name := range pods(t, chat, "-l", label) {
			kubectl(t, "delete", "pod", "-n", chat, name)
			break
		}
		kubectl(t, "rollout", "status", "-n", chat, "deployment/"+server+"-"+component, "--timeout=2m")
	}
	c.end("a pod of each component deleted")
}

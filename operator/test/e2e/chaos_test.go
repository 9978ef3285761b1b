//go:build e2e

package e2e_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// overdue is how late a message may come in a cluster where the database's pod is replaced at times: the time to
	// do that, and what services/systemtest allows for.
	overdue = 60 * time.Second
	// again is how long a client waits until it repeats what failed.
	again = 200 * time.Millisecond
)

// chaos are clients that never give up, while pods are deleted.
type chaos struct {
	t      *testing.T
	api    string
	events string
	ended  chan struct{} // senders are to stop
	over   chan struct{} // followers are to stop

	mutex     sync.Mutex
	confirmed map[int64]time.Time // messages, by when the server had confirmed them
	seen      []map[int64]time.Time
	lost      int // queues that went with Redis' data
}

// insist repeats a call until it succeeds or stop is closed. A refusal that blames the client is an error.
func (c *chaos) insist(over *connection, stop chan struct{}, a account, method, path string, parameters form, into any) error {
	for {
		err := over.call(a, method, path, parameters, into)
		no := (*refusal)(nil)
		if err == nil || errors.As(err, &no) && no.status < http.StatusInternalServerError && no.status != http.StatusTooManyRequests {
			return err
		}
		over.close()
		select {
		case <-stop:
			return err
		case <-time.After(again):
		}
	}
}

// send sends to the stream until the end.
func (c *chaos) send(a account, stream string) {
	over := &connection{address: c.api}
	defer over.close()
	for n := 0; ; n++ {
		select {
		case <-c.ended:
			return
		case <-time.After(pace / 2):
		}
		sent := struct {
			ID int64 `json:"id"`
		}{}
		err := c.insist(over, c.ended, a, http.MethodPost, "/messages", form{"type": "stream", "to": stream, "topic": "chaos", "content": "message " + strconv.Itoa(n)}, &sent)
		if err == nil {
			c.mutex.Lock()
			c.confirmed[sent.ID] = time.Now()
			c.mutex.Unlock()
		} else if errors.As(err, new(*refusal)) && !strings.Contains(err.Error(), ": 503: ") {
			c.t.Errorf("%s: %v", a.email, err)
			return
		}
	}
}

// follow polls until the end. Where its queue is gone it registers again, and fetches what came meanwhile, as clients do.
func (c *chaos) follow(i int, a account, stream string) {
	for goes := true; goes; {
		q, err := register(c.events, a)
		if err == nil {
			c.catchUp(i, a, stream)
			goes = c.poll(i, q)
		} else {
			goes = c.pause()
		}
		q.close()
	}
}

// poll notes what comes to a queue, and reports true when the queue is gone and false at the end.
func (c *chaos) poll(i int, q *queue) bool {
	once := map[int64]bool{}
	for {
		messages, err := q.poll()
		if err != nil && strings.Contains(err.Error(), "BAD_EVENT_QUEUE_ID") {
			c.mutex.Lock()
			c.lost++
			c.mutex.Unlock()
			return true
		}
		if no := (*refusal)(nil); errors.As(err, &no) && no.status < http.StatusInternalServerError {
			c.t.Errorf("follower %d: %v", i, err)
			return false
		}
		for _, m := range messages {
			if once[m.ID] {
				c.t.Errorf("follower %d (queue %s): message %d came twice", i, q.id, m.ID)
			}
			once[m.ID] = true
			c.note(i, m.ID)
		}
		if err == nil {
			select {
			case <-c.over:
				return false
			default:
			}
		} else if q.close(); !c.pause() {
			return false
		}
	}
}

// catchUp reads the newest messages.
func (c *chaos) catchUp(i int, a account, stream string) {
	over := &connection{address: c.api}
	defer over.close()
	page := struct {
		Messages []message `json:"messages"`
	}{}
	err := c.insist(over, c.over, a, http.MethodGet, "/messages", form{
		"anchor": "newest", "num_before": "1000", "num_after": "0", "narrow": `[["stream","` + stream + `"]]`,
	}, &page)
	if err != nil {
		c.t.Errorf("follower %d: %v", i, err)
	}
	for _, m := range page.Messages {
		c.note(i, m.ID)
	}
}

// note notes when a follower has a message for the first time.
func (c *chaos) note(i int, message int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, ok := c.seen[i][message]; !ok {
		c.seen[i][message] = time.Now()
	}
}

// pause waits before a repetition, and reports false at the end.
func (c *chaos) pause() bool {
	select {
	case <-c.over:
		return false
	case <-time.After(again):
		return true
	}
}

// missing returns how many messages have been confirmed and not come to everybody.
func (c *chaos) missing() (n int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, seen := range c.seen {
		for id := range c.confirmed {
			if _, ok := seen[id]; !ok {
				n++
			}
		}
	}
	return n
}

// TestChaos deletes pods of everything, PostgreSQL's and Redis' among them, and has versions change, while people write:
// whatever the server has confirmed reaches every client soon, once in each queue. CHAOS_SECONDS makes it longer than
// once each.
func TestChaos(t *testing.T) {
	long(t)
	install(t)
	const name = "chaos"
	length := time.Duration(0)
	if text := os.Getenv("CHAOS_SECONDS"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		length = time.Duration(seconds) * time.Second
	}
	accounts := streamAndBots(t, name, 8)
	c := &chaos{
		t: t, api: address(t, chat, server+"-api"), events: address(t, chat, server+"-events"), ended: make(chan struct{}), over: make(chan struct{}),
		confirmed: map[int64]time.Time{}, seen: make([]map[int64]time.Time, len(accounts)),
	}
	senders, followers := sync.WaitGroup{}, sync.WaitGroup{}
	for i, a := range accounts {
		c.seen[i] = map[int64]time.Time{}
		followers.Go(func() { c.follow(i, a, name) })
	}
	time.Sleep(2 * time.Second)
	for _, a := range accounts[:3] {
		senders.Go(func() { c.send(a, name) })
	}
	faults := []string{"postgres", "events", "redis", "api", "version", "postgres"}
	began, done := time.Now(), map[string]int{}
	for n := 0; n < len(faults) || time.Since(began) < length; n++ {
		if n%len(faults) == 0 && n > 0 {
			rand.Shuffle(len(faults), func(i, k int) { faults[i], faults[k] = faults[k], faults[i] })
		}
		fault := faults[n%len(faults)]
		done[fault]++
		if fault == "version" {
			to := patched
			if field(t, chat, "chatserver/"+server, ".spec.version") == patched {
				to = version
			}
			patch(t, chat, "chatserver/"+server, `{"spec":{"version":"`+to+`"}}`)
		} else {
			kubectl(t, "delete", "pod", "-n", chat, "-l", "app.kubernetes.io/instance="+server+",app.kubernetes.io/component="+fault, "--grace-period=5", "--wait=false")
		}
		time.Sleep(5*time.Second + rand.N(15*time.Second))
	}
	ready(t, chat, "chatserver/"+server)
	serves(t, field(t, chat, "chatserver/"+server, ".spec.version"))
	close(c.ended)
	senders.Wait()
	for deadline := time.Now().Add(overdue); c.missing() > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Second)
	}
	if n := c.missing(); n > 0 {
		t.Errorf("%d messages are missing somewhere", n)
	}
	close(c.over)
	call(t, c.api, accounts[0], http.MethodPost, "/messages", form{"type": "stream", "to": name, "topic": "chaos", "content": "the end"}, nil)
	followers.Wait()
	late := []time.Duration{}
	for _, seen := range c.seen {
		for id, at := range seen {
			if confirmed, ok := c.confirmed[id]; ok {
				late = append(late, at.Sub(confirmed))
			}
		}
	}
	if len(late) < 100 {
		t.Fatalf("only %d deliveries: the run shows too little", len(late))
	}
	slices.Sort(late)
	if worst := late[len(late)-1]; worst > overdue {
		t.Errorf("a message came %v after it was confirmed, want %v at most", worst, overdue)
	}
	t.Logf("%v in %v: %d messages, %d deliveries, %d queues lost with Redis; the median came after %v, the latest after %v",
		done, time.Since(began).Round(time.Second), len(c.confirmed), len(late), c.lost, late[len(late)/2], late[len(late)-1])
}

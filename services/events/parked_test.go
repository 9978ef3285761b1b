package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// wire polls a queue over its own kept connection.
type wire struct {
	account servicetest.Account
	queue   *servicetest.Queue
	client  *http.Client
	dials   atomic.Int64
}

func dial(t *testing.T, a servicetest.Account, q *servicetest.Queue) *wire {
	t.Helper()
	c := &wire{account: a, queue: q}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c.dials.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}
	c.client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	return c
}

// polled is the result of a poll.
type polled struct {
	events []servicetest.Event
	err    error
}

// poll polls for events after those that the queue's client has.
func (c *wire) poll(ctx context.Context, at string) chan polled {
	answer := make(chan polled, 1)
	go func() {
		events, err := c.ask(ctx, at)
		answer <- polled{events, err}
	}()
	return answer
}

func (c *wire) ask(ctx context.Context, at string) ([]servicetest.Event, error) {
	query := url.Values{"queue_id": {c.queue.ID}, "last_event_id": {strconv.FormatInt(c.queue.Last, 10)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/api/v1/events?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Host = servicetest.Host
	r.SetBasicAuth(c.account.RealEmail, c.account.Key)
	response, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	reply := struct {
		Events []servicetest.Event `json:"events"`
	}{}
	if err := json.Unmarshal(body, &reply); err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d, %w: %s", response.StatusCode, err, body)
	}
	return reply.Events, nil
}

// got waits for an answer, marks its events as processed and returns them.
func (c *wire) got(t *testing.T, from chan polled) []servicetest.Event {
	t.Helper()
	select {
	case answer := <-from:
		if answer.err != nil {
			t.Fatal(answer.err)
		}
		for _, e := range answer.events {
			if e.ID <= c.queue.Last {
				t.Errorf("event %d after %d", e.ID, c.queue.Last)
			}
			c.queue.Last = e.ID
		}
		return answer.events
	case <-time.After(30 * time.Second):
		t.Fatal("no answer")
		return nil
	}
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s doesn't come about", what)
		}
	}
}

// types returns the types of events.
func types(events []servicetest.Event) []string {
	list := []string{}
	for _, e := range events {
		list = append(list, e.Type)
	}
	return list
}

// messagesOf registers a queue only for messages.
func messagesOf(a servicetest.Account, more servicetest.Params) *servicetest.Queue {
	request := servicetest.Params{"event_types": []string{"message"}, "fetch_event_types": []string{}}
	for name, value := range more {
		request[name] = value
	}
	return a.Register(request)
}

// bothWays runs a test with polls that leave package http's server, recognized by the previous one or each read in
// full, and with polls that stay. In the test, left waits until waiting polls of a replica wait and, in the first
// cases, total polls have left.
func bothWays(t *testing.T, test func(t *testing.T, w *servicetest.World, left func(r *servicetest.Replica, total, waiting int))) {
	t.Helper()
	t.Parallel()
	for _, way := range []string{"own", "parsed", "nethttp"} { // as LONG_POLLS has them
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w, stay := servicetest.New(t), way == "nethttp"
			w.PollsStay, w.PollsParsed = stay, way == "parsed"
			test(t, w, func(r *servicetest.Replica, total, waiting int) {
				t.Helper()
				if stay {
					total = 0
				}
				until(t, "leaving", func() bool { return r.Left() >= total })
				until(t, "waiting", func() bool { return r.Events.Waiting() == waiting })
				servicetest.Same(t, "polls that left", total, r.Left())
			})
		})
	}
}

// A waiting poll leaves the HTTP server, once, and its connection continues to poll: it gets a message, a heartbeat, or
// an empty answer if the queue was deleted.
func TestParkedPollIsAnswered(t *testing.T) { bothWays(t, parkedPollIsAnswered) }

func parkedPollIsAnswered(t *testing.T, w *servicetest.World, left func(r *servicetest.Replica, total, waiting int)) {
	t.Helper()
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	c := dial(t, ann, messagesOf(ann.At(r), nil))
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"a message", func() { ann.SendStream("boilers", "x", "it leaks") }, []string{"message"}},
		{"a heartbeat", func() { r.Events.Beat(t.Context()) }, []string{"heartbeat"}},
		{"another message", func() { ann.SendStream("boilers", "x", "it still does") }, []string{"message"}},
		{"the end", func() { ann.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": c.queue.ID}).OK() }, []string{}},
	} {
		answer := c.poll(t.Context(), r.URL)
		left(r, 1, 1)
		step.do()
		servicetest.Same(t, step.name, step.want, types(c.got(t, answer)))
	}
	if _, err := c.ask(t.Context(), r.URL); err == nil {
		t.Error("the deleted queue answers")
	}
	servicetest.Same(t, "connections", int64(1), c.dials.Load())
}

// A client that disconnects while its poll waits loses no events: neither those written to the old connection, nor
// those that came while it polled again.
func TestParkedClientGoes(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	c := dial(t, ann, messagesOf(ann.At(r), nil))
	leave := func(left int) {
		ctx, cancel := context.WithCancel(t.Context())
		answer := c.poll(ctx, r.URL)
		until(t, "leaving", func() bool { return r.Left() == left && r.Events.Waiting() == 1 })
		cancel()
		if (<-answer).err == nil {
			t.Error("the poll was answered")
		}
	}
	leave(1)
	ann.SendStream("boilers", "x", "to the connection that is gone")
	until(t, "the answer to nobody", func() bool { return r.Events.Waiting() == 0 })
	again := c.poll(t.Context(), r.URL)
	servicetest.Same(t, "a poll behind it", []string{"to the connection that is gone"}, contents(c.got(t, again)))
	leave(2)
	again = c.poll(t.Context(), r.URL)
	until(t, "leaving of the next", func() bool { return r.Left() == 3 && r.Events.Waiting() == 1 })
	ann.SendStream("boilers", "x", "to the new one")
	servicetest.Same(t, "a poll beside it", []string{"to the new one"}, contents(c.got(t, again)))
	ann.SendStream("boilers", "x", "and on")
	servicetest.Same(t, "the next poll", []string{"and on"}, contents(c.got(t, c.poll(t.Context(), r.URL))))
}

// A replica that shuts down answers all waiting polls, and their queues continue at another.
func TestDrainAnswersParked(t *testing.T) { bothWays(t, drainAnswersParked) }

func drainAnswersParked(t *testing.T, w *servicetest.World, left func(r *servicetest.Replica, total, waiting int)) {
	t.Helper()
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	const polls = 20
	r, clients, answers := w.Replica(), []*wire{}, []chan polled{}
	for range polls {
		c := dial(t, ann, messagesOf(ann.At(r), nil))
		clients, answers = append(clients, c), append(answers, c.poll(t.Context(), r.URL))
	}
	left(r, polls, polls)
	r.Events.Drain(t.Context(), 100*time.Millisecond)
	servicetest.Same(t, "waiting", 0, r.Events.Waiting())
	for i, c := range clients {
		servicetest.Same(t, "the answer", []string{"heartbeat"}, types(c.got(t, answers[i])))
	}
	servicetest.Same(t, "a poll that comes later", []string{}, types(clients[0].got(t, clients[0].poll(t.Context(), r.URL))))
	r.Stop()
	ann.SendStream("boilers", "x", "hello")
	other := w.Replica()
	for _, c := range clients {
		servicetest.Same(t, "elsewhere", []string{"hello"}, contents(c.got(t, c.poll(t.Context(), other.URL))))
	}
}

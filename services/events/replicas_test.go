package events_test

import (
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	eventqueue "chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// collect polls until a message with the text arrives, and returns the texts of all messages.
func collect(q *servicetest.Queue, last string) []string {
	texts := []string{}
	for len(texts) == 0 || texts[len(texts)-1] != last {
		texts = append(texts, contents(q.Poll())...)
	}
	return texts
}

// A queue doesn't belong to a replica: it can be registered at one and polled at another, and of two polls at any
// replicas the newer one waits.
func TestQueueAtAnyReplica(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	one, two := w.Replica(), w.Replica()
	queue := messagesOf(ann.At(one), nil)
	ann.SendStream("boilers", "x", "a")
	there := queue.At(two)
	servicetest.Same(t, "at the other", []string{"a"}, collect(there, "a"))
	for i, at := range []*servicetest.Replica{one, two, one} {
		other := two
		if at == two {
			other = one
		}
		displaced := make(chan []servicetest.Event, 1)
		older := *there
		go func() { displaced <- older.At(at).Poll() }()
		until(t, "waiting", func() bool { return at.Events.Waiting() == 1 })
		got, newer, text := make(chan []string, 1), there.At(other), "b"+strconv.Itoa(i)
		// If the second replica learns of the older poll late, the newer poll then ends without events, and displaces
		// the older one by polling again.
		go func() { got <- collect(newer, text) }()
		servicetest.Same(t, "displaced", []servicetest.Event{}, <-displaced)
		ann.SendStream("boilers", "x", text)
		servicetest.Same(t, "the newer one", []string{text}, <-got)
		there = newer
	}
	bob.At(two).Do("GET", "/events", servicetest.Params{"queue_id": queue.ID, "last_event_id": there.Last}).
		Fails(400, "BAD_REQUEST", "You are not authorized to get events from this queue")
	bob.At(two).Do("DELETE", "/events", servicetest.Params{"queue_id": queue.ID}).Fails(400, "", "You are not authorized to access this queue")
	waits := make(chan []servicetest.Event, 1)
	go func() { waits <- there.At(one).Poll() }()
	until(t, "waiting", func() bool { return one.Events.Waiting() == 1 })
	ann.At(two).Do("DELETE", "/events", servicetest.Params{"queue_id": queue.ID}).OK()
	servicetest.Same(t, "the poll of the deleted queue", []servicetest.Event{}, <-waits)
	ann.At(one).Do("GET", "/events", servicetest.Params{"queue_id": queue.ID, "last_event_id": there.Last}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+queue.ID)
}

// When the dispatching replica ends, another one continues at its position. After an end of all replicas, the events of
// the meantime are delivered as soon as one starts. Queues keep their names and their numbers.
func TestQueueOutlivesReplicas(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	queue := messagesOf(ann, nil)
	number, want, got := 0, []string{}, []string{}
	send := func(n int) string {
		for range n {
			number++
			want = append(want, strconv.Itoa(number))
			ann.SendStream("boilers", "x", strconv.Itoa(number))
		}
		return strconv.Itoa(number)
	}
	got = append(got, collect(queue, send(3))...) // dispatched by the only one there is
	one := w.Replica()
	send(3)
	w.EndEvents() // which holds the leases of most shards, if not all
	at := queue.At(one)
	got = append(got, collect(at, send(3))...)
	send(2)
	one.Stop()
	send(5) // nobody dispatches
	two := w.Replica()
	again := queue.At(two)
	again.Last = at.Last
	got = append(got, collect(again, send(1))...)
	servicetest.Same(t, "messages", want, got)
	servicetest.Same(t, "numbers since the end", int64(8*eventqueue.Step), again.Last-at.Last)
}

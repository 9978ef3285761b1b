package events_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// The size of an answer is limited. A client that polls again gets every event once, in order, however many clients
// poll at a time.
func TestPollEndsAtBytes(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	queues := make([]*servicetest.Queue, 4)
	for i := range queues {
		queues[i] = ann.Register(servicetest.Params{"event_types": []string{"message"}, "apply_markdown": "true"})
	}
	sent, content := []int64{}, strings.Repeat("<&", 4990)
	for range 100 {
		sent = append(sent, ann.SendStream("hall", "load", content))
	}
	follow := func(q *servicetest.Queue) {
		got, answers := []int64{}, 0
		for len(got) < len(sent) {
			events := q.Poll()
			for _, e := range events {
				got = append(got, int64(e.Message["id"].(float64)))
			}
			if answers++; len(events) > 80 {
				t.Errorf("%d events in an answer", len(events))
			}
		}
		if !slices.Equal(got, sent) {
			t.Errorf("got %d in %d answers", len(got), answers)
		}
	}
	follow(queues[0]) // now all of it has been delivered
	polls := sync.WaitGroup{}
	for _, q := range queues[1:] {
		polls.Go(func() { follow(q) })
	}
	polls.Wait()
}

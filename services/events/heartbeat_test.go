package events_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events"
	"chatserver.dev/services/servicetest"
)

// beat answers the waiting polls of a replica with heartbeats, until done.
func beat(ctx context.Context, r *events.Service, done <-chan servicetest.Answer) servicetest.Answer {
	for {
		select {
		case answer := <-done:
			return answer
		case <-time.After(time.Millisecond):
			r.Beat(ctx)
		}
	}
}

// A poll of a queue without new events gets a heartbeat with the next id, whatever types of events the queue is for.
// The id is repeated until it is acknowledged (events.md, section 2.8), and also when the ids before the next event's
// are used up.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	for name, q := range map[string]*servicetest.Queue{
		"without types": ann.Register(servicetest.Params{"event_types": []string{}}),
		"narrow":        messagesOf(ann, servicetest.Params{"narrow": [][]string{{"is", "private"}}}),
	} {
		get := func(last int64, immediate bool) servicetest.Answer {
			return ann.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": q.ID, "last_event_id": last, "dont_block": immediate})
		}
		for _, step := range [][2]int64{{-1, 0}, {-1, 0}, {0, 1}, {1, 2}, {500, 501}, {998, 999}, {999, 999}, {999, 999}, {0, 1}} {
			waits := make(chan servicetest.Answer, 1)
			go func() { waits <- get(step[0], false) }()
			want := fmt.Sprintf(`{"result":"success","msg":"","queue_id":%q,"events":[{"id":%d,"type":"heartbeat"}]}`+"\n", q.ID, step[1])
			servicetest.Same(t, name+": answer", want, beat(t.Context(), w.Events, waits).OK().Body)
			if got := get(step[1], true).OK().Body; !strings.Contains(got, `"events":[]`) {
				t.Errorf("%s: acknowledged: %s", name, got)
			}
		}
		get(1000, true).Fails(400, "BAD_REQUEST", "Event 1000 was not in this queue")
	}
}

// Redis repeatedly loses confirmed writes while a client gets events and heartbeats and acknowledges them. The client
// gets every event once, in order, with ascending ids.
func TestRedisLosesWrites(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	bob.Subscribe("boilers")
	client, shard := redisOf(t, w), w.DB.Shard(w.Org.ID)
	q := messagesOf(bob, nil)
	keys := []string{fmt.Sprintf("{s%d}:queue:%s", shard, q.ID), fmt.Sprintf("{s%d}:cursor", shard)}
	kept := make([]string, len(keys))
	keep := func() {
		for i, cmd := range transaction(t, client, func(pipe redis.Pipeliner) {
			for _, key := range keys {
				pipe.Dump(t.Context(), key)
			}
		}) {
			kept[i] = cmd.(*redis.StringCmd).Val()
		}
	}
	keep()
	sent, got, beats, losses := []string(nil), []string(nil), 0, 0
	take := func(answer servicetest.Answer) {
		reply := struct{ Events []servicetest.Event }{}
		answer.OK().Decode(&reply)
		for _, e := range reply.Events {
			if e.ID <= q.Last {
				t.Errorf("%s %d after %d", e.Type, e.ID, q.Last)
			}
			q.Last = e.ID
		}
		got = append(got, contents(reply.Events)...)
	}
	poll := func(immediate bool) servicetest.Answer {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
			answer := bob.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": q.ID, "last_event_id": q.Last, "dont_block": immediate})
			if answer.Status == http.StatusOK || time.Now().After(deadline) {
				return answer
			}
			// The acknowledged events aren't in the queue again yet.
			answer.Fails(400, "BAD_REQUEST", fmt.Sprintf("Event %d was not in this queue", q.Last))
		}
	}
	steps := map[string]func(){
		"send": func() {
			sent = append(sent, strconv.Itoa(len(sent)))
			ann.SendStream("boilers", "x", sent[len(sent)-1])
		},
		"poll": func() { take(poll(true)) },
		"wait": func() {
			waits := make(chan servicetest.Answer, 1)
			go func() { waits <- poll(false) }()
			answer := beat(t.Context(), w.Events, waits)
			if strings.Contains(answer.Body, "heartbeat") {
				beats++
			}
			take(answer)
		},
		"keep": keep,
		"lose": func() { // a replica that is behind takes over
			losses++
			transaction(t, client, func(pipe redis.Pipeliner) {
				for i, key := range keys {
					pipe.RestoreReplace(t.Context(), key, time.Hour, kept[i])
				}
			})
			must(t, client.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err())
		},
	}
	// The first steps lose only an acknowledged heartbeat, before the next event.
	history := []string{"keep", "wait", "poll", "lose", "send"}
	often := []string{"send", "send", "send", "poll", "poll", "wait", "wait", "wait", "keep", "lose"}
	for len(history) < 80 {
		history = append(history, often[rand.IntN(len(often))])
	}
	for _, step := range history {
		steps[step]()
	}
	ann.SendStream("boilers", "x", "the last")
	sent = append(sent, "the last")
	for deadline := time.Now().Add(30 * time.Second); !slices.Contains(got, "the last"); {
		if take(poll(true)); time.Now().After(deadline) {
			break
		}
	}
	if servicetest.Same(t, "messages", sent, got); t.Failed() {
		t.Logf("what was done: %q", history)
	}
	t.Logf("%d messages, %d heartbeats, %d losses", len(sent), beats, losses)
}

// redisOf returns a connection to a world's Redis.
func redisOf(t *testing.T, w *servicetest.World) redis.UniversalClient {
	t.Helper()
	client, err := queue.Connect(queue.Config{URL: w.RedisURL})
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// transaction runs several commands in a transaction of Redis.
func transaction(t *testing.T, client redis.UniversalClient, work func(pipe redis.Pipeliner)) []redis.Cmder {
	t.Helper()
	done, err := client.TxPipelined(t.Context(), func(pipe redis.Pipeliner) error { work(pipe); return nil })
	must(t, err)
	return done
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package events_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/servicetest"
)

// between runs a function before or after a step of the next registration, recognized by its call of Redis: the queue
// is created, or the snapshot in which the state was read is stored.
type between struct {
	mutex  sync.Mutex
	step   string // "" does nothing
	before bool
	do     func()
}

func (b *between) DialHook(next redis.DialHook) redis.DialHook { return next }
func (b *between) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (b *between) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		step := cmd.Name()
		if args := cmd.Args(); step == "fcall" && len(args) > 1 {
			step, _ = args[1].(string)
		}
		b.mutex.Lock()
		do, before := b.do, b.before
		if step != b.step {
			do = nil
		} else {
			b.step = ""
		}
		b.mutex.Unlock()
		if do != nil && before {
			do()
		}
		err := next(ctx, cmd)
		if do != nil && !before {
			do()
		}
		return err
	}
}

// A change during a client's registration is either in its initial state or sent as an event, never neither or both
// (events.md, sections 1.4 and 7, rows 3, 8, 9 and 33).
func TestChangeDuringRegistration(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	steps := &between{}
	client, err := queue.Connect(queue.Config{URL: w.RedisURL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	client.AddHook(steps)
	r := w.ReplicaOn(queue.New(client))
	for i, step := range []struct {
		name    string
		step    string
		before  bool
		inState bool
	}{
		{"before there is a queue", "chatserver2_register", true, true},
		{"before the state is read", "chatserver2_register", false, true},
		{"after the state was read", "chatserver2_snapshot", true, false},
		{"when the snapshot is noted", "chatserver2_snapshot", false, false},
	} {
		word, message, stream := "word"+strconv.Itoa(i), int64(0), "stream "+strconv.Itoa(i)
		steps.mutex.Lock()
		steps.step, steps.before = step.step, step.before
		steps.do = func() {
			ann.Do(http.MethodPost, "/users/me/alert_words", servicetest.Params{"alert_words": []string{word}}).OK()
			bob.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
				"subscriptions": []map[string]string{{"name": stream}}, "principals": []int64{int64(ann.ID)},
			}).OK()
			sent := struct{ ID int64 }{}
			bob.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []int64{int64(ann.ID)}, "content": "hello"}).OK().Decode(&sent)
			message = sent.ID
			ann.Do(http.MethodPost, "/messages/flags", servicetest.Params{"messages": []int64{message}, "op": "add", "flag": "starred"}).OK()
		}
		steps.mutex.Unlock()
		state := struct {
			QueueID string   `json:"queue_id"`
			Last    int64    `json:"last_event_id"`
			Words   []string `json:"alert_words"`
			Starred []int64  `json:"starred_messages"`
			Newest  int64    `json:"max_message_id"`
			Streams []struct {
				Name string `json:"name"`
			} `json:"subscriptions"`
			Unread struct {
				PMs []struct {
					Messages []int64 `json:"unread_message_ids"`
				} `json:"pms"`
			} `json:"unread_msgs"`
		}{}
		ann.At(r).Do(http.MethodPost, "/register", nil).OK().Decode(&state)
		if message == 0 {
			t.Fatalf("%s: nothing happened", step.name)
		}
		subscribed := false
		for _, s := range state.Streams {
			subscribed = subscribed || s.Name == stream
		}
		unread := false
		for _, with := range state.Unread.PMs {
			unread = unread || slices.Contains(with.Messages, message)
		}
		in := map[string]bool{
			"word": slices.Contains(state.Words, word), "star": slices.Contains(state.Starred, message), "subscription": subscribed,
			"unread": unread, "newest": state.Newest == message,
		}
		want := map[string]bool{}
		for what := range in {
			want[what] = step.inState
		}
		servicetest.Same(t, step.name+": in the state", want, in)

		got := map[string]int{}
		for _, e := range w.EventsOf(map[string]*servicetest.Queue{"ann": ann.At(r).Queue(state.QueueID, state.Last)})["ann"] {
			kind, _ := e["type"].(string)
			if op, ok := e["op"].(string); ok {
				kind += "/" + op
			}
			if kind == "message" || kind == "update_message_flags" || kind == "alert_words" || kind == "subscription/add" {
				got[kind]++
			}
		}
		events := map[string]int{}
		if !step.inState {
			events = map[string]int{"message": got["message"], "update_message_flags": 1, "alert_words": 1, "subscription/add": 1}
			if got["message"] == 0 {
				t.Errorf("%s: there is no event of the message", step.name)
			}
		}
		servicetest.Same(t, step.name+": events", events, got)
	}
}

// unsure makes calls of a function fail after Redis has run it, as if the answer had been lost.
type unsure struct {
	between
	function string
}

func (u *unsure) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if args := cmd.Args(); len(args) > 1 && args[1] == u.function && err == nil {
			err = context.DeadlineExceeded
			cmd.SetErr(err)
		}
		return err
	}
}

// A registration that fails leaves no queue, not even if it isn't known whether Redis created it.
func TestFailedRegistrationLeavesNoQueue(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	for _, function := range []string{"chatserver2_register", "chatserver2_snapshot"} {
		client, err := queue.Connect(queue.Config{URL: w.RedisURL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		client.AddHook(&unsure{function: function})
		r := queue.New(client)
		ann.At(w.ReplicaOn(r)).Do(http.MethodPost, "/register", nil).Fails(http.StatusServiceUnavailable, "", queue.ErrUnavailable.Msg)
		for shard := range w.DB.Shards() {
			if queues, _, err := r.Registry(t.Context(), shard); err != nil || len(queues) > 0 {
				t.Errorf("after %s: %d queues in shard %d, %v", function, len(queues), shard, err)
			}
		}
	}
}

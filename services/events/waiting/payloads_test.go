package waiting_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/events/waiting"
)

// logged puts an event only into the log.
func (w *world) logged(id int64) store.Position {
	w.t.Helper()
	storetest.Connect(w.t, w.database).Exec(
		`insert into event_log (shard, xid, id, org_id, type, payload, audience) values ($1, '5', $2, 1, 'test', '{"type":"test"}', '{}')`, number, id)
	return store.Position{Xid: 5, ID: id}
}

// has reports which of the events can be read.
func (w *world) has(p *waiting.Payloads, at ...store.Position) []bool {
	w.t.Helper()
	events, err := p.Get(w.t.Context(), number, at)
	w.must(err)
	there := []bool{}
	for _, position := range at {
		there = append(there, events[position] != nil)
	}
	return there
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := waiting.NewPayloads(w.redis, w.db.Log())
	name := w.register("")
	fresh, inRedis, inLog, lost := store.Position{Xid: 1, ID: 1}, w.dispatch(5, name), w.logged(50), store.Position{Xid: 9, ID: 9}
	put := p.Put(fresh, 1, []byte("{}"), time.Time{})
	if again := p.Put(fresh, 1, []byte("{}"), time.Time{}); again != put {
		t.Error("an event is encoded again for each of its queues")
	}
	if got := w.has(p, lost, inLog, fresh, inRedis, lost, inLog); !slices.Equal(got, []bool{false, true, true, true, false, true}) {
		t.Errorf("there are %v", got)
	}
	w.must(w.client.FlushAll(t.Context()).Err())
	storetest.Connect(t, w.database).Exec("delete from event_log")
	if got := w.has(p, inRedis, inLog, lost); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("remembered are %v", got)
	}
	if got := w.has(waiting.NewPayloads(w.redis, w.db.Log()), inRedis, inLog, fresh); !slices.Equal(got, []bool{false, false, false}) {
		t.Errorf("without a memory there are %v", got)
	}
}

// Memory is bounded by the number and by the size of events; the oldest go first.
func TestPayloadsAreEvicted(t *testing.T) {
	t.Parallel()
	w := open(t)
	at := func(id int) store.Position { return store.Position{Xid: 1, ID: int64(id)} }
	many := waiting.NewPayloads(w.redis, w.db.Log())
	for i := range 10_000 {
		many.Put(at(i), 1, []byte("{}"), time.Time{})
	}
	if got := w.has(many, at(0), at(10_000-8193), at(10_000-8192), at(9999)); !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("of many: %v", got)
	}
	large := waiting.NewPayloads(w.redis, w.db.Log())
	payload := make([]byte, 1<<20)
	for round := range 2 { // the ring goes around
		for i := range 40 {
			large.Put(at(100*round+i), 1, payload, time.Time{})
		}
		if got := w.has(large, at(100*round), at(100*round+10), at(100*round+39)); !slices.Equal(got, []bool{false, false, true}) {
			t.Errorf("of large ones: %v", got)
		}
		for i := range 9000 {
			large.Put(at(10_000*(round+1)+i), 1, []byte("{}"), time.Time{})
		}
		if got := w.has(large, at(100*round+39), at(10_000*(round+1)+8999)); !slices.Equal(got, []bool{false, true}) {
			t.Errorf("of small ones behind them: %v", got)
		}
	}
}

// A lost event ends the queue, in whatever way the poll finds the loss.
func TestLostEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.unsubscribed("one"), w.register("")
	waits := r.poll(name, queue.First)
	r.parked(1)
	at := w.dispatch(farAway, name)
	w.must(w.client.Del(t.Context(), fmt.Sprintf("{s%d}:event:%d.%d", number, at.Xid, at.ID)).Err())
	r.Appended(t.Context(), number, queue.Pointer{Event: at}, []queue.Woken{{Queue: name, Number: 2}})
	for range 2 {
		if got := w.answer(waits); !got.Lost || got.Events != nil || got.Err != nil {
			t.Errorf("got %v", got)
		}
		waits = r.poll(name, queue.First)
	}
	if got := w.answer(waits); !got.Lost {
		t.Errorf("got %v", got)
	}
}

// A queue whose entry points to an event of another organization, which only somebody who writes to Redis can cause, ends like
// one that has lost its event, wherever the event is read. The event's own queues get it.
func TestForeignEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	for from, remember := range map[string]func(r room, at store.Position){
		"memory": func(r room, at store.Position) { r.payloads.Put(at, 1, []byte(`{"type":"test"}`), time.Time{}) },
		"log": func(_ room, at store.Position) {
			storetest.Connect(t, w.database).Exec(
				`insert into event_log (shard, xid, id, org_id, type, payload, audience) values ($1, $2, $3, 1, 'test', '{"type":"test"}', '{}')`,
				number, strconv.FormatUint(at.Xid, 10), at.ID)
			w.must(w.client.Del(t.Context(), fmt.Sprintf("{s%d}:event:%d.%d", number, at.Xid, at.ID)).Err())
		},
	} {
		r, own, foreign := w.unsubscribed("one"), w.register(""), w.registerIn(2, "")
		waits := []chan waiting.Answer{r.poll(own, queue.First), r.poll(foreign, queue.First)}
		r.parked(2)
		at := w.dispatch(farAway, own, foreign)
		remember(r, at)
		r.Appended(t.Context(), number, queue.Pointer{Event: at}, []queue.Woken{{Queue: own, Number: 2}, {Queue: foreign, Number: 2}})
		for range 2 {
			if got := w.answer(waits[0]); !slices.Equal(numbers(got), []int64{2}) {
				t.Errorf("%s: its own queue got %v", from, got)
			}
			if got := w.answer(waits[1]); !got.Lost || got.Events != nil {
				t.Errorf("%s: got %v", from, got)
			}
			waits = []chan waiting.Answer{r.poll(own, queue.First), r.poll(foreign, queue.First)}
		}
	}
}

// A queue whose snapshot can't be read is removed: its client registers again.
func TestUnreadableSnapshot(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.room("one"), w.register("nonsense")
	for range 2 {
		if q, err := r.Find(t.Context(), name); q != nil || err != nil {
			t.Errorf("found %v, %v", q, err)
		}
	}
	if queues, _, err := w.redis.Registry(t.Context(), number); err != nil || len(queues) > 0 {
		t.Errorf("there is %v, %v", queues, err)
	}
}

// A log that can't be read is a failure, not a loss of events.
func TestLogUnreachable(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.unsubscribed("one"), w.register("")
	at := w.dispatch(farAway, name)
	w.must(w.client.Del(t.Context(), fmt.Sprintf("{s%d}:event:%d.%d", number, at.Xid, at.ID)).Err())
	w.db.Close()
	if got := w.answer(r.poll(name, queue.First)); got.Err == nil || got.Lost {
		t.Errorf("got %v", got)
	}
}

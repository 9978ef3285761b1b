package bounds_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// markBound is what one transaction that marks messages may do.
var markBound = bound{events: 1, bytes: 2_500, rows: 150}

// Whoever marks many messages does so in short transactions, and their clients get each message in one event.
func TestManyMessagesAreMarked(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 1)
	hall := w.crowded(2600)
	all := storetest.Values[int64](w.sql, "select message_id from messages where stream_id = $1 and topic <> 'stream events' order by 1", hall)
	valve := storetest.Values[int64](w.sql, "select message_id from messages where stream_id = $1 and topic = 'valve' order by 1", hall)
	pipes := slices.DeleteFunc(slices.Clone(all), func(m int64) bool { return slices.Contains(valve, m) })
	flag := func(op, name string) func() {
		return func() {
			w.ada.Do("POST", "/messages/flags", params{"messages": all, "op": op, "flag": name}).OK()
		}
	}
	for _, test := range []struct {
		what    string
		marks   []int64
		operate func()
	}{
		{"a topic as read", valve, func() {
			w.ada.Do("POST", "/mark_topic_as_read", params{"stream_id": hall, "topic_name": "VALVE"}).OK()
		}},
		{"the rest of the stream as read", pipes, func() {
			w.ada.Do("POST", "/mark_stream_as_read", params{"stream_id": hall}).OK()
		}},
		{"unread", all, flag("remove", "read")},
		{"what is unread again in a topic as read", valve, func() {
			w.ada.Do("POST", "/mark_topic_as_read", params{"stream_id": hall, "topic_name": "valve"}).OK()
		}},
		{"the rest of what is unread again as read", pipes, func() {
			w.ada.Do("POST", "/mark_stream_as_read", params{"stream_id": hall}).OK()
		}},
		{"unread once more", all, flag("remove", "read")},
		{"read", all, flag("add", "read")},
		{"starred", all, flag("add", "starred")},
		{"not starred", all, flag("remove", "starred")},
	} {
		queue := w.ada.Everything(nil)
		w.look()
		test.operate()
		w.holds(test.what, markBound)
		events := w.marked(queue)
		if diff := cmp.Diff(test.marks, slices.Sorted(slices.Values(events))); diff != "" {
			t.Errorf("%s: messages in events (-want +got):\n%s", test.what, diff)
		}
		if got, want := w.unread(hall), len(all)*btoi(strings.HasPrefix(test.what, "unread")); !strings.HasSuffix(test.what, "a topic as read") && got != want {
			t.Errorf("%s: %d messages are unread, want %d", test.what, got, want)
		}
	}
	// Each portion has messages of few streams, since it advances their marks.
	w.ada.Subscribe("yard")
	first, second := w.ada.SendStream("yard", "x", "one"), w.ada.SendStream("yard", "x", "two")
	queue := w.ada.Everything(nil)
	w.ada.Do("POST", "/messages/flags", params{"messages": slices.Concat([]int64{second}, all[:400], []int64{first}), "op": "add", "flag": "read"}).OK()
	if diff := cmp.Diff(slices.Concat(all[:400], []int64{second, first}), w.marked(queue)); diff != "" {
		t.Errorf("messages of two streams in events (-want +got):\n%s", diff)
	}
	// Others than one's own are passed over in each part of a list, but not in the whole of it.
	foreign := make([]int64, 600)
	for i := range foreign {
		foreign[i] = 1_000_000 + int64(i)
	}
	w.ada.Do("POST", "/messages/flags", params{"messages": append(slices.Clone(foreign), all[0]), "op": "add", "flag": "starred"}).OK()
	w.ada.Do("POST", "/messages/flags", params{"messages": foreign, "op": "add", "flag": "starred"}).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	if got := storetest.Values[int64](w.sql, "select message_id from message_flags where flags & 2 <> 0"); fmt.Sprint(got) != fmt.Sprint(all[:1]) {
		t.Errorf("starred: %v", got)
	}
}

// Marks of topics that the mark of their stream makes redundant are dropped in short transactions, however many there are.
func TestManyRedundantMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	hall := w.crowded(10)
	w.sql.Exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto) select $1, $2, $3, 'pipe of ' || n, 1
		from generate_series(1, 2500) n`, w.Org.ID, w.ada.ID, hall)
	w.countDeletions("topic_marks")
	w.look()
	w.ada.Do("POST", "/mark_stream_as_read", params{"stream_id": hall}).OK()
	w.holds("a stream as read", bound{events: 1, bytes: 2_500, rows: 1000})
	if left := storetest.Values[int64](w.sql, "select count(*) from topic_marks")[0]; left != 0 {
		t.Errorf("%d marks of topics are left", left)
	}
}

// marked returns the messages in the events of a queue, in their order.
func (w *world) marked(queue *servicetest.Queue) []int64 {
	w.T.Helper()
	messages := []int64{}
	for _, e := range w.EventsOf(map[string]*servicetest.Queue{"ada": queue})["ada"] {
		list, _ := e["messages"].([]any)
		for _, number := range list {
			message, _ := number.(float64)
			messages = append(messages, int64(message))
		}
	}
	return messages
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unread is how many messages of a stream Ada hasn't read.
func (w *world) unread(stream int64) int {
	w.t.Helper()
	reply := struct {
		Unread struct {
			Streams []struct {
				ID       int64   `json:"stream_id"`
				Topic    string  `json:"topic"`
				Messages []int64 `json:"unread_message_ids"`
			} `json:"streams"`
		} `json:"unread_msgs"`
	}{}
	w.ada.RegisterInto(params{"fetch_event_types": []string{"message", "update_message_flags"}}, &reply)
	n := 0
	for _, in := range reply.Unread.Streams {
		if in.ID == stream && in.Topic != "stream events" {
			n += len(in.Messages)
		}
	}
	return n
}

// Of many large requests of an organization, one has a transaction at a time. The others don't wait with connections to the database, which
// all organizations share.
func TestLargeRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	hall := w.crowded(200)
	all := storetest.Values[int64](w.sql, "select message_id from messages where stream_id = $1 order by 1", hall)
	for path, request := range map[string]params{
		"/messages/flags":                    {"messages": all, "op": "add", "flag": "starred"},
		"/users/me/subscriptions/properties": {"subscription_data": slices.Repeat([]params{{"stream_id": hall, "property": "color", "value": "#123456"}}, 30)},
	} {
		w.sql.Exec("begin")
		w.sql.Exec("select from users where user_id = $1 for update", w.ada.ID)
		requests := sync.WaitGroup{}
		for range 4 {
			requests.Go(func() { w.ada.Do("POST", path, request).OK() })
		}
		w.sql.AwaitBlocked(1)
		time.Sleep(50 * time.Millisecond) // the others would be there now
		const waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
		if n := storetest.Values[int64](w.sql, waiting)[0]; n != 1 {
			t.Errorf("%s: %d transactions wait", path, n)
		}
		w.sql.Exec("commit")
		requests.Wait()
	}
}

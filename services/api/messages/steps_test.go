package messages_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/revision"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// maxAtOnce is the maximum number of messages that one transaction may change: of a topic's, plus the one in the
// request.
const maxAtOnce = 501

// long is a topic with too many messages to move or delete in one transaction.
type long struct {
	*world
	t         *testing.T
	ada, ann  servicetest.Account
	hall      int64
	messages  []int64
	annsQueue *servicetest.Queue
}

func newLong(t *testing.T, messages int) *long {
	t.Helper()
	l := &long{world: newWorld(t), t: t}
	l.ada, l.ann = l.Person("Ada", actor.Owner), l.Person("Ann", actor.Member)
	l.hall = l.stream(l.ada, "hall", params{"principals": ids(l.ada, l.ann)})
	l.ada.SendStream("hall", "valve", "the first")
	l.db.Exec(storetest.InsertMessages(`select org_id, sender_id, stream_id, topic, content, rendered from messages, generate_series(2, $1::int)
		where topic = 'valve'`), messages)
	l.messages = storetest.Values[int64](l.db, "select message_id from messages where topic = 'valve' order by 1")
	// Ann has read every third message, and all after that in the topic's second half.
	l.db.Exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto, read)
		select m.org_id, $1, m.stream_id, 'valve', 0, range_agg(int8range(m.message_id, m.message_id + 1)) filter (where m.message_id % 3 = 0)
		from messages m where m.topic = 'valve' group by m.org_id, m.stream_id`, l.ann.ID)
	l.annsQueue = l.ann.Everything(params{"client_capabilities": map[string]bool{"notification_settings_null": true, "bulk_message_deletion": true}})
	return l
}

// events returns the ids in the events that Ann got, ascending, and the largest number of ids in one event.
func (l *long) events() (all []int64, largest int) {
	l.t.Helper()
	for _, e := range l.EventsOf(map[string]*servicetest.Queue{"ann": l.annsQueue})["ann"] {
		list, _ := e["message_ids"].([]any)
		for _, number := range list {
			message, _ := number.(float64)
			all = append(all, int64(message))
		}
		largest = max(largest, len(list))
	}
	slices.Sort(all)
	return all, largest
}

func (l *long) unread() []int64 {
	return storetest.Values[int64](l.db, `select m.message_id from messages m
		join users u on u.user_id = $1 join subscriptions s on s.stream_id = m.stream_id and s.user_id = u.user_id
		left join topic_marks t on t.stream_id = m.stream_id and t.topic_key = m.topic_key and t.user_id = u.user_id
		left join unread_again a on a.user_id = u.user_id
		where not is_read(m.message_id, false, m.flags, greatest(u.read_upto, s.read_upto, t.read_upto), t.read, a.messages)
			and m.topic <> 'stream events' order by 1`, l.ann.ID)
}

// done fails the test unless every message of the topic was reported exactly once, in several events.
func (l *long) done() {
	l.t.Helper()
	all, largest := l.events()
	servicetest.Same(l.t, "messages in events", l.messages, all)
	if largest > maxAtOnce {
		l.t.Errorf("one transaction was about %d messages", largest)
	}
	servicetest.Same(l.t, "changes that are left", int64(0), l.number("select count(*) from changes"))
}

// A long topic is moved by several short transactions, and each client gets one event for each message.
func TestMoveLongTopic(t *testing.T) {
	t.Parallel()
	l := newLong(t, 1700)
	unread := l.unread()
	edit(l.ada, l.messages[1234], params{"topic": "Gate", "propagate_mode": "change_all"}).OK()
	l.done()
	servicetest.Same(t, "the topic", l.messages, l.topic(l.hall, "Gate"))
	servicetest.Same(t, "unread", unread, l.unread())

	shed := l.stream(l.ada, "shed", params{"principals": ids(l.ada, l.ann)})
	edit(l.ada, l.messages[100], params{"stream_id": shed, "propagate_mode": "change_later", "send_notification_to_old_thread": false}).OK()
	l.messages = l.messages[100:]
	l.done()
	servicetest.Same(t, "the topic that stays", 100, len(l.topic(l.hall, "Gate")))
	servicetest.Same(t, "the topic that was moved", l.messages, l.topic(shed, "Gate")[:len(l.messages)])
}

// A long topic is deleted by several short transactions.
func TestDeleteLongTopic(t *testing.T) {
	t.Parallel()
	l := newLong(t, 1200)
	l.ada.Do(http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", l.hall), params{"topic_name": "valve"}).OK()
	l.done()
	servicetest.Same(t, "the topic", 0, len(l.topic(l.hall, "valve")))
	servicetest.Same(t, "kept", l.messages, storetest.Values[int64](l.db, "select message_id from deleted_messages order by 1"))
}

// A move or deletion whose process ends between two steps is continued by another process.
func TestLongTopicIsContinued(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(ctx context.Context, l *long, who actor.Actor) error{
		"move": func(ctx context.Context, l *long, who actor.Actor) error {
			return l.Revisions.Edit(ctx, who, id.Message(l.messages[700]), revision.Change{Topic: new("Gate"), Mode: revision.All})
		},
		"delete": func(ctx context.Context, l *long, who actor.Actor) error {
			return l.Revisions.DeleteTopic(ctx, who, id.Stream(l.hall), "valve")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLong(t, 1300)
			// The second step waits for this lock.
			l.db.Exec("select pg_advisory_lock(4, hashint8(1))")
			ctx, die := context.WithCancel(t.Context())
			result := make(chan error)
			go func() {
				who := actor.New(l.Org.ID, actor.Actor{User: l.ada.ID, Role: actor.Owner, FullName: "Ada", Email: l.ada.RealEmail})
				result <- change(ctx, l, who)
			}()
			for l.number("select count(*) from changes") == 0 {
				time.Sleep(time.Millisecond)
			}
			die()
			if err := <-result; err == nil {
				t.Fatal("the change wasn't stopped")
			}
			l.db.Exec("select pg_advisory_unlock(4, hashint8(1))")
			if left := len(l.topic(l.hall, "valve")); left < 700 || left >= 1300 {
				t.Errorf("%d messages are left after the first step", left)
			}
			later := l.ada.SendStream("hall", "valve", "sent later")
			l.Resume()
			l.done()
			servicetest.Same(t, "what came later", []int64{later}, l.topic(l.hall, "valve"))
		})
	}
}

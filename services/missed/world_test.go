package missed_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// world is a server whose time passes when the test says so. Ann writes, and Bob is away.
type world struct {
	*servicetest.World
	sql      *storetest.Session
	ann, bob servicetest.Account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.ann, w.bob = w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.ann.Subscribe("hall")
	w.bob.Subscribe("hall")
	w.find() // from here on
	return w
}

// find looks for who may miss something, until the log has been looked through.
func (w *world) find() {
	w.T.Helper()
	testbed.Until(w.T, "no events are left", func() bool {
		if err := w.Missed.Find(w.T.Context()); err != nil {
			w.T.Fatal(err)
		}
		return storetest.Values[int](w.sql, `select (select count(*) from event_log l join missed_places p on p.shard = l.shard
			where (l.xid, l.id) > (p.xid, p.id))::int + ($1 - (select count(*) from missed_places))::int`, storetest.Shards)[0] == 0
	})
}

// later lets the time pass that somebody has to read a message before they are mailed it.
func (w *world) later() {
	w.T.Helper()
	w.find()
	w.sql.Exec("update missed_mails set due_at = due_at - interval '2 minutes'")
	if err := w.Missed.Notify(w.T.Context()); err != nil {
		w.T.Fatal(err)
	}
}

// letters are what is sent then.
func (w *world) letters() []mail.Letter {
	w.T.Helper()
	w.later()
	return w.Letters()
}

// letter is the only one of them.
func (w *world) letter() mail.Letter {
	w.T.Helper()
	letters := w.letters()
	if len(letters) != 1 {
		w.T.Fatalf("%d letters, want one: %+v", len(letters), letters)
	}
	return letters[0]
}

// nothing fails the test if anything is sent.
func (w *world) nothing(why string) {
	w.T.Helper()
	if letters := w.letters(); len(letters) > 0 {
		w.T.Errorf("%s: %+v", why, letters)
	}
}

func (w *world) private(by servicetest.Account, content string, to ...servicetest.Account) int64 {
	w.T.Helper()
	numbers, reply := []int64{}, struct{ ID int64 }{}
	for _, one := range to {
		numbers = append(numbers, int64(one.ID))
	}
	by.Do(http.MethodPost, "/messages", params{"type": "private", "to": numbers, "content": content}).OK().Decode(&reply)
	return reply.ID
}

// sent has the messages sent that a query returns.
func (w *world) sent(query string, args ...any) {
	w.T.Helper()
	w.sql.Exec(`with sent as (`+storetest.InsertMessages(query)+` returning org_id, message_id)
		insert into event_log (shard, org_id, type, payload, audience)
		select org_id % (select shards from installation), org_id, 'message', '{"type":"message","message":{"id":' || message_id || ',"timestamp":0}}', '{}' from sent order by message_id`, args...)
}

func (w *world) notifications(of servicetest.Account, set params) {
	w.T.Helper()
	of.Do(http.MethodPatch, "/settings/notifications", set).OK()
}

func (w *world) read(by servicetest.Account, messages ...int64) {
	w.T.Helper()
	by.Do(http.MethodPost, "/messages/flags", params{"messages": messages, "op": "add", "flag": "read"}).OK()
}

func path(base string, number int64) string { return base + "/" + strconv.FormatInt(number, 10) }

// acts are acts of Ann, who sends to hall or to Bob, and changes of Bob's settings: of his account, of his subscription
// to hall, and of the topic that Ann sends to.
type acts struct {
	plain, mention, toAll, private func()
	account, own                   func(setting string, value bool) func()
	muteTopic                      func(op string) func()
}

func (w *world) acts() acts {
	send := func(content string) func() { return func() { w.ann.SendStream("hall", "topic", content) } }
	return acts{
		plain: send("words"), mention: send("@**Bob** hello"), toAll: send("@**all** hello"),
		private: func() { w.private(w.ann, "hello", w.bob) },
		account: func(setting string, value bool) func() {
			return func() { w.notifications(w.bob, params{setting: value}) }
		},
		own: func(setting string, value bool) func() { return func() { w.subscribed(w.bob, setting, value) } },
		muteTopic: func(op string) func() {
			return func() {
				w.bob.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", params{"stream_id": w.stream("hall"), "topic": "Topic", "op": op}).OK()
			}
		},
	}
}

// stream is the id of a stream.
func (w *world) stream(name string) int64 {
	w.T.Helper()
	return storetest.Values[int64](w.sql, "select stream_id from streams where name = $1", name)[0]
}

// subscribed sets a property of a subscription to hall.
func (w *world) subscribed(by servicetest.Account, property string, value bool) {
	w.T.Helper()
	by.Do(http.MethodPost, "/users/me/subscriptions/properties", params{"subscription_data": []params{
		{"stream_id": w.stream("hall"), "property": property, "value": value},
	}}).OK()
}

func (w *world) must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// said are the texts of a letter.
func said(l mail.Letter) []string {
	all := []string{}
	for _, q := range l.Quotes {
		for _, s := range q.Messages {
			all = append(all, s.Text)
		}
	}
	return all
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("%s:\n%v\nwant %v", what, got, want)
	}
}

package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/scheduled"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// sender returns the service that sends the world's scheduled messages, with a clock that is ahead.
func (w *world) sender(ahead time.Duration) *scheduled.Service {
	return scheduled.New(scheduled.Deps{
		DB: w.DB, Orgs: w.Orgs, Messages: w.Messages, Now: func() time.Time { return time.Now().Add(ahead) }, Logger: w.Logger,
	})
}

// sendAll sends all due messages.
func (w *world) sendAll(ahead time.Duration) {
	w.T.Helper()
	for s := w.sender(ahead); ; {
		more, err := s.Send(w.T.Context())
		if err != nil {
			w.T.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// said returns the contents of messages, in order.
func (w *world) said() []string {
	return storetest.Values[string](w.db, `select a.full_name || ' ' || coalesce('#' || s.name || ' ' || m.topic, 'private') || ': ' || m.content
		from messages m join users a on a.org_id = m.org_id and a.user_id = m.sender_id left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id order by m.message_id`)
}

// later returns the parameters of a message that is sent in an hour.
func later(kind string, more params) params {
	p := params{"type": "stream", "to": "hall", "topic": "t", "content": "x", "delivery_type": kind, "deliver_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}
	for name, value := range more {
		p[name] = value
	}
	return p
}

func TestSendLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	bob.Subscribe("hall")
	before := w.said()
	queue := bob.Register(params{"event_types": []string{"message"}})
	reply := map[string]any{}
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"content": "@**Bob** hi", "deliver_at": at.Format(time.RFC3339)})).OK().Decode(&reply)
	if reply["deliver_at"] != at.Format("2006-01-02 15:04:05-07:00") || reply["id"] != nil {
		t.Errorf("the answer is %v", reply)
	}
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"type": "private", "to": fmt.Sprintf("[%d]", bob.ID), "content": "secret"})).OK()
	ann.Do(http.MethodPost, "/messages", later("remind", params{"topic": "r", "content": "in the stream"})).OK()
	ann.Do(http.MethodPost, "/messages", later("remind", params{"type": "private", "to": fmt.Sprintf("[%d]", ann.ID), "content": "to myself"})).OK()
	w.sendAll(59 * time.Minute)
	servicetest.Same(t, "what is said early", before, w.said())
	w.sendAll(61 * time.Minute)
	servicetest.Same(t, "what is said", append(before, "Ann #hall t: @**Bob** hi", "Ann private: secret", "Notification Bot #hall r: in the stream", "Notification Bot private: to myself"), w.said())
	w.sendAll(61 * time.Minute)
	servicetest.Same(t, "what is said twice", len(before)+4, len(w.said()))
	servicetest.Same(t, "what waits", int64(0), w.number("select count(*) from scheduled_messages"))
	flags := []string(nil)
	for len(flags) < 3 {
		for _, e := range queue.Poll() {
			flags = append(flags, fmt.Sprint(e.Flags))
		}
	}
	servicetest.Same(t, "flags", []string{"[mentioned]", "[]", "[]"}, flags)
}

// A time without a zone is in the zone of the request or, if it has none, of the account.
func TestSendLaterInZones(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	year := time.Now().Year() + 1
	for i, c := range []struct{ account, guess, at, want string }{
		{"", "", "%d-07-01 18:00", "%d-07-01 18:00:00+00:00"},
		{"", "Asia/Kolkata", "%d-07-01 18:00", "%d-07-01 18:00:00+05:30"},
		{"Europe/Berlin", "", "%d-07-01 18:00", "%d-07-01 18:00:00+02:00"},
		{"Europe/Berlin", "", "%d-01-01 18:00", "%d-01-01 18:00:00+01:00"},
		{"Europe/Berlin", "America/St_Johns", "%d-01-01 18:00", "%d-01-01 18:00:00-03:30"},
		{"Europe/Berlin", "Asia/Kolkata", "%d-07-01T18:00:00Z", "%d-07-01 18:00:00+00:00"},
		{"Europe/Berlin", "Asia/Kolkata", "July 1 %d, 6pm EST", "%d-07-01 18:00:00-05:00"},
	} {
		w.db.Exec("update users set timezone = $1 where user_id = $2", c.account, ann.ID)
		reply := map[string]any{}
		ann.Do(http.MethodPost, "/messages", later("send_later", params{"deliver_at": fmt.Sprintf(c.at, year), "tz_guess": c.guess})).OK().Decode(&reply)
		want := fmt.Sprintf(c.want, year)
		servicetest.Same(t, fmt.Sprint("answer ", i), any(want), reply["deliver_at"])
		stored := storetest.Values[time.Time](w.db, "select deliver_at from scheduled_messages order by scheduled_id desc limit 1")[0]
		servicetest.Same(t, fmt.Sprint("time ", i), want, stored.In(mustParse(t, want).Location()).Format("2006-01-02 15:04:05-07:00"))
	}
}

func mustParse(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05-07:00", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestSendLaterFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	w.unchanged(t, func() {
		others := params{"type": "private", "to": fmt.Sprintf("[%d,%d]", ann.ID, bob.ID)}
		ann.Do(http.MethodPost, "/messages", later("remind", others)).Fails(400, "BAD_REQUEST", "Reminders can only be set for streams.")
		for _, at := range []string{"1970-01-01", "0001-01-01", "2020-08-01T00:00:00+14:00", "-1", "0"} {
			ann.Do(http.MethodPost, "/messages", later("send_later", params{"deliver_at": at})).Fails(400, "", "Time must be in the future.")
		}
		for _, at := range []string{"", " ", "99999-01-01", "2120-02-30", "soon", "\x00", strings.Repeat("1", 5000)} {
			a := ann.Do(http.MethodPost, "/messages", later("send_later", params{"deliver_at": at}))
			if a.Status != 400 {
				t.Errorf("%q: %s", at, a.Body)
			}
		}
		for _, zone := range []string{"Local", "../../etc/passwd", "/etc/localtime", "europe/berlin", "tzdata.zi", "X\x00"} {
			a := ann.Do(http.MethodPost, "/messages", later("send_later", params{"tz_guess": zone}))
			if a.Status != 400 {
				t.Errorf("%q: %s", zone, a.Body)
			}
		}
	})
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"deliver_at": "9999-12-31 12:00"})).OK()
	w.sendAll(24 * time.Hour)
	servicetest.Same(t, "what waits", int64(1), w.number("select count(*) from scheduled_messages"))
}

// schedule schedules messages for tomorrow.
func (w *world) schedule(by servicetest.Account, n int) {
	w.T.Helper()
	w.db.Exec(`insert into scheduled_messages (org_id, sender_id, stream_id, topic, content, client, reminder, deliver_at, due_at)
		select $1, $2, 1, 't', 'x', 'test', false, now() + interval '1 day', now() + interval '1 day' from generate_series(1, $3)`, w.Org.ID, by.ID, n)
}

func TestMostScheduled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	w.schedule(ann, message.MaxScheduled-1)
	ann.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", nil)).Fails(400, "BAD_REQUEST", "Too many scheduled messages: 1000 are waiting to be sent, which is the limit.")
	bob.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	w.schedule(ann, message.MaxScheduledOfOrg-message.MaxScheduled-1)
	bob.Do(http.MethodPost, "/messages", later("send_later", nil)).Fails(400, "BAD_REQUEST", "Too many scheduled messages: 20000 are waiting to be sent, which is the limit.")
}

// Concurrent calls that schedule messages are counted one after the other.
func TestMostScheduledAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	w.schedule(ann, message.MaxScheduled-1)
	schedule := func() servicetest.Answer { return ann.Do(http.MethodPost, "/messages", later("send_later", nil)) }
	answers := w.behind("select pg_advisory_xact_lock(33, hashint8($1))", int64(w.Org.ID), schedule, schedule)
	servicetest.Same(t, "statuses", []int{200, 400}, statuses(answers))
}

// Content whose HTML has no room in a quote comes back as plain text, and doesn't keep others' messages from being sent.
func TestSendLaterQuoteTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	ann.Subscribe("attic")
	rendered := func(n int) int {
		reply := struct{ Rendered string }{}
		ann.Do(http.MethodPost, "/messages/render", params{"content": strings.Repeat(":smile:", n)}).OK().Decode(&reply)
		return len(reply.Rendered)
	}
	one, two := rendered(1), rendered(2)
	content := strings.Repeat(":smile:", (100_000-one)/(two-one)+1)
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"to": "attic", "content": content})).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	w.db.Exec("update streams set deactivated = true, version = version + 1 where name = 'attic'")
	before := w.said()
	w.sendAll(61 * time.Minute)
	got := w.said()[len(before):]
	if len(got) != 2 || !strings.HasPrefix(got[0], "Notification Bot private: Your message for <time:") || !strings.Contains(got[0], content) || got[1] != "Ann #hall t: x" {
		t.Errorf("%.200q", got)
	}
	text := storetest.Values[string](w.db, "select rendered from messages order by message_id desc limit 1 offset 1")[0]
	if !strings.Contains(text, ">"+content) {
		t.Errorf("%.400s", text)
	}
}

// A message that fails again and again waits an hour each time.
func TestSendLaterFailsLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	w.db.Exec(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`)
	w.db.Exec(`create trigger fail before insert on messages for each row execute function fail()`)
	for _, failures := range []int{30, 60, 1000} {
		ann.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
		w.db.Exec(`update scheduled_messages set failures = $1`, failures)
		w.sendAll(61 * time.Minute)
		wait := w.number("select extract(epoch from min(due_at) - now())::bigint from scheduled_messages")
		if hour := int64(time.Hour / time.Second); wait < 2*hour-10 || wait > 2*hour+70 {
			t.Errorf("after %d failures it is due in %d seconds", failures, wait)
		}
		w.db.Exec("delete from scheduled_messages")
	}
}

// A message that the sender isn't allowed to send anymore isn't sent, and the sender is notified.
func TestSendLaterIsDecidedThen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own, ann, bob := w.Person("Own", actor.Owner), w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	numbers := map[string]int64{}
	for _, stream := range []string{"hall", "cellar", "attic"} {
		numbers[stream] = w.stream(own, stream, nil)
		ann.Subscribe(stream)
	}
	for _, stream := range []string{"hall", "cellar", "attic"} {
		ann.Do(http.MethodPost, "/messages", later("send_later", params{"to": stream, "content": "in " + stream + "\n```\ncode\n```"})).OK()
	}
	ann.Do(http.MethodPost, "/messages", later("remind", params{"to": "attic", "content": "reminder"})).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"type": "private", "to": fmt.Sprintf("[%d]", bob.ID), "content": "to bob"})).OK()
	bob.Do(http.MethodPost, "/messages", later("send_later", params{"to": "hall", "content": "from bob"})).OK()
	w.db.Exec("update streams set post_policy = 2, version = version + 1 where name = 'cellar'")
	w.db.Exec("update streams set deactivated = true, invite_only = true, name = 'layoffs', version = version + 1 where name = 'attic'")
	w.db.Exec("update users set active = false where user_id = $1", bob.ID)
	before := w.said()
	w.sendAll(61 * time.Minute)
	got := w.said()[len(before):]
	attic := fmt.Sprintf("Not authorized to send to stream '%d'", numbers["attic"]) // Ann may not know its present name
	for i, want := range []struct{ begins, why, content string }{
		{"Ann #hall t: in hall", "", "code"},
		{"Notification Bot private: Your message for <time:", "Only organization administrators can send to this stream.", "in cellar\n```\ncode\n```"},
		{"Notification Bot private: Your message for <time:", attic, "in attic"},
		{"Notification Bot private: Your message for <time:", attic, "reminder"},
		{"Notification Bot private: Your message for <time:", "'" + bob.RealEmail + "' is no longer using this server.", "to bob"},
		{"Notification Bot private: Your message for <time:", "Your account was deactivated.", "from bob"},
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want.begins) || !strings.Contains(got[i], want.why) || !strings.Contains(got[i], want.content) {
			t.Errorf("%d: %q", i, got)
		}
	}
	servicetest.Same(t, "how much is said", 6, len(got))
	// The text is quoted unchanged, whatever fences it contains.
	rendered := storetest.Values[string](w.db, "select rendered from messages where content like '%in cellar%'")[0]
	if !strings.Contains(rendered, "<blockquote>") || strings.Index(rendered, "code\n") > strings.Index(rendered, "</blockquote>") {
		t.Error(rendered)
	}
}

// Messages of a deactivated organization wait until it is active again.
func TestSendLaterInDeactivatedOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	before := len(w.said())
	w.db.Exec("update organizations set deactivated = true where org_id = $1", w.Org.ID)
	w.sendAll(2 * time.Hour)
	servicetest.Same(t, "said", before, len(w.said()))
	w.db.Exec("update organizations set deactivated = false where org_id = $1", w.Org.ID)
	w.sendAll(2 * time.Hour)
	servicetest.Same(t, "said", before+1, len(w.said()))
}

// A message that the server fails to send is retried, doesn't delay others, and is eventually refused.
func TestSendLaterFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	ann.Do(http.MethodPatch, "/settings/display", params{"default_language": "de"}).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"content": "broken"})).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"content": "whole", "deliver_at": time.Now().Add(61 * time.Minute).UTC().Format(time.RFC3339)})).OK()
	w.db.Exec(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`)
	w.db.Exec(`create trigger fail before insert on messages for each row when (new.content = 'broken') execute function fail()`)
	before := len(w.said())
	w.sendAll(62 * time.Minute)
	servicetest.Same(t, "said", []string{"Ann #hall t: whole"}, w.said()[before:])
	for hours := range 12 {
		w.sendAll(time.Duration(hours+2) * 2 * time.Hour)
	}
	got := w.said()[before+1:]
	if len(got) != 1 || !strings.Contains(got[0], "wurde nicht gesendet: Der Server konnte sie nicht senden.") {
		t.Error(got)
	}
}

// Thousands of messages for one second, from several accounts and processes: each is sent once, and those of each
// account are in order.
func TestManyForOneSecond(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	w := newWorld(t)
	other := w.NewOrg("other")
	eve := w.Account(other, user.Draft{FullName: "Eve", Role: actor.Member})
	eve.Subscribe("hall")
	const accounts, each = 10, 100
	for i := range accounts {
		a := w.Person(fmt.Sprint("Ann ", i), actor.Member)
		a.Subscribe("hall")
		w.db.Exec(`insert into scheduled_messages (org_id, sender_id, stream_id, topic, content, client, reminder, deliver_at, due_at)
			select $1, $2, (select stream_id from streams where org_id = $1 and name = 'hall'), 't', to_char(i, '0000'), 'test', false, 'epoch', 'epoch'
			from generate_series(1, $3) i`, w.Org.ID, a.ID, each)
	}
	eve.Do(http.MethodPost, "/messages", later("send_later", nil)).OK()
	w.db.Exec("update scheduled_messages set due_at = '1971-01-01' where org_id = $1", other.ID)
	if _, err := w.sender(0).Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	servicetest.Same(t, "those of another organization that wait", int64(0), w.number("select count(*) from scheduled_messages where org_id = $1", other.ID))
	group := sync.WaitGroup{}
	for range 4 {
		group.Go(func() {
			for s, idle := w.sender(0), 0; idle < 20; {
				if more, err := s.Send(t.Context()); err != nil {
					t.Error(err)
					return
				} else if !more {
					idle++
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	group.Wait()
	w.sendAll(0)
	servicetest.Same(t, "messages", int64(accounts*each), w.number("select count(distinct (sender_id, content)) from messages where client = 'test' and topic = 't' and org_id = $1", w.Org.ID))
	servicetest.Same(t, "messages with doubles", int64(accounts*each), w.number("select count(*) from messages where client = 'test' and topic = 't' and org_id = $1", w.Org.ID))
	servicetest.Same(t, "messages that are before an earlier one", int64(0), w.number(`select count(*) from (
		select content < lag(content) over (partition by sender_id order by message_id) as wrong from messages where client = 'test' and topic = 't' and org_id = $1) o where wrong`, w.Org.ID))
}

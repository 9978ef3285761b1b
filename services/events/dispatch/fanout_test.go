package dispatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/dispatch"
)

// The accounts of these tests.
const (
	owner id.User = iota + 1
	admin
	member
	guest
	gone // deactivated
	nobody
)

const (
	boilers id.Stream = 7
	valves  id.Stream = 8
)

func people() map[id.User]event.Account {
	return map[id.User]event.Account{
		owner: {Role: actor.Owner, Active: true}, admin: {Role: actor.Administrator, Active: true}, member: {Role: actor.Member, Active: true},
		guest: {Role: actor.Guest, Active: true}, gone: {Role: actor.Administrator},
	}
}

// each returns a queue for each account, modified by change.
func each(change func(d *queue.Descriptor)) []queue.Queue {
	queues := []queue.Queue{}
	for i, name := range []string{"owner", "admin", "member", "guest", "gone", "nobody"} {
		q := queue.Queue{ID: name, Number: int64(i), Descriptor: queue.Descriptor{User: id.User(i + 1)}}
		if change != nil {
			change(&q.Descriptor)
		}
		queues = append(queues, q)
	}
	return queues
}

func TestAudience(t *testing.T) {
	t.Parallel()
	subscriptions := []event.Membership{{Stream: boilers, User: member}, {Stream: boilers, User: guest}, {Stream: boilers, User: gone}, {Stream: boilers, User: nobody}}
	all := []id.User{owner, admin, member, guest, gone, nobody}
	tests := map[string]struct {
		audience event.Audience
		want     string
	}{
		"nobody":              {event.Audience{}, ""},
		"everyone":            {event.Audience{Everyone: true}, "owner admin member guest"},
		"no guests":           {event.Audience{NonGuests: true}, "owner admin member"},
		"administrators":      {event.Audience{Admins: true}, "owner admin"},
		"subscribers":         {event.Audience{Subscribers: boilers}, "member guest"},
		"of no subscribers":   {event.Audience{Subscribers: valves}, ""},
		"users":               {event.Audience{Users: []id.User{member, gone, nobody}}, "member"},
		"all users":           {event.Audience{Users: all}, "owner admin member guest"},
		"outsiders":           {event.Audience{Outsiders: valves}, "member"},
		"no outsiders":        {event.Audience{Outsiders: boilers}, ""},
		"outsiders and more":  {event.Audience{Outsiders: valves, Users: []id.User{guest}, Except: []id.User{member}}, "guest"},
		"union":               {event.Audience{Admins: true, Subscribers: boilers, Users: []id.User{member, owner}}, "owner admin member guest"},
		"small union":         {event.Audience{Subscribers: boilers, Users: []id.User{member}}, "member guest"},
		"except":              {event.Audience{Everyone: true, Except: []id.User{admin, guest}}, "owner member"},
		"except before users": {event.Audience{Users: []id.User{member, owner}, Except: []id.User{member}}, "owner"},
		"except subscriber":   {event.Audience{Subscribers: boilers, Except: []id.User{guest}}, "member"},
		"public, no wide":     {event.Audience{Subscribers: boilers, Public: true}, "member guest"},
	}
	for title, test := range tests {
		for _, eventType := range []string{"message", "reaction"} {
			got := dispatch.Fanout(people(), subscriptions, each(nil), store.LogEntry{Type: eventType, Audience: test.audience})
			want := []string{}
			for name := range strings.FieldsSeq(test.want) {
				want = append(want, name+" 0 ")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", title, eventType, diff)
			}
		}
	}
}

// Audiences with many listed accounts, one of which has a queue, and with few listed accounts among many queues.
func TestAudienceSizes(t *testing.T) {
	t.Parallel()
	subscriptions := []event.Membership{}
	accounts := people()
	for user := id.User(10); user < 5000; user++ {
		accounts[user] = event.Account{Role: actor.Member, Active: true}
		subscriptions = append(subscriptions, event.Membership{Stream: boilers, User: user})
	}
	few := []queue.Queue{{ID: "a", Number: 1, Descriptor: queue.Descriptor{User: 4000}}, {ID: "b", Number: 2, Descriptor: queue.Descriptor{User: owner}}}
	entry := store.LogEntry{Type: "message", Audience: event.Audience{Subscribers: boilers}}
	if diff := cmp.Diff([]string{"a 0 "}, dispatch.Fanout(accounts, subscriptions, few, entry)); diff != "" {
		t.Errorf("few queues (-want +got):\n%s", diff)
	}
	many := few
	for user := id.User(10); user < 3000; user++ {
		many = append(many, queue.Queue{ID: "x", Number: 2 + int64(user), Descriptor: queue.Descriptor{User: user}})
	}
	got := dispatch.Fanout(accounts, []event.Membership{{Stream: boilers, User: 4000}, {Stream: boilers, User: 3500}}, many, entry)
	if diff := cmp.Diff([]string{"a 0 "}, got); diff != "" {
		t.Errorf("many queues (-want +got):\n%s", diff)
	}
}

func TestFlagsAndLocalIDs(t *testing.T) {
	t.Parallel()
	queues := each(nil)
	queues = append(queues, queue.Queue{ID: "second", Number: 9, Descriptor: queue.Descriptor{User: member}})
	got := dispatch.Fanout(people(), nil, queues, store.LogEntry{Type: "message", Audience: event.Audience{
		Everyone: true, Flags: event.WildcardMentioned, FlagsOf: map[id.User]event.Flags{member: event.Read | event.Mentioned, gone: event.Read},
		Queue: "second", LocalID: "17 & 3",
	}})
	want := []string{"owner 16 ", "admin 16 ", "member 25 ", "guest 16 ", "second 25 17 & 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Queues for all public streams, or with a narrow.
func TestWideQueues(t *testing.T) {
	t.Parallel()
	subscriptions := []event.Membership{{Stream: boilers, User: member}}
	payload := `{"type":"message","message":{"type":"stream","display_recipient":"boilers","subject":"x","sender_email":"a@b"}}`
	public := event.Audience{Subscribers: boilers, Public: true, Flags: event.Mentioned}
	tests := map[string]struct {
		change func(d *queue.Descriptor)
		a      event.Audience
		want   []string
	}{
		"all public":           {func(d *queue.Descriptor) { d.AllPublic = true }, public, []string{"owner 0 ", "admin 0 ", "member 8 "}},
		"narrow that matches":  {func(d *queue.Descriptor) { d.Narrow = [][2]string{{"stream", "Boilers"}} }, public, []string{"owner 0 ", "admin 0 ", "member 8 "}},
		"narrow that doesn't":  {func(d *queue.Descriptor) { d.Narrow = [][2]string{{"stream", "valves"}} }, public, []string{}},
		"narrow of mentions":   {func(d *queue.Descriptor) { d.Narrow = [][2]string{{"is", "mentioned"}} }, public, []string{"member 8 "}},
		"both":                 {func(d *queue.Descriptor) { d.AllPublic, d.Narrow = true, [][2]string{{"topic", "y"}} }, public, []string{}},
		"other types":          {func(d *queue.Descriptor) { d.AllPublic, d.Types = true, []string{"reaction"} }, public, []string{}},
		"private":              {func(d *queue.Descriptor) { d.AllPublic = true }, event.Audience{Subscribers: boilers}, []string{"member 0 "}},
		"except":               {func(d *queue.Descriptor) { d.AllPublic = true }, event.Audience{Public: true, Except: []id.User{admin, guest}}, []string{"owner 0 ", "member 0 "}},
		"guest who is reached": {func(d *queue.Descriptor) { d.AllPublic = true }, event.Audience{Public: true, Users: []id.User{guest}}, []string{"owner 0 ", "admin 0 ", "member 0 ", "guest 0 "}},
	}
	for title, test := range tests {
		got := dispatch.Fanout(people(), subscriptions, each(test.change), store.LogEntry{Type: "message", Payload: payload, Audience: test.a})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for title, test := range map[string]struct {
		types []string
		want  []string
	}{
		"all": {nil, []string{"owner 0 "}}, "none": {[]string{}, []string{}},
		"this": {[]string{"x", "reaction"}, []string{"owner 0 "}}, "others": {[]string{"message"}, []string{}},
	} {
		queues := each(func(d *queue.Descriptor) { d.Types = test.types })
		got := dispatch.Fanout(people(), nil, queues, store.LogEntry{Type: "reaction", Audience: event.Audience{Users: []id.User{owner}}})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
}

// The operators of events.md, section 2.9.
func TestNarrow(t *testing.T) {
	t.Parallel()
	stream := `{"type":"message","message":{"type":"stream","display_recipient":"Boilers","subject":"Valve 3","sender_email":"Ann@b.example"}}`
	private := `{"type":"message","message":{"type":"private","display_recipient":[{"email":"x"}],"subject":"","sender_email":"ann@b.example"}}`
	tests := []struct {
		narrow  [][2]string
		payload string
		flags   event.Flags
		want    bool
	}{
		{[][2]string{{"stream", "boilers"}}, stream, 0, true},
		{[][2]string{{"stream", "BOILERS"}}, stream, 0, true},
		{[][2]string{{"stream", "boiler"}}, stream, 0, false},
		{[][2]string{{"stream", ""}}, private, 0, false},
		{[][2]string{{"topic", "valve 3"}}, stream, 0, true},
		{[][2]string{{"topic", "valve"}}, stream, 0, false},
		{[][2]string{{"topic", ""}}, private, 0, false},
		{[][2]string{{"sender", "ann@B.example"}}, stream, 0, true},
		{[][2]string{{"sender", "ann@B.example"}}, private, 0, true},
		{[][2]string{{"sender", "bob@b.example"}}, private, 0, false},
		{[][2]string{{"is", "private"}}, private, 0, true},
		{[][2]string{{"is", "private"}}, stream, 0, false},
		{[][2]string{{"is", "starred"}}, stream, event.Starred, true},
		{[][2]string{{"is", "starred"}}, stream, event.Read, false},
		{[][2]string{{"is", "unread"}}, stream, event.Mentioned, true},
		{[][2]string{{"is", "unread"}}, stream, event.Read, false},
		{[][2]string{{"is", "mentioned"}}, stream, event.Mentioned, true},
		{[][2]string{{"is", "mentioned"}}, stream, event.HasAlertWord, false},
		{[][2]string{{"is", "alerted"}}, stream, event.HasAlertWord, true},
		{[][2]string{{"is", "alerted"}}, stream, event.Mentioned, true},
		{[][2]string{{"is", "alerted"}}, stream, 0, false},
		{[][2]string{{"stream", "boilers"}, {"topic", "valve 3"}, {"is", "unread"}}, stream, 0, true},
		{[][2]string{{"stream", "boilers"}, {"topic", "valve 4"}}, stream, 0, false},
		{[][2]string{{"has", "link"}}, stream, 0, false},
	}
	for _, test := range tests {
		queues := each(func(d *queue.Descriptor) { d.Narrow = test.narrow })
		a := event.Audience{Users: []id.User{owner}, Flags: test.flags}
		got := dispatch.Fanout(people(), nil, queues, store.LogEntry{Type: "message", Payload: test.payload, Audience: a})
		if (len(got) == 1) != test.want {
			t.Errorf("%v with flags %d for %s: %v", test.narrow, test.flags, test.payload, got)
		}
		if other := dispatch.Fanout(people(), nil, queues, store.LogEntry{Type: "reaction", Payload: "{}", Audience: a}); len(other) != 1 {
			t.Errorf("%v holds back what is no message", test.narrow)
		}
	}
}

// If an event needs several calls of Redis, only the first one has its payload.
func TestPayloadIsSentOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	large := w.party(0, 700)
	large.emit(1)
	key := ""
	w.after(func(call int64) {
		if cursor := w.cursor(); cursor.Through > 0 && key == "" {
			key = fmt.Sprintf("{s%d}:event:%d.%d", shard, cursor.Xid, cursor.ID)
			w.must(w.client.SetArgs(t.Context(), key, "marked", redis.SetArgs{Mode: "XX"}).Err())
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	if got := w.client.Get(t.Context(), key).Val(); got != "marked" {
		t.Errorf("the payload at %q became %q", key, got)
	}
	lengths, err := w.redis.Lengths(t.Context(), shard, large.queues)
	w.must(err)
	for i, length := range lengths {
		if length != 2 {
			t.Errorf("queue %d has %d entries", i, length)
		}
	}
}

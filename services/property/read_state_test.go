package property_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// After any actions, the messages and events of each account are the same as with one row for each message and
// recipient.
func TestReadState(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	rapid.Check(t, func(rt *rapid.T) {
		h := s.newHistory(rt)
		r := &run{history: h, model: newModel(h.people), queues: map[string]*servicetest.Queue{}}
		for _, p := range h.people {
			r.queues[p.name] = p.Everything(servicetest.Params{"client_capabilities": map[string]bool{
				"notification_settings_null": true, "bulk_message_deletion": !p.bot,
			}})
		}
		olga, adam, mia, maxim, gus, bo := h.people[0], h.people[1], h.people[2], h.people[3], h.people[4], h.people[5]
		r.create(olga, "commons", false, true, adam, mia, maxim, gus)
		r.create(mia, "plans", false, true, maxim, bo)
		r.create(adam, "vault", true, true, mia, gus)
		r.create(mia, "den", true, false, maxim, olga)
		for range h.drawInt("steps", 20, 60) {
			r.step()
			if h.one(8, "look") {
				p := r.someone()
				r.compareUnread(p)
				r.compareSome(p, 2)
			}
		}
		r.compareEvents(h, r.queues)
		for _, p := range h.people {
			r.compareUnread(p)
			r.compareFetch(p, []term{}, "newest", 5000, 0)
			for _, s := range r.sortedStreams() {
				r.compareFetch(p, []term{{Operator: "stream", Operand: s.id, matches: in(s, "")}}, "oldest", 0, 5000)
			}
			r.compareSome(p, 5)
		}
	})
}

// compareUnread compares the unread messages of a new registration.
func (r *run) compareUnread(p *person) {
	r.Helper()
	got := unread{}
	types := []string{"message", "update_message_flags", "starred_messages"}
	p.Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": types, "event_types": []string{"realm"}}).OK().Decode(&got)
	slices.Sort(got.Unread.Mentions)
	if diff := cmp.Diff(r.unread(p.id), got); diff != "" {
		r.Fatalf("what %s has unread (-want +got):\n%s", p.name, diff)
	}
}

// unread returns the expected part of a registration (events.md, section 1.6.7).
func (r *run) unread(user int64) unread {
	want := noUnread()
	for _, of := range r.sortedMessages() {
		own := r.rows[user][of.id]
		if own == nil {
			continue
		}
		if own.flags&event.Starred != 0 {
			want.Starred = append(want.Starred, of.id)
		}
		if own.received {
			want.Newest = of.id
		}
		if !own.received || !own.unread || of.stream != 0 && !r.streams[of.stream].subscribed[user] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(of.members), func(m int64) bool { return m == user })
		want.add(user, of.id, place{of.stream, of.topic, asJSON(others)}, of.sender)
		muted := r.muted(user, of, false)
		if !muted {
			want.Unread.Count++
		}
		if own.flags&event.Mentioned != 0 || of.wildcard && !muted {
			want.Unread.Mentions = append(want.Unread.Mentions, of.id)
		}
	}
	want.sort()
	return want
}

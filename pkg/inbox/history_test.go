package inbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/testbed"
)

// history is a group of people who send, read, subscribe and unsubscribe in their own streams and conversations.
type history struct {
	*rapid.T
	w       *world
	service *inbox.Service
	naive   *naive
	users   []id.User
	actors  map[id.User]actor.Actor
	streams []id.Stream
	members map[id.Conversation][]id.User
}

// Whatever is sent, marked and moved, the result is the same as with one entry per recipient and message.
func TestHistories(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	next := int64(1_000_000)
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t, w: w, service: inbox.New(w.db), actors: map[id.User]actor.Actor{}, members: map[id.Conversation][]id.User{}}
		h.service.Hasten()
		for i := range 3 {
			a := w.actor(w.acme, fmt.Sprintf("u%d-%d", i, next))
			h.users, h.actors[a.User] = append(h.users, a.User), a
		}
		h.naive = newNaive(h.users...)
		for range 2 {
			next++
			w.stream(w.acme, id.Stream(next))
			h.streams = append(h.streams, id.Stream(next))
		}
		next++
		h.members[id.Conversation(next)] = h.users[:2]
		w.conversation(w.acme, id.Conversation(next), h.users[:2]...)
		for _, u := range h.users[:2] {
			h.subscribe(u, h.streams[0])
		}
		h.subscribe(h.users[0], h.streams[1])
		for range 8 {
			h.send()
		}
		h.Repeat(map[string]func(*rapid.T){
			"":             func(*rapid.T) { h.check() },
			"send":         func(*rapid.T) { h.send() },
			"send more":    func(*rapid.T) { h.send(); h.send(); h.send() },
			"come or go":   func(*rapid.T) { h.comeOrGo() },
			"mark":         func(*rapid.T) { draw(h, []func(){h.markAll, h.markStream, h.markTopic, h.markTopic}, "mark")() },
			"read":         func(*rapid.T) { h.flag("read", false) },
			"read more":    func(*rapid.T) { h.flag("read", false) },
			"unread again": func(*rapid.T) { h.flag("read", true) },
			"star":         func(*rapid.T) { h.flag("starred", rapid.Bool().Draw(h.T, "remove")) },
			"move":         func(*rapid.T) { h.move(h.pick()) },
			"move more":    func(*rapid.T) { h.move(h.pick()) },
			"move back":    func(*rapid.T) { h.moveBack() },
		})
	})
}

func draw[T any](h *history, from []T, what string) T {
	return rapid.SampledFrom(from).Draw(h.T, what)
}

func (h *history) user() id.User { return draw(h, h.users, "user") }

func (h *history) topic() string { return draw(h, []string{"a", "é", "É"}, "topic") }

func (h *history) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *history) write(work func(tx *store.Tx) error) {
	h.Helper()
	h.must(h.w.db.Write(h.w.t.Context(), h.w.acme.ID, work))
}

func (h *history) send() {
	m := row{Sender: h.user(), Flags: draw(h, []int16{0, 2}, "flags")}
	if rapid.IntRange(0, 3).Draw(h.T, "place") == 0 {
		m.Conversation = slices.Collect(maps.Keys(h.members))[0]
	} else {
		m.Stream, m.Topic = draw(h, h.streams, "stream"), h.topic()
	}
	h.must(h.w.conn.QueryRow(h.w.t.Context(), "select nextval('message_ids')").Scan(&m.ID))
	h.w.messages(h.w.acme, m)
	h.naive.send(m, h.streams, h.members[m.Conversation])
}

func (h *history) subscribe(u id.User, stream id.Stream) {
	h.write(func(tx *store.Tx) error {
		if err := tx.LockSubscriptions(h.w.t.Context(), stream); err != nil {
			return err
		}
		_, err := tx.Subscribe(h.w.t.Context(), []int64{int64(stream)}, []int64{int64(u)}, []string{"#fff"})
		return err
	})
	h.naive.active[u][stream] = true
}

func (h *history) comeOrGo() {
	u, in := h.user(), draw(h, h.streams, "stream")
	if !h.naive.active[u][in] {
		h.subscribe(u, in)
		return
	}
	h.write(func(tx *store.Tx) error {
		if err := tx.LockSubscriptions(h.w.t.Context(), in); err != nil {
			return err
		}
		leaving, err := stream.PrepareLeaving(h.w.t.Context(), tx, []event.Membership{{Stream: in, User: u}})
		if err != nil {
			return err
		}
		return leaving.Write(h.w.t.Context(), tx)
	})
	unread := h.naive.read(u, func(m *sent) bool { return m.Stream == in })
	h.naive.active[u][in] = false
	if len(unread) > 0 {
		h.expectEvent(u, "add", "read", unread, false)
	}
}

// expectEvent checks the content of the last event.
func (h *history) expectEvent(u id.User, operation, flag string, messages []id.Message, all bool) {
	h.Helper()
	got := recorded{}
	// A large change has several events, one after another.
	rows, err := h.w.conn.Query(h.w.t.Context(), "select payload, audience from event_log order by id desc limit $1", max(1, len(messages)))
	h.must(err)
	payload, audience := "", ""
	_, err = pgx.ForEachRow(rows, []any{&payload, &audience}, func() error {
		part := recorded{Audience: audience}
		if err := json.Unmarshal([]byte(payload), &part); err != nil {
			return err
		}
		if got.Type == "" || len(got.Messages) < len(messages) {
			part.Messages = append(part.Messages, got.Messages...)
			got = part
		}
		return nil
	})
	h.must(err)
	want := recorded{"update_message_flags", operation, flag, append([]id.Message{}, messages...), all, fmt.Sprintf(`{"users":[%d]}`, u)}
	slices.Sort(want.Messages) // large requests are ordered by streams
	slices.Sort(got.Messages)
	if diff := cmp.Diff(want, got); diff != "" {
		h.Fatalf("events (-want +got):\n%s", diff)
	}
}

// recorded is a change of flags in the log, in one event or in several.
type recorded struct {
	Type      string       `json:"type"`
	Operation string       `json:"operation"`
	Flag      string       `json:"flag"`
	Messages  []id.Message `json:"messages"`
	All       bool         `json:"all"`
	Audience  string       `json:"-"`
}

func (h *history) markAll() {
	u := h.user()
	h.must(h.service.MarkAll(h.w.t.Context(), h.actors[u]))
	h.naive.read(u, func(*sent) bool { return true })
	h.expectEvent(u, "add", "read", []id.Message{}, true)
}

func (h *history) markStream() {
	u, stream := h.user(), draw(h, h.streams, "stream")
	h.must(h.service.MarkTopic(h.w.t.Context(), h.actors[u], stream, ""))
	h.expectEvent(u, "add", "read", h.naive.read(u, func(m *sent) bool { return m.Stream == stream }), false)
}

func (h *history) markTopic() {
	u, stream, topic := h.user(), draw(h, h.streams, "stream"), h.topic()
	in := func(m *sent) bool { return m.Stream == stream && sameTopic(m.Topic, topic) }
	err := h.service.MarkTopic(h.w.t.Context(), h.actors[u], stream, topic)
	if len(h.naive.matching(u, func(m *sent, _ *entry) bool { return in(m) })) == 0 {
		if !errors.Is(err, inbox.ErrNoTopic) {
			h.Fatalf("a topic without messages: %v", err)
		}
		return
	}
	h.must(err)
	h.expectEvent(u, "add", "read", h.naive.read(u, in), false)
}

// some returns some of the messages, in any order.
func (h *history) some() []id.Message {
	all := slices.Sorted(maps.Keys(h.naive.messages))
	if len(all) == 0 {
		h.Skip("no messages")
	}
	if rapid.Bool().Draw(h.T, "in a row") {
		from := rapid.IntRange(0, len(all)-1).Draw(h.T, "from")
		return all[from:rapid.IntRange(from+1, min(len(all), from+10)).Draw(h.T, "to")]
	}
	return rapid.SliceOfN(rapid.SampledFrom(all), 1, 5).Draw(h.T, "messages")
}

func (h *history) flag(flag string, remove bool) {
	u, c := h.user(), inbox.FlagChange{Messages: h.some(), Flag: flag, Remove: remove}
	held := h.naive.holds(u, c.Messages)
	err := h.service.SetFlags(h.w.t.Context(), h.actors[u], c)
	if len(held) == 0 {
		m := h.naive.messages[c.Messages[0]]
		if flag != "starred" || len(c.Messages) > 1 || m.Stream == 0 {
			if !errors.Is(err, message.ErrInvalid) {
				h.Fatalf("messages of others: %v", err)
			}
			return
		}
		if !remove {
			h.naive.rows[u][m.ID] = &entry{historical: true}
		}
		held = h.naive.holds(u, c.Messages)
	}
	h.must(err)
	for _, m := range held {
		e := h.naive.rows[u][m]
		switch {
		case flag == "starred":
			e.star(remove)
		case e.received:
			e.unread = remove
		}
	}
	h.expectEvent(u, map[bool]string{false: "add", true: "remove"}[remove], flag, c.Messages, false)
}

// pick chooses messages of a topic and their destination.
func (h *history) pick() inbox.Moved {
	inStreams := slices.DeleteFunc(slices.Sorted(maps.Keys(h.naive.messages)), func(m id.Message) bool { return h.naive.messages[m].Stream == 0 })
	if len(inStreams) == 0 {
		h.Skip("no messages in streams")
	}
	first := h.naive.messages[draw(h, inStreams, "message")]
	moved := inbox.Moved{FromStream: first.Stream, FromTopic: first.Topic, ToStream: draw(h, h.streams, "to stream"), ToTopic: h.topic()}
	for _, m := range slices.Sorted(maps.Keys(h.naive.messages)) {
		s := h.naive.messages[m]
		if s.Stream == first.Stream && sameTopic(s.Topic, first.Topic) && (m == first.ID || rapid.Bool().Draw(h.T, "moves")) {
			moved.Messages = append(moved.Messages, m)
		}
	}
	return moved
}

// move moves messages. Some of their marks may be written before, or only these are written. It reports whether the
// messages moved.
func (h *history) move(moved inbox.Moved) bool {
	for range rapid.IntRange(0, 2).Draw(h.T, "marks that come first") {
		h.write(h.w.preceding(moved))
		h.check()
		if rapid.IntRange(0, 9).Draw(h.T, "ends then") == 0 {
			return false
		}
	}
	h.write(h.w.moving(moved))
	h.naive.move(moved.Messages, moved.ToStream, moved.ToTopic)
	return true
}

// moveBack moves messages away, makes a change, and moves them back.
func (h *history) moveBack() {
	moved := h.pick()
	if !h.move(moved) {
		return
	}
	h.check()
	if rapid.Bool().Draw(h.T, "reads meanwhile") {
		h.flag("read", rapid.Bool().Draw(h.T, "unread"))
	}
	h.move(inbox.Moved{
		FromStream: moved.ToStream, FromTopic: moved.ToTopic, ToStream: moved.FromStream, ToTopic: moved.FromTopic, Messages: moved.Messages,
	})
}

// check compares everything that depends on the read state.
func (h *history) check() {
	h.Helper()
	m := draw(h, slices.Sorted(maps.Keys(h.naive.messages)), "message")
	type state struct {
		Unread map[id.User][]id.Message
		Flags  map[id.User]event.Flags // of one of the messages
	}
	want := state{map[id.User][]id.Message{}, h.naive.flags(m)}
	maps.DeleteFunc(want.Flags, func(_ id.User, f event.Flags) bool { return f == 0 })
	for _, u := range h.users {
		want.Unread[u] = h.naive.unread(u)
	}
	got := read(h.w, h.w.acme, func(tx *store.Tx) (state, error) {
		found := state{Unread: map[id.User][]id.Message{}}
		for _, u := range h.users {
			unread, err := inbox.ReadUnread(h.w.t.Context(), tx, u)
			if err != nil {
				return state{}, err
			}
			found.Unread[u] = list(unread)
		}
		flags, _, err := inbox.FlagsOf(h.w.t.Context(), tx, message.Visible{ID: m, Conversation: h.naive.messages[m].Conversation, Attributes: message.Attributes(h.naive.messages[m].Flags)}, nil)
		found.Flags = flags
		return found, err
	})
	if diff := cmp.Diff(want, got); diff != "" {
		h.Fatalf("with the flags of message %d (-want +got):\n%s", m, diff)
	}
}

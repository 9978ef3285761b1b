package property_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// term is a term of a narrow. matches implements its meaning.
type term struct {
	Operator string `json:"operator"`
	Operand  any    `json:"operand"`
	Negated  bool   `json:"negated"`

	matches func(of *message) bool
}

// shown is a message of a page.
type shown struct {
	ID    int64    `json:"id"`
	Flags []string `json:"flags"`
}

// page is a response of GET /messages.
type page struct {
	Messages    []shown `json:"messages"`
	Anchor      int64   `json:"anchor"`
	FoundAnchor bool    `json:"found_anchor"`
	FoundOldest bool    `json:"found_oldest"`
	FoundNewest bool    `json:"found_newest"`
}

// newestAnchor stands for the newest message (rest-api.md, section 2.3).
const newestAnchor = 10_000_000_000_000_000

// drawTerm generates a term for a reader.
func (r *run) drawTerm(p *person) term {
	other := draw(r.history, "person", r.people)
	t := term{Negated: r.one(5, "negated")}
	got := func(operand string, matches func(of *message) bool) {
		t.Operator, t.Operand, t.matches = "is", operand, matches
	}
	own := func(of *message) row {
		if own := r.rows[p.id][of.id]; own != nil {
			return *own
		}
		return row{}
	}
	switch draw(r.history, "term", []string{
		"stream", "stream", "topic", "unread", "unread", "starred", "mentioned", "alerted", "private", "pm", "group", "sender", "home", "public", "id",
	}) {
	case "stream":
		s := draw(r.history, "stream", r.sortedStreams())
		t.Operator, t.Operand, t.matches = "stream", s.id, func(of *message) bool { return of.stream == s.id }
		if r.drawBool("by name") {
			t.Operand = s.name
		}
	case "topic":
		topic := r.topic()
		t.Operator, t.Operand = "topic", topic
		t.matches = func(of *message) bool { return of.stream != 0 && strings.EqualFold(of.topic, topic) }
	case "unread":
		got("unread", func(of *message) bool { r := own(of); return r.isUnread() })
	case "starred":
		got("starred", func(of *message) bool { return own(of).flags&event.Starred != 0 })
	case "mentioned":
		got("mentioned", func(of *message) bool {
			return own(of).flags&event.Mentioned != 0 || (own(of).received || own(of).delivered) && of.wildcard
		})
	case "alerted":
		got("alerted", func(of *message) bool { return own(of).flags&event.HasAlertWord != 0 })
	case "private":
		got("private", func(of *message) bool { return of.stream == 0 })
	case "pm":
		ids, members := []int64{}, []int64{p.id}
		for _, other := range drawSome(r.history, "with", r.people, 2) {
			ids, members = append(ids, other.id), append(members, other.id)
		}
		slices.Sort(members)
		members = slices.Compact(members)
		t.Operator, t.Operand = "pm-with", ids
		t.matches = func(of *message) bool { return of.stream == 0 && slices.Equal(of.members, members) }
	case "group":
		t.Operator, t.Operand = "group-pm-with", other.id
		t.matches = func(of *message) bool {
			return len(of.members) > 2 && slices.Contains(of.members, other.id) && slices.Contains(of.members, p.id)
		}
	case "sender":
		t.Operator, t.Operand, t.matches = "sender", other.id, func(of *message) bool { return of.sender == other.id }
	case "home":
		t.Operator, t.Operand, t.Negated = "in", "home", false
		t.matches = func(of *message) bool { return !r.muted(p.id, of, false) }
	case "public":
		t.Operator, t.Operand = "streams", "public"
		t.matches = func(of *message) bool { return of.stream != 0 && !r.streams[of.stream].private }
	case "id":
		number := int64(1)
		if all := r.sortedMessages(); len(all) > 0 {
			number = draw(r.history, "id", all).id
		}
		t.Operator, t.Operand, t.matches = "id", strconv.FormatInt(number, 10), func(of *message) bool { return of.id == number }
	}
	return t
}

// candidates returns the messages from which a narrow selects (rest-api.md, section 2.3).
func (r *run) candidates(p *person, narrow []term) []*message {
	history := false
	for _, t := range narrow {
		switch {
		case t.Operator == "is":
			return r.own(p)
		case t.Operator == "streams" && !t.Negated:
			history = history || p.role < actor.Guest
		case t.Operator == "stream" && !t.Negated:
			history = history || slices.ContainsFunc(r.sortedStreams(), func(s *stream) bool {
				return (t.Operand == s.id || t.Operand == s.name) && r.canReadHistory(p.id, s)
			})
		}
	}
	if history {
		return r.sortedMessages()
	}
	return r.own(p)
}

func (r *run) own(p *person) []*message {
	return r.messagesWhere(func(of *message) bool { return r.rows[p.id][of.id] != nil })
}

// fetch returns the page of a narrow according to the model.
func (r *run) fetch(p *person, narrow []term, anchor string, before, after int) page {
	matching := slices.DeleteFunc(r.candidates(p, narrow), func(of *message) bool {
		return slices.ContainsFunc(narrow, func(t term) bool { return t.matches(of) == t.Negated })
	})
	number := int64(newestAnchor)
	switch anchor {
	case "newest":
	case "oldest":
		number = 0
	case "first_unread":
		inStream := slices.ContainsFunc(narrow, func(t term) bool { return t.Operator == "stream" })
		for _, of := range slices.Backward(matching) {
			if own := r.rows[p.id][of.id]; own != nil && own.isUnread() && !r.muted(p.id, of, inStream) {
				number = of.id
			}
		}
	default:
		number, _ = strconv.ParseInt(anchor, 10, 64)
	}
	older, newer, at := []*message{}, []*message{}, []*message{}
	for _, of := range matching {
		switch {
		case of.id < number:
			older = append(older, of)
		case of.id > number:
			newer = append(newer, of)
		default:
			at = append(at, of)
		}
	}
	want := page{
		Anchor: number, FoundAnchor: len(at) > 0, Messages: []shown{},
		FoundOldest: number == 0 || len(older) < before, FoundNewest: number == newestAnchor || len(newer) < after,
	}
	older = older[max(0, len(older)-before):]
	newer = newer[:min(len(newer), after)]
	for _, of := range slices.Concat(older, at, newer) {
		want.Messages = append(want.Messages, shown{of.id, r.shownFlags(p.id, of)})
	}
	return want
}

// compareFetch fetches a narrow and compares with the model.
func (r *run) compareFetch(p *person, narrow []term, anchor string, before, after int) {
	r.Helper()
	params := servicetest.Params{"narrow": narrow, "anchor": anchor, "num_before": before, "num_after": after}
	got, want := page{}, r.fetch(p, narrow, anchor, before, after)
	p.Do(http.MethodGet, "/messages", params).OK().Decode(&got)
	if diff := cmp.Diff(want, got); diff != "" {
		described := []string{}
		for _, t := range narrow {
			described = append(described, fmt.Sprintf("%s:%v (negated: %t)", t.Operator, t.Operand, t.Negated))
		}
		r.Fatalf("%s fetches %v, anchor %s, %d before, %d after (-want +got):\n%s", p.name, described, anchor, before, after, diff)
	}
}

// compareSome fetches some narrows at random places.
func (r *run) compareSome(p *person, times int) {
	r.Helper()
	for range times {
		narrow := []term{}
		for range drawSome(r.history, "terms", []int{0}, 3) {
			narrow = append(narrow, r.drawTerm(p))
		}
		anchor := draw(r.history, "anchor", []string{"newest", "oldest", "first_unread", "first_unread", "message", "message"})
		if all := r.sortedMessages(); anchor == "message" {
			anchor = strconv.FormatInt(draw(r.history, "around", all).id, 10)
		}
		counts := []int{0, 1, 3, 1000}
		r.compareFetch(p, narrow, anchor, draw(r.history, "before", counts), draw(r.history, "after", counts))
	}
}

package drafts_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Member)
	bob.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": []object{{"name": "hall"}}, "principals": []any{ann.ID, bob.ID}}).OK()
	hall := bob.StreamID("hall")
	queue := ann.Everything(nil)
	servicetest.Same(t, "none", map[string]object{}, list(ann))
	placed := object{"type": "stream", "to": []any{hall}, "topic": " tides ", "content": "low at *noon* \n", "timestamp": 1234567890.123456}
	private := object{"type": "private", "to": []any{int64(bob.ID), int64(ann.ID)}, "topic": "", "content": "x"}
	nowhere := object{"type": "", "to": []any{}, "topic": "ignored", "content": "y", "timestamp": 0}
	nobody := object{"type": "private", "to": []any{}, "topic": "", "content": "z", "timestamp": 253402300799}
	ids := add(ann, placed, private, nowhere, nobody)
	id := func(i int) string { return strconv.FormatInt(ids[i], 10) }
	got := list(ann)
	if at, _ := got[id(1)]["timestamp"].(float64); at < 1.7e9 {
		t.Errorf("a draft without a time has %f", at)
	}
	delete(got[id(1)], "timestamp")
	want := map[string]object{
		id(0): {"type": "stream", "to": []any{float64(hall)}, "topic": "tides", "content": "low at *noon*", "timestamp": 1234567890.123456},
		id(1): {"type": "private", "to": []any{float64(bob.ID), float64(ann.ID)}, "topic": "", "content": "x"},
		id(2): {"type": "", "to": []any{}, "topic": "", "content": "y", "timestamp": 0.0},
		id(3): {"type": "private", "to": []any{}, "topic": "", "content": "z", "timestamp": 253402300799.0},
	}
	servicetest.Same(t, "drafts", want, got)
	reply := listed{}
	ann.Do(http.MethodGet, "/drafts", nil).OK().Decode(&reply)
	servicetest.Same(t, "count", 4, reply.Count)
	servicetest.Same(t, "others' drafts", map[string]object{}, list(bob))
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(map[string]*servicetest.Queue{"ann": queue}))
}

// Memory is reserved for many bytes before they are read.
func TestListReserves(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	who := actor.New(w.Org.ID, actor.Actor{User: ann.ID, Role: actor.Member})
	none := errors.New("no memory")
	read := func() (reserved int64, number int, err error) {
		drafts, err := w.Drafts.List(t.Context(), who, func(_ context.Context, bytes int64) error {
			reserved = bytes
			return none
		})
		return reserved, len(drafts), err
	}
	many := make([]object, 7)
	for i := range many {
		many[i] = text(strings.Repeat("x", 10_000))
	}
	add(ann, many[:6]...)
	if reserved, number, err := read(); reserved != 0 || number != 6 || err != nil {
		t.Errorf("few: %d bytes for %d drafts, %v", reserved, number, err)
	}
	add(ann, many[6])
	if reserved, number, err := read(); reserved != 140_000 || number != 0 || !errors.Is(err, none) {
		t.Errorf("many: %d bytes for %d drafts, %v", reserved, number, err)
	}
}

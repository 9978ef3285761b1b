package alertwords_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Owner)
	robot := w.Bot("Robot", actor.GenericBot, bob)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil), "robot": robot.Everything(nil)}
	long := strings.Repeat("ä", 100)
	for _, c := range []struct {
		by   servicetest.Account
		add  []string
		want []string
	}{
		{ann, []string{" Valve ", "pump", "", "  ", "valve"}, []string{"pump", "Valve"}},
		{ann, []string{"PUMP"}, []string{"pump", "Valve"}},
		{ann, nil, []string{"pump", "Valve"}},
		{ann, []string{"on call", "pump"}, []string{"on call", "pump", "Valve"}},
		{robot, []string{long}, []string{long}},
	} {
		servicetest.Same(t, fmt.Sprintf("after %q", c.add), c.want, add(c.by, c.add...))
	}
	servicetest.Same(t, "events", map[string][]object{
		"ann":   {event("pump", "Valve"), event("pump", "Valve"), event("pump", "Valve"), event("on call", "pump", "Valve")},
		"robot": {event(long)},
	}, w.EventsOf(queues))
}

func TestAddRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	long := strings.Repeat("ä", 101)
	for _, refused := range []struct {
		words any
		msg   string
	}{
		{[]string{long}, "alert_words[0] is too long (limit: 100 characters)"},
		{[]string{"a", "b", long}, "alert_words[2] is too long (limit: 100 characters)"},
		{"pump", `Argument "alert_words" is not valid JSON.`},
		{`"pump"`, "alert_words is not a list"},
		{[]any{"a", 1}, "alert_words[1] is not a string"},
		{[]string{"a\x00"}, "alert_words[0] contains NULL (0x00) characters"},
	} {
		ann.Do(http.MethodPost, path, params{"alert_words": refused.words}).Fails(http.StatusBadRequest, "BAD_REQUEST", refused.msg)
	}
	ann.Do(http.MethodPost, path, nil).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'alert_words' argument")
	servicetest.Same(t, "nothing was added", []string{}, list(ann))
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
}

// Of concurrent changes, the last event has the final list.
func TestAddAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	wg := sync.WaitGroup{}
	for i := range 8 {
		wg.Go(func() { add(ann, fmt.Sprintf("word%d", i)) })
		wg.Go(func() { remove(ann, fmt.Sprintf("word%d", i-1)) })
	}
	wg.Wait()
	want := []any{}
	for _, word := range list(ann) {
		want = append(want, word)
	}
	events := w.EventsOf(queues)["ann"]
	servicetest.Same(t, "number of events", 16, len(events))
	servicetest.Same(t, "the last event", event(want...), events[len(events)-1])
}

// An account has at most a thousand words, and so has a request. A refused request adds none.
func TestTooMany(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	words := make([]string, 1001)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	const refused = "Too many alert words (limit: 1000)"
	ann.Do(http.MethodPost, path, params{"alert_words": words}).Fails(http.StatusBadRequest, "BAD_REQUEST", refused)
	ann.Do(http.MethodDelete, path, params{"alert_words": words}).Fails(http.StatusBadRequest, "BAD_REQUEST", refused)
	servicetest.Same(t, "none of a call with too many", 0, len(list(ann)))
	servicetest.Same(t, "as many as can be", 1000, len(add(ann, words[:1000]...)))
	ann.Do(http.MethodPost, path, params{"alert_words": words[1000:]}).Fails(http.StatusBadRequest, "BAD_REQUEST", refused)
	servicetest.Same(t, "those that are there", 1000, len(add(ann, words[:1000]...)))
	servicetest.Same(t, "after a refused call", 1000, len(list(ann)))
	servicetest.Same(t, "there is room again", 1000, len(add(ann, remove(ann, "word0")[:1]...))+1)
	servicetest.Same(t, "others' own", 1, len(add(bob, "x")))
}

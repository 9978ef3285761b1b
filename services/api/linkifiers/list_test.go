package linkifiers_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func(by servicetest.Account) any {
		reply := struct{ Filters any }{}
		by.Do(http.MethodGet, "/realm/filters", nil).OK().Decode(&reply)
		return reply.Filters
	}
	same(t, "no linkifiers", any([]any{}), list(w.gus))
	first, second := w.add(ticket, address), w.add(`a(?P<b>b)`, "https://x.example/%(b)s")
	want := any([]any{[]any{ticket, address, float64(first)}, []any{`a(?P<b>b)`, "https://x.example/%(b)s", float64(second)}})
	same(t, "linkifiers", want, list(w.gus))
	same(t, "another organization's", any([]any{}), list(w.stranger))
	state := struct {
		Filters any `json:"realm_filters"`
	}{}
	w.gus.RegisterInto(params{"event_types": []string{"realm_filters"}}, &state)
	same(t, "state", want, state.Filters)
}

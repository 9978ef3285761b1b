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
	servicetest.Same(t, "no linkifiers", any([]any{}), list(w.gus))
	first, second := w.add(ticket, address), w.add(`a(?P<b>b)`, "https://x.example/%(b)s")
	want := any([]any{[]any{ticket, address, float64(first)}, []any{`a(?P<b>b)`, "https://x.example/%(b)s", float64(second)}})
	servicetest.Same(t, "linkifiers", want, list(w.gus))
	servicetest.Same(t, "another organization's", any([]any{}), list(w.stranger))
	state := struct {
		Filters any `json:"realm_filters"`
	}{}
	w.gus.RegisterInto(params{"event_types": []string{"realm_filters"}}, &state)
	servicetest.Same(t, "state", want, state.Filters)
}

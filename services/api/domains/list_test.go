package domains_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func(by servicetest.Account) string { return by.Do(http.MethodGet, "/realm/domains", nil).OK().Body }
	const none = `{"result":"success","msg":"","domains":[]}` + "\n"
	servicetest.Same(t, "no domains", none, list(w.gus))
	for _, domain := range []string{"plant.example", "corp.example"} {
		w.ada.Do(http.MethodPost, "/realm/domains", params{"domain": domain, "allow_subdomains": domain == "corp.example"}).OK()
	}
	const both = `[{"domain":"corp.example","allow_subdomains":true},{"domain":"plant.example","allow_subdomains":false}]`
	servicetest.Same(t, "domains", `{"result":"success","msg":"","domains":`+both+"}\n", list(w.gus))
	servicetest.Same(t, "another organization's", none, list(w.stranger))
	state := struct {
		Domains any `json:"realm_domains"`
	}{}
	w.gus.RegisterInto(params{"event_types": []string{"realm_domains"}}, &state)
	servicetest.Same(t, "state", any([]any{
		map[string]any{"domain": "corp.example", "allow_subdomains": true}, map[string]any{"domain": "plant.example", "allow_subdomains": false},
	}), state.Domains)
}

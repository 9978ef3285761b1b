package domains_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ada.Do(http.MethodPost, "/realm/domains", params{"domain": "corp.example", "allow_subdomains": true}).OK()
	watch := w.gus.Watch("realm_domains")
	change := func(by servicetest.Account, domain string, below any) servicetest.Answer {
		return by.Do(http.MethodPatch, "/realm/domains/"+domain, params{"allow_subdomains": below})
	}
	change(w.ada, "Corp.example", false).OK()
	servicetest.Same(t, "event", []string{`{"type":"realm_domains","op":"change","realm_domain":{"domain":"corp.example","allow_subdomains":false}}`}, watch.Events())
	w.refused(func(by servicetest.Account) servicetest.Answer { return change(by, "corp.example", true) })
	change(w.ada, "other.example", true).Fails(400, "", "No entry found for domain other.example.")
	change(w.stranger, "corp.example", true).Fails(400, "", "No entry found for domain corp.example.")
	change(w.ada, "corp.example", "yes").Fails(400, bad, `Argument "allow_subdomains" is not valid JSON.`)
	servicetest.Same(t, "events of what was refused", []string{}, watch.Events())
}

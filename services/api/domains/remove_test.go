package domains_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

// Removing the last domain also removes the restriction. Clients get the event of that first.
func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, domain := range []string{"corp.example", "plant.example"} {
		w.ada.Do(http.MethodPost, "/realm/domains", params{"domain": domain, "allow_subdomains": false}).OK()
	}
	w.ada.Do(http.MethodPatch, "/realm", params{"emails_restricted_to_domains": true}).OK()
	watch := w.gus.Watch("realm_domains", "realm")
	remove := func(by servicetest.Account, domain string) servicetest.Answer {
		return by.Do(http.MethodDelete, "/realm/domains/"+domain, nil)
	}
	removed := func(domain string) string { return `{"type":"realm_domains","op":"remove","domain":"` + domain + `"}` }
	w.refused(func(by servicetest.Account) servicetest.Answer { return remove(by, "corp.example") })
	remove(w.stranger, "corp.example").Fails(400, "", "No entry found for domain corp.example.")
	remove(w.ada, "CORP.example").OK()
	remove(w.ada, "corp.example").Fails(400, "", "No entry found for domain corp.example.")
	servicetest.Same(t, "one of two", []string{removed("corp.example")}, watch.Events())
	remove(w.ada, "plant.example").OK()
	servicetest.Same(t, "the last", []string{
		`{"type":"realm","op":"update","property":"emails_restricted_to_domains","value":false}`, removed("plant.example"),
	}, watch.Events())
	w.ada.Do(http.MethodPost, "/realm/domains", params{"domain": "corp.example", "allow_subdomains": false}).OK()
	watch.Events()
	remove(w.ada, "corp.example").OK()
	servicetest.Same(t, "without a restriction", []string{removed("corp.example")}, watch.Events())
}

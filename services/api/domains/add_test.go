package domains_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := w.gus.Watch("realm_domains")
	add := func(by servicetest.Account, domain string) servicetest.Answer {
		return by.Do(http.MethodPost, "/realm/domains", params{"domain": domain, "allow_subdomains": true})
	}
	reply := struct {
		Domain []any `json:"new_domain"`
	}{}
	add(w.ada, `" Corp.Example "`).OK().Decode(&reply)
	number := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select domain_id from email_domains")[0]
	servicetest.Same(t, "answer", []any{float64(number), "corp.example"}, reply.Domain)
	servicetest.Same(t, "event", []string{`{"type":"realm_domains","op":"add","realm_domain":{"domain":"corp.example","allow_subdomains":true}}`}, watch.Events())

	w.refused(func(by servicetest.Account) servicetest.Answer { return add(by, "x.example") })
	add(w.ada, "CORP.example").Fails(400, "", "The domain corp.example is already a part of your organization.")
	for domain, reason := range map[string]string{
		" ":                                     "Domain can't be empty.",
		"localhost":                             "Domain must have at least one dot (.)",
		strings.Repeat("a", 248) + ".example":   "Domain is too long",
		".example":                              "Domain cannot start or end with a dot (.)",
		"example.":                              "Domain cannot start or end with a dot (.)",
		"a..example":                            "Consecutive '.' are not allowed.",
		"-a.example":                            "Subdomains cannot start or end with a '-'.",
		"a.example-":                            "Subdomains cannot start or end with a '-'.",
		"a_b.example":                           "Domain can only have letters, numbers, '.' and '-'s.",
		"ä.example":                             "Domain can only have letters, numbers, '.' and '-'s.",
		"a.example/../b":                        "Domain can only have letters, numbers, '.' and '-'s.",
		strings.Repeat("a.", 127) + "a.example": "Domain is too long",
	} {
		add(w.ada, domain).Fails(400, "", "Invalid domain: "+reason)
	}
	add(w.stranger, "corp.example").OK()
	servicetest.Same(t, "events of what was refused", []string{}, watch.Events())
	storetest.Connect(t, w.DatabaseURL).Exec(`insert into email_domains (org_id, domain, allow_subdomains)
		select $1, n || '.example', false from generate_series(1, 499) n`, w.Org.ID)
	add(w.ada, "one-more.example").Fails(400, bad, "Too many domains (limit: 500)")
}

// Only addresses in the domains may join.
func TestWhoJoins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for domain, below := range map[string]bool{"corp.example": true, "plant.example": false} {
		w.ada.Do(http.MethodPost, "/realm/domains", params{"domain": domain, "allow_subdomains": below}).OK()
	}
	w.ada.Do(http.MethodPatch, "/realm", params{"emails_restricted_to_domains": true}).OK()
	const plus, outside = "Email addresses containing + are not allowed.", "Email '%s' not allowed in this organization"
	for email, refusal := range map[string]string{
		"a@corp.example":           "",
		"b@CORP.Example":           "",
		"c@a.b.corp.example":       "",
		"d@plant.example":          "",
		"e@a.plant.example":        outside,
		"f@notcorp.example":        outside,
		"g@corp.example.evil.test": outside,
		"h@example":                outside,
		"i+j@corp.example":         plus,
		"k+l@evil.test":            plus,
		"m@mailinator.com":         outside, // like any other
	} {
		answer := w.ada.Do(http.MethodPost, "/users", params{"email": email, "full_name": "New Person", "password": "correct horse battery"})
		if refusal == "" {
			answer.OK()
			continue
		}
		if strings.Contains(refusal, "%s") {
			refusal = fmt.Sprintf(refusal, email)
		}
		answer.Fails(400, "", refusal)
	}
	// Without the restriction all addresses may join, except for disposable ones.
	w.ada.Do(http.MethodPatch, "/realm", params{"emails_restricted_to_domains": false}).OK()
	join := func(email string) servicetest.Answer {
		return w.ada.Do(http.MethodPost, "/users", params{"email": email, "full_name": "New Person", "password": "correct horse battery"})
	}
	join("k+l@evil.test").OK()
	join("n@a.Mailinator.com").Fails(400, "", "Disposable email addresses are not allowed in this organization")
}

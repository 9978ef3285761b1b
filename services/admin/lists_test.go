package admin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/services/servicetest"
)

// A list in a document replaces the whole list. Lists that the document omits aren't changed.
func TestListsOfAnOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil)}
	kinds := func() (all []string) {
		for _, e := range w.EventsOf(queues)["ada"] {
			op, _ := e["op"].(string)
			all = append(all, fmt.Sprint(e["type"], " ", op))
		}
		return all
	}
	put := func(spec adminapi.OrganizationSpec, names ...string) adminapi.Organization {
		t.Helper()
		return changed(w.PutOrganization(t.Context(), key, spec))(t, names...)
	}
	domains := []adminapi.Domain{{Domain: "Corp.example"}, {Domain: "lab.example", AllowSubdomains: true}}
	linkifiers := []adminapi.Linkifier{
		{Pattern: "#(?P<id>[0-9]+)", URLFormat: "https://tracker.example/%(id)s"}, {Pattern: " T(?P<id>[0-9]+)", URLFormat: "https://tasks.example/%(id)s "},
	}
	spec := adminapi.OrganizationSpec{Domains: domains, Linkifiers: linkifiers, Settings: map[string]any{"emails_restricted_to_domains": true}}
	state := put(spec, "emails_restricted_to_domains", "domains", "linkifiers")
	if diff := cmp.Diff([]adminapi.Domain{{Domain: "corp.example"}, domains[1]}, state.Domains); diff != "" {
		t.Errorf("domains (-want +got):\n%s", diff)
	}
	trimmed := []adminapi.Linkifier{linkifiers[0], {Pattern: "T(?P<id>[0-9]+)", URLFormat: "https://tasks.example/%(id)s"}}
	if diff := cmp.Diff(trimmed, state.Linkifiers); diff != "" {
		t.Errorf("linkifiers (-want +got):\n%s", diff)
	}
	if got := kinds(); !cmp.Equal(got, []string{"realm_domains add", "realm_domains add", "realm_filters ", "realm_filters ", "realm update"}) {
		t.Errorf("events %v", got)
	}
	put(spec)
	put(adminapi.OrganizationSpec{})
	if got := kinds(); len(got) > 0 {
		t.Errorf("the same again, and nothing, sent %v", got)
	}
	// One item is replaced, and one changed.
	spec.Domains = []adminapi.Domain{{Domain: "lab.example"}, {Domain: "new.example"}}
	spec.Linkifiers = []adminapi.Linkifier{{Pattern: trimmed[0].Pattern, URLFormat: "https://other.example/%(id)s"}, trimmed[1]}
	state = put(spec, "domains", "linkifiers")
	if !cmp.Equal(state.Domains, spec.Domains) || state.Settings["emails_restricted_to_domains"] != true || len(state.Linkifiers) != 2 || state.Linkifiers[1] != spec.Linkifiers[0] {
		t.Errorf("it is %+v", state)
	}
	if got := kinds(); !cmp.Equal(got, []string{"realm_domains change", "realm_domains add", "realm_domains remove", "realm_filters ", "realm_filters "}) {
		t.Errorf("events %v", got)
	}
	// Without domains no one could join, so addresses aren't restricted any more.
	state = put(adminapi.OrganizationSpec{Domains: []adminapi.Domain{}, Linkifiers: []adminapi.Linkifier{}}, "domains", "linkifiers")
	if len(state.Domains)+len(state.Linkifiers) > 0 || state.Settings["emails_restricted_to_domains"] != false {
		t.Errorf("it is %+v", state)
	}
	before := put(adminapi.OrganizationSpec{Domains: domains[:1], Linkifiers: linkifiers}, "domains", "linkifiers")
	bad := func(spec adminapi.OrganizationSpec, msg string) {
		t.Helper()
		_, err := w.PutOrganization(t.Context(), key, spec)
		if !adminclient.IsRefused(err) || !strings.Contains(err.Error(), msg) {
			t.Errorf("got %v, want %s", err, msg)
		}
		if diff := cmp.Diff(before, put(adminapi.OrganizationSpec{})); diff != "" {
			t.Errorf("after %s (-before +after):\n%s", msg, diff)
		}
		spec.Subdomain, spec.Name = new("unmade"), new("Unmade")
		if _, err := w.PutOrganization(t.Context(), "unmade", spec); !adminclient.IsRefused(err) {
			t.Errorf("a new organization: %v", err)
		}
		if _, err := w.Organization(t.Context(), "unmade"); !adminclient.IsNotFound(err) {
			t.Errorf("an organization with what is refused: %v", err)
		}
	}
	bad(adminapi.OrganizationSpec{Domains: []adminapi.Domain{{Domain: "localhost"}}}, "Invalid domain: Domain must have at least one dot (.)")
	bad(adminapi.OrganizationSpec{Domains: []adminapi.Domain{{Domain: "a.example"}, {Domain: "A.example", AllowSubdomains: true}}},
		"The domain a.example is already a part of your organization.")
	bad(adminapi.OrganizationSpec{Linkifiers: []adminapi.Linkifier{{Pattern: "(", URLFormat: "https://a.example/%(id)s"}}},
		"Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-].")
	bad(adminapi.OrganizationSpec{Linkifiers: []adminapi.Linkifier{trimmed[0], trimmed[0]}}, "Realm filter with this Realm and Pattern already exists.")
	many := make([]adminapi.Linkifier, 51)
	for i := range many {
		many[i] = adminapi.Linkifier{Pattern: fmt.Sprintf("t%d(?P<id>[0-9]+)", i), URLFormat: "https://a.example/%(id)s"}
	}
	bad(adminapi.OrganizationSpec{Linkifiers: many}, "Too many linkifiers (limit: 50)")
}

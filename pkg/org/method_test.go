package org_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// If an organization hasn't chosen any sign-in methods, all are enabled.
func TestMethods(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	with := func(methods ...org.Method) *org.Service {
		return org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https", Methods: methods}, time.Now)
	}
	first, more := with(org.Method{Name: "idp_1"}), with(org.Method{Name: "idp_1"}, org.Method{Name: "idp_2"}, org.Method{Name: "idp_3", Subdomains: []string{"other"}})
	made, err := first.Create(t.Context(), org.Draft{Subdomain: "acme", Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(s *org.Service, want map[string]bool) {
		t.Helper()
		found, err := s.ByHost(t.Context(), "acme.chat.example")
		if diff := cmp.Diff(want, found.Settings.AuthenticationMethods); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	choose := func(s *org.Service, text string) (changed []string) {
		t.Helper()
		err := db.Write(t.Context(), made.ID, func(tx *store.Tx) (err error) {
			_, changed, err = s.Change(t.Context(), tx, org.Change{Settings: map[string]json.RawMessage{"authentication_methods": json.RawMessage(text)}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	open(with(), map[string]bool{"Email": true})
	open(first, map[string]bool{"Email": true, "idp_1": true})
	open(more, map[string]bool{"Email": true, "idp_1": true, "idp_2": true})
	// A change of another setting isn't a choice.
	err = db.Write(t.Context(), made.ID, func(tx *store.Tx) error {
		_, changed, err := first.Change(t.Context(), tx, org.Change{Name: new("Acme again")})
		if len(changed) != 1 {
			t.Errorf("changed %q", changed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	open(more, map[string]bool{"Email": true, "idp_1": true, "idp_2": true})

	if changed := choose(first, `{"Email": true}`); len(changed) != 1 {
		t.Errorf("changed %q", changed)
	}
	open(first, map[string]bool{"Email": true, "idp_1": false})
	open(more, map[string]bool{"Email": true, "idp_1": false, "idp_2": false})
	if changed := choose(first, `{"Email": true}`); len(changed) != 0 {
		t.Errorf("choosing the current methods changed %q", changed)
	}
	// Choosing the current methods is a choice, even if passwords are the server's only method.
	choose(first, `{"Email": true, "idp_1": true}`)
	choose(with(), `{"Email": true}`)
	open(first, map[string]bool{"Email": true, "idp_1": false})
	choose(first, `{"Email": false, "idp_1": true}`)
	open(more, map[string]bool{"Email": false, "idp_1": true, "idp_2": false})
	// If the server loses the only enabled method, passwords work instead, and the choice applies again when the
	// method returns.
	open(with(org.Method{Name: "idp_2"}, org.Method{Name: "idp_1", Subdomains: []string{"other"}}), map[string]bool{"Email": true, "idp_2": false})
	open(first, map[string]bool{"Email": false, "idp_1": true})
	choose(more, `{"Email": true, "idp_1": true, "idp_2": true, "idp_3": true}`)
	open(more, map[string]bool{"Email": true, "idp_1": true, "idp_2": true})
	for _, none := range []string{`{}`, `{"Email": false}`, `{"idp_3": true}`, `{"Email": false, "LDAP": true}`, `null`} {
		err := db.Write(t.Context(), made.ID, func(tx *store.Tx) error {
			_, _, err := more.Change(t.Context(), tx, org.Change{Settings: map[string]json.RawMessage{"authentication_methods": json.RawMessage(none)}})
			return err
		})
		if !errors.Is(err, org.ErrSetting) {
			t.Errorf("%s: %v", none, err)
		}
	}
	open(more, map[string]bool{"Email": true, "idp_1": true, "idp_2": true})
}

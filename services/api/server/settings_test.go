package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/servicetest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	orgs := org.New(db, org.Config{
		ExternalHost: "chat.example", ExternalScheme: "https", Methods: []org.Method{{Name: "idp_1", Subdomains: []string{"other"}}},
	}, time.Now)
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now, Failed: servicetest.Declared(t)},
		[]endpoint.Endpoint{server.Settings(orgs, nil, "1.2.3")})
	create := func(draft org.Draft) org.Org {
		made, err := orgs.Create(t.Context(), draft, nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	noPasswords := org.Defaults()
	noPasswords.AuthenticationMethods = map[string]bool{"Email": false, "idp_1": true}
	acme := create(org.Draft{Subdomain: "acme", Name: "Acme", Description: "*us*", RenderedDescription: "<p><em>us</em></p>", Settings: org.Defaults()})
	other := create(org.Draft{Subdomain: "other", Name: "Other", Settings: noPasswords})
	check := func(host, userAgent string, status int, want map[string]any) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/server_settings", nil)
		r.Host = host
		r.Header.Set("User-Agent", userAgent)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		servicetest.KeepsContract(t, r, w)
		got := map[string]any{}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); w.Code != status || diff != "" {
			t.Errorf("%s: status %d, want %d; body (-want +got):\n%s", host, w.Code, status, diff)
		}
	}
	methods := func(passwords bool) map[string]any {
		return map[string]any{
			"password": passwords, "email": passwords, "dev": false, "ldap": false, "remoteuser": false, "saml": false,
			"idp_1": !passwords, "idp_2": false, "idp_3": false, "idp_4": false, "idp_5": false,
		}
	}
	common := map[string]any{
		"result": "success", "msg": "", "authentication_methods": methods(true), "external_authentication_methods": []any{},
		"service_version": "1.2.3", "service_feature_level": 27.0, "push_notifications_enabled": false, "is_incompatible": false,
		"email_auth_enabled": true, "require_email_format_usernames": true,
	}
	with := func(changes map[string]any) map[string]any {
		all := maps.Clone(common)
		maps.Copy(all, changes)
		return all
	}
	icon := func(o org.Org) string { return "/icon/" + strconv.FormatInt(int64(o.ID), 10) + "?v=1" }
	ofAcme := with(map[string]any{
		"realm_uri": "https://acme.chat.example", "realm_name": "Acme", "realm_icon": icon(acme),
		"realm_description": "<p><em>us</em></p>",
	})
	check("acme.chat.example", "ZulipPython/0.9", http.StatusOK, ofAcme)
	check("ACME.chat.example:443", "", http.StatusOK, ofAcme)
	ofAcme["is_incompatible"] = true
	check("acme.chat.example", "ZulipInvalid/5.0 (Android)", http.StatusOK, ofAcme)
	ofAcme["is_incompatible"] = false
	check("acme.chat.example", "ZulipInvalidNot/5.0", http.StatusOK, ofAcme)
	check("other.chat.example", "x", http.StatusOK, with(map[string]any{
		"authentication_methods": methods(false), "email_auth_enabled": false,
		"realm_uri": "https://other.chat.example", "realm_name": "Other", "realm_icon": icon(other),
		"realm_description": "<p>A place to talk and to work together.</p>",
	}))
	// The root domain of a server with subdomains has no organization, and no fields about one.
	check("chat.example", "x", http.StatusOK, with(map[string]any{"realm_uri": "https://chat.example"}))
	check("nobody.chat.example", "x", http.StatusBadRequest, map[string]any{
		"result": "error", "code": "BAD_REQUEST", "msg": "Invalid subdomain",
	})
	gone := create(org.Draft{Subdomain: "gone", Name: "Gone", Settings: org.Defaults()})
	err := db.Write(t.Context(), gone.ID, func(tx *store.Tx) error {
		_, _, err := orgs.Change(t.Context(), tx, org.Change{Deactivated: new(true)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check("gone.chat.example", "x", http.StatusOK, with(map[string]any{
		"realm_uri": "https://gone.chat.example", "realm_name": "Gone", "realm_icon": icon(gone),
		"realm_description": "<p>A place to talk and to work together.</p>", "realm_deactivated": true,
	}))
	create(org.Draft{Name: "Root", Settings: org.Defaults()})
	check("127.0.0.1:8080", "x", http.StatusOK, with(map[string]any{
		"realm_uri": "https://chat.example", "realm_name": "Root", "realm_icon": "/icon/4?v=1",
		"realm_description": "<p>A place to talk and to work together.</p>",
	}))
}

// Each organization shows the providers that it may use and hasn't turned off.
func TestProviders(t *testing.T) {
	t.Parallel()
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https", Methods: []org.Method{
		{Name: "idp_1"}, {Name: "idp_3", Subdomains: []string{"acme", "off"}}, {Name: org.Development},
	}}
	orgs := org.New(storetest.Open(t), config, time.Now)
	providers := []provider.Provider{{Slot: "idp_1", DisplayName: "One"}, {Slot: "idp_3", DisplayName: "Three", DisplayIcon: new("https://three.example/i.png")}}
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now, Failed: servicetest.Declared(t)},
		[]endpoint.Endpoint{server.Settings(orgs, providers, "1.2.3")})
	off := org.Defaults()
	off.AuthenticationMethods = map[string]bool{"Email": false, "idp_3": true}
	for subdomain, settings := range map[string]org.Settings{"acme": org.Defaults(), "other": org.Defaults(), "off": off} {
		if _, err := orgs.Create(t.Context(), org.Draft{Subdomain: subdomain, Name: subdomain, Settings: settings}, nil); err != nil {
			t.Fatal(err)
		}
	}
	one := map[string]any{
		"name": "idp_1", "display_name": "One", "display_icon": nil,
		"login_url": "/accounts/login/social/idp_1", "signup_url": "/accounts/register/social/idp_1",
	}
	three := map[string]any{
		"name": "idp_3", "display_name": "Three", "display_icon": "https://three.example/i.png",
		"login_url": "/accounts/login/social/idp_3", "signup_url": "/accounts/register/social/idp_3",
	}
	for host, want := range map[string]struct {
		external []any
		open     []string
	}{
		"acme.chat.example":  {[]any{one, three}, []string{"dev", "email", "idp_1", "idp_3", "password"}},
		"other.chat.example": {[]any{one}, []string{"dev", "email", "idp_1", "password"}},
		"off.chat.example":   {[]any{three}, []string{"idp_3"}},
		"chat.example":       {[]any{}, []string{"email", "password"}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/server_settings", nil)
		r.Host = host
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		servicetest.KeepsContract(t, r, w)
		got := struct {
			Methods  map[string]bool `json:"authentication_methods"`
			External []any           `json:"external_authentication_methods"`
		}{}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		open := []string{}
		for name, ok := range got.Methods {
			if ok {
				open = append(open, name)
			}
		}
		slices.Sort(open)
		if diff := cmp.Diff(want.external, got.External) + cmp.Diff(want.open, open); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
	}
}

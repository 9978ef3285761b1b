package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/provider"
)

func write(t *testing.T, text string) provider.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "providers.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return provider.Config{File: file}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	if all, err := (provider.Config{}).Load(); len(all) != 0 || err != nil {
		t.Errorf("without a file: %v, %v", all, err)
	}
	all, err := write(t, `{
		"idp_2": {"issuer": "http://127.0.0.1:9/x", "client_id": "b", "display_name": "B", "scopes": [], "organizations": ["", "acme"], "trust_emails": true},
		"idp_1": {"issuer": "https://a.example", "client_id": "a", "client_secret": "s", "display_name": "A", "display_icon": "https://a.example/i.png",
			"groups_claim": "groups", "roles": {"bosses": "owner", "*": "guest"}}
	}`).Load()
	want := []provider.Provider{
		{
			Slot: "idp_1", Issuer: "https://a.example", ClientID: "a", ClientSecret: "s", DisplayName: "A", DisplayIcon: new("https://a.example/i.png"),
			Scopes: []string{"email", "profile"}, GroupsClaim: "groups", Roles: map[string]actor.Role{"bosses": actor.Owner, "*": actor.Guest},
		},
		{
			Slot: "idp_2", Issuer: "http://127.0.0.1:9/x", ClientID: "b", DisplayName: "B", Scopes: []string{}, Roles: map[string]actor.Role{},
			TrustEmails: true, Organizations: []string{"", "acme"},
		},
	}
	if diff := cmp.Diff(want, all); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	one := func(members string) string {
		return `{"idp_1": {"issuer": "https://a.example", "client_id": "a", "client_secret": "hidden", "display_name": "A"` + members + `}}`
	}
	for text, want := range map[string]string{
		`[`:                                   "providers.json: ",
		`{}{}`:                                "more than one JSON value",
		`{"idp_6": {}}`:                       `there is no slot "idp_6"`,
		`{"idp_1": {}}`:                       `idp_1: the issuer "" is not an address`,
		one(`, "secret": "x"`):                `unknown field "secret"`,
		one(`, "issuer": "http://a.example"`): "must begin with https://",
		one(`, "issuer": "https://u:p@a.example"`):      "is not an address",
		one(`, "issuer": "https://a.example?x"`):        "is not an address",
		one(`, "client_id": ""`):                        "client_id and display_name",
		one(`, "display_icon": "javascript:alert(1)"`):  "display_icon",
		one(`, "roles": {"g": "owner"}`):                "roles are set without groups_claim",
		one(`, "organizations": ["acme", "Acme"]`):      `the organization "Acme" is not a subdomain`,
		one(`, "organizations": ["acme.chat.example"]`): `the organization "acme.chat.example" is not a subdomain`,
		one(`, "groups_claim": "g", "roles": {"g": "god", "c": "member", "b": "Owner", "a": ""}`): `the role of the group "a" is "", ` +
			`the role of the group "b" is "Owner", the role of the group "g" is "god": roles are owner, administrator, member and guest`,
		one(`, "scopes": ["` + strings.Repeat("x", 300<<10) + `"]`): "more than 262144 bytes",
	} {
		_, err := write(t, text).Load()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "IDENTITY_PROVIDERS_FILE: ") {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("the secret is shown: %v", err)
		}
	}
	if _, err := (provider.Config{File: filepath.Join(t.TempDir(), "none")}).Load(); err == nil {
		t.Error("a missing file was accepted")
	}
}

// A provider's discovery document can send secrets only to addresses with TLS.
func TestCheckEndpoint(t *testing.T) {
	t.Parallel()
	const remote, local = "https://login.example", "http://127.0.0.1:9000"
	for _, c := range []struct {
		issuer, address string
		ok              bool
	}{
		{remote, "https://login.example/token", true},
		{remote, "https://keys.example/jwks", true},
		{remote, "http://login.example/token", false},
		{remote, "http://127.0.0.1:6379/", false},
		{remote, "http://localhost/token", false},
		{remote, "javascript:alert(1)", false},
		{remote, "https:///token", false},
		{remote, "/token", false},
		{remote, "", false},
		{local, "http://127.0.0.1:9000/token", true},
		{local, "http://localhost:9001/jwks", true},
		{local, "https://login.example/token", true},
		{local, "http://login.example/token", false},
		{local, "file://localhost/etc/passwd", false},
		{"https://127.0.0.1:9000", "http://127.0.0.1:9000/token", false},
	} {
		if err := (provider.Provider{Issuer: c.issuer}).CheckEndpoint(c.address); (err == nil) != c.ok {
			t.Errorf("%s names %q: %v", c.issuer, c.address, err)
		}
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	p := provider.Provider{GroupsClaim: "groups", Roles: map[string]actor.Role{"bosses": actor.Owner, "helpers": actor.Administrator, "outside": actor.Guest}}
	for _, c := range []struct {
		groups []string
		want   actor.Role
	}{
		{nil, actor.Member},
		{[]string{"others"}, actor.Member},
		{[]string{"outside"}, actor.Guest},
		{[]string{"outside", "helpers", "bosses", "others"}, actor.Owner},
		{[]string{"helpers", "outside"}, actor.Administrator},
	} {
		if got, ok := p.Role(c.groups); got != c.want || !ok {
			t.Errorf("%v: %v, %v, want %v", c.groups, got, ok, c.want)
		}
	}
	p.Roles[provider.Everybody] = actor.Guest
	if got, _ := p.Role([]string{"others"}); got != actor.Guest {
		t.Errorf("of none of the groups: %v", got)
	}
	p.Roles[provider.Everybody] = actor.Owner
	if got, _ := p.Role([]string{"outside"}); got != actor.Guest {
		t.Errorf("with a group, the role of Everybody: %v", got)
	}
	p.Roles = map[string]actor.Role{provider.Everybody: actor.Owner, "x": actor.Guest}
	if got, _ := p.Role([]string{provider.Everybody, "x"}); got != actor.Guest {
		t.Errorf("a group with the name Everybody: %v", got)
	}
	if _, ok := (provider.Provider{GroupsClaim: "groups"}).Role([]string{"bosses"}); ok {
		t.Error("without roles")
	}
}

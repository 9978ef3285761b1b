package moving_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// Sign-in methods that aren't enabled in the archive stay disabled, whatever methods the server has.
func TestMethods(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t, org.Method{Name: "GitHub"}, org.Method{Name: "LDAP"})
	long := []any{}
	for i := range 200 {
		long = append(long, []any{fmt.Sprintf("way %d", i), false})
	}
	table := func(realm int, names ...string) rows {
		all := rows{}
		for i, name := range names {
			all = append(all, map[string]any{"id": i, "realm": realm, "name": name})
		}
		return all
	}
	for i, test := range []struct {
		list  any
		table rows
		all   bool
		want  string
		left  string
	}{
		{list: nil, want: "Email GitHub LDAP"},
		{list: []any{[]any{"Email", true}}, want: "Email"},
		{list: []any{[]any{"Email", true}}, all: true, want: "Email GitHub LDAP"},
		{list: []any{[]any{"Email", false}, []any{"LDAP", true}, []any{"SAML", true}}, want: "LDAP", left: "passwords are enabled only while"},
		{list: []any{[]any{"Email", false}, []any{"SAML", true}, []any{"LDAP", false}}, want: "Email", left: "passwords are enabled only while"},
		{list: []any{[]any{"Email", false}, []any{"LDAP", false}}, want: "Email", left: "so passwords are"},
		{list: []any{[]any{"Email", true}, []any{"LDAP", "true"}, "GitHub", []any{"GitHub", true, true}, []any{7, true}}, want: "Email", left: "aren't known in this form"},
		{list: map[string]any{"LDAP": true}, want: "Email", left: "aren't known in this form"},
		{list: 255, want: "Email", left: "aren't known in this form"},
		{list: []any{}, want: "Email", left: "so passwords are"},
		{list: append(long, []any{"LDAP", true}), want: "Email", left: "aren't known in this form"},
		{list: []any{[]any{"a\x00", true}, []any{"GitHub", true}}, want: "GitHub", left: "aren't known in this form"},
		{table: table(1, "LDAP", "Email"), want: "Email LDAP"},
		{table: table(1, "Email"), want: "Email"},
		{table: append(table(2, "LDAP"), table(1, "GitHub")...), want: "GitHub", left: "passwords are enabled only while"},
		{table: table(2, "LDAP"), want: "Email GitHub LDAP"},
		{list: []any{[]any{"Email", true}}, table: table(1, "LDAP"), want: "Email"},
	} {
		realm := map[string]any{"id": 1, "string_id": "x", "name": "Import", "authentication_methods": test.list, "all_authentication_methods": test.all}
		made, left := newer(t, w, "m"+strings.Repeat("x", i), map[string]rows{"zerver_realm": {realm}, "zerver_realmauthenticationmethod": append(rows{}, test.table...)})
		methods := map[string]bool{}
		if err := json.Unmarshal(organizationSettings(t, w, made)["authentication_methods"], &methods); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(methods, func(_ string, open bool) bool { return !open })
		if got := strings.Join(slices.Sorted(maps.Keys(methods)), " "); got != test.want {
			t.Errorf("%v%v: %s are open, want %s", test.list, test.table, got, test.want)
		}
		if test.left == "" && len(left) > 0 || !leaves(left, test.left) && test.left != "" {
			t.Errorf("%v%v: the report has %v", test.list, test.table, left)
		}
	}
}

// An archive contains the organization's choice of sign-in methods, whether the exporting program has the methods or
// not.
func TestChosenMethods(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t, org.Method{Name: "LDAP"})
	db := storetest.Connect(t, w.DatabaseURL)
	all := func(subdomain string) map[string]bool {
		o, err := w.Orgs.ByHost(t.Context(), subdomain+"."+servicetest.Host)
		if err != nil {
			t.Fatal(err)
		}
		return o.Settings.AuthenticationMethods
	}
	for subdomain, settings := range map[string]string{"some": `{"authentication_methods": {"Email": false, "LDAP": true}}`, "none": "{}"} {
		made, _ := newer(t, w, subdomain, nil)
		db.Exec("update organizations set settings = $2 where org_id = $1", made, settings)
		dir := filepath.Join(t.TempDir(), "archive")
		if _, log, err := run(t, w, "export", "--organization", subdomain, "--output", dir); err != nil { // has no LDAP
			t.Fatal(log, err)
		}
		if _, _, err := load(t, w, dir, subdomain+"2"); err != nil {
			t.Fatal(err)
		}
		if was, is := all(subdomain), all(subdomain+"2"); !maps.Equal(was, is) || is["Email"] != (subdomain == "none") {
			t.Errorf("%v became %v", was, is)
		}
	}
}

package scim_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/provision"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/scim"
	"chatserver.dev/services/servicetest"
)

// A token is valid in one organization, until it is revoked.
func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrg("rival")
	refused := func(host, token string) {
		t.Helper()
		if status, reply := w.at(host, token, http.MethodGet, "/Users", ""); status != 401 {
			t.Errorf("%d %v", status, reply)
		}
	}
	refused("rival."+servicetest.Host, w.token)
	refused(servicetest.Host, "")
	refused(servicetest.Host, w.owner.Key)
	for authorization, status := range map[string]int{"bearer  " + w.token + " ": 200, "Basic " + w.token: 401, w.token: 401, "": 401} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/scim/v2/Users", nil)
		r.Host = servicetest.Host
		r.Header.Set("Authorization", authorization)
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != status {
			t.Errorf("%.10s…: %d, want %d", authorization, answer.Code, status)
		}
	}
	second := w.issue()
	w.ok(200, http.MethodGet, "/Users", "")
	first := w.token
	w.token = w.issue()
	refused(servicetest.Host, first)
	if status, _ := w.at(servicetest.Host, second, http.MethodGet, "/Users", ""); status != 200 {
		t.Errorf("the token before: %d", status)
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("update organizations set deactivated = true where org_id = $1", w.Org.ID)
	refused(servicetest.Host, w.token)
	sql.Exec("update organizations set deactivated = false where org_id = $1", w.Org.ID)
	w.ok(200, http.MethodGet, "/Users", "")
	err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) error {
		_, err := provision.RevokeTokens(t.Context(), tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	refused(servicetest.Host, w.token)
}

// reading is a body that calls a function while it is read.
type reading struct {
	io.Reader
	during func()
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	r.during()
	return r.Reader.Read(p)
}

// A token that is revoked while the body of a call arrives isn't used.
func TestTokenIsRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	w.handler = scim.New(scim.Deps{Orgs: w.Orgs, People: w.Provision, Now: func() time.Time { return now }, Logger: w.Logger})
	sql := storetest.Connect(t, w.DatabaseURL)
	rival := w.NewOrg("rival")
	move := func(org id.Org, to string) string {
		return fmt.Sprintf("update organizations set subdomain = '%s' where org_id = %d;", to, org)
	}
	for _, c := range []struct {
		during string // a statement
		status int
	}{
		{"select", 201},
		{"update organizations set deactivated = true", 401},
		{move(w.Org.ID, "moved") + move(rival.ID, ""), 401},
		{"delete from scim_tokens", 401},
	} {
		sql.Exec(move(rival.ID, "rival") + move(w.Org.ID, "") + "update organizations set deactivated = false")
		body := &reading{strings.NewReader(`{"userName": "new@` + servicetest.Host + `", "active": true}`), func() {
			sql.Exec(c.during)
			now = now.Add(2 * time.Second)
		}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/scim/v2/Users", body)
		r.Host = servicetest.Host
		r.Header.Set("Authorization", "Bearer "+w.token)
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != c.status {
			t.Errorf("%d %s, want %d", answer.Code, answer.Body, c.status)
		}
	}
}

// Wrong tokens are limited by network. Then the database isn't asked about any but those that were valid before, which stay so.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now() // no call is regained while the test runs
	w.handler = scim.New(scim.Deps{Orgs: w.Orgs, People: w.Provision, Now: func() time.Time { return now }, Logger: w.Logger})
	get := func(token string) int {
		status, _ := w.at(servicetest.Host, token, http.MethodGet, "/Users", "")
		return status
	}
	if status := get(w.token); status != 200 {
		t.Fatal(status)
	}
	limited := slices.IndexFunc(slices.Repeat([]string{"wrong"}, 200), func(token string) bool { return get(token) == 429 })
	if limited < 0 {
		t.Fatal("any number of wrong tokens")
	}
	second := w.issue() // the first stays valid
	if status := get(second); status != 429 {
		t.Errorf("a token of which nothing is known: %d", status)
	}
	if status := get(w.token); status != 200 {
		t.Errorf("a token that was valid before: %d", status)
	}
	w.issue()
	if first, again := get(w.token), get(w.token); first != 401 || again != 429 {
		t.Errorf("a token that is valid no more: %d, then %d", first, again)
	}
}

// A token of one organization can't read or change another's accounts and groups, or add its accounts to a group.
func TestOtherOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rival := w.NewOrg("rival")
	eve := w.Account(rival, user.Draft{FullName: "Eve Secret", RealEmail: "eve@rival.example", Role: actor.Owner})
	group := struct{ ID int64 }{}
	eve.Do(http.MethodPost, "/user_groups/create", servicetest.Params{"name": "secret", "description": "", "members": []id.User{eve.ID}}).OK()
	sql := storetest.Connect(t, w.DatabaseURL)
	group.ID = storetest.Values[int64](sql, "select group_id from user_groups where org_id = $1", rival.ID)[0]
	rows := func() []string {
		return storetest.Values[string](sql, `select to_jsonb(u)::text from users u where org_id = $1
			union all select to_jsonb(g)::text from user_groups g where org_id = $1 union all select to_jsonb(s)::text from scim_users s where org_id = $1 order by 1`, rival.ID)
	}
	before := rows()
	person, theirs := eve.ID.String(), strconv.FormatInt(group.ID, 10)
	for path, bodies := range map[string][2]string{
		"/Users/":  {mia, `{"Operations":[{"op":"replace","value":{"active":false}}]}`},
		"/Groups/": {`{"displayName":"mine"}`, `{"Operations":[{"op":"replace","value":{"displayName":"mine"}}]}`},
	} {
		for _, number := range map[string][]string{"/Users/": {person, "987654321"}, "/Groups/": {theirs, "987654321"}}[path] {
			w.fails(404, "", http.MethodGet, path+number, "")
			w.fails(404, "", http.MethodPut, path+number, bodies[0])
			w.fails(404, "", http.MethodPatch, path+number, bodies[1])
			w.fails(404, "", http.MethodDelete, path+number, "")
		}
	}
	_, other := w.do(http.MethodPost, "/Groups", `{"displayName":"ours","members":[{"value":"`+person+`"}]}`)
	_, nobody := w.do(http.MethodPost, "/Groups", `{"displayName":"ours","members":[{"value":"987654321"}]}`)
	if diff := cmp.Diff(strings.ReplaceAll(fmt.Sprint(nobody), "987654321", person), fmt.Sprint(other)); diff != "" {
		t.Errorf("a member of another organization and an unknown one (-unknown +other):\n%s", diff)
	}
	if found := w.list(`userName eq "eve@rival.example"`); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	if diff := cmp.Diff(before, rows()); diff != "" {
		t.Errorf("another organization's rows changed:\n%s", diff)
	}
}

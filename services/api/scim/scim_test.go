package scim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
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

// world is a server with an identity provider that has a token of the first organization.
type world struct {
	*servicetest.World
	t       *testing.T
	handler http.Handler
	token   string
	owner   servicetest.Account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t}
	w.handler = scim.New(scim.Deps{Orgs: w.Orgs, People: w.Provision, Now: time.Now, Logger: w.Logger})
	w.owner = w.Person("Olga", actor.Owner)
	w.token = w.issue()
	return w
}

func (w *world) issue() (token string) {
	w.t.Helper()
	return w.issueIn(w.Org.ID)
}

func (w *world) issueIn(in id.Org) (token string) {
	w.t.Helper()
	err := w.DB.Write(w.t.Context(), in, func(tx *store.Tx) (err error) {
		token, err = provision.IssueToken(w.t.Context(), tx)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

type object = map[string]any

// at makes a call at a host with a token.
func (w *world) at(host, token, method, path, body string) (status int, reply object) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, "/scim/v2"+path, strings.NewReader(body))
	r.Host = host
	r.Header.Set("Authorization", "Bearer "+token)
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Body.Len() == 0 {
		return answer.Code, nil
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &reply); err != nil || answer.Header().Get("Content-Type") != "application/scim+json" {
		w.t.Fatalf("%s %s: %d %s, %v", method, path, answer.Code, answer.Body, err)
	}
	return answer.Code, reply
}

func (w *world) do(method, path, body string) (status int, reply object) {
	w.t.Helper()
	return w.at(servicetest.Host, w.token, method, path, body)
}

// ok fails the test unless a call has the status.
func (w *world) ok(want int, method, path, body string) object {
	w.t.Helper()
	status, reply := w.do(method, path, body)
	if status != want {
		w.t.Fatalf("%s %s %s: %d %v, want %d", method, path, body, status, reply, want)
	}
	return reply
}

// fails checks that a call fails with the status and the kind.
func (w *world) fails(want int, kind, method, path, body string) {
	w.t.Helper()
	status, reply := w.do(method, path, body)
	got, _ := reply["scimType"].(string)
	if status != want || got != kind || reply["status"] != strconv.Itoa(want) || reply["detail"] == "" {
		w.t.Errorf("%s %s %.200s: %d %v, want %d %q", method, path, body, status, reply, want, kind)
	}
}

func (w *world) list(filter string) []string {
	w.t.Helper()
	names := []string{}
	resources, _ := w.ok(200, http.MethodGet, "/Users?filter="+url.QueryEscape(filter), "")["Resources"].([]any)
	for _, r := range resources {
		name, _ := r.(object)["userName"].(string)
		names = append(names, name)
	}
	return names
}

const mia = `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"MIA","externalId":"x1","displayName":"Mia Moor",
	"name":{"givenName":"No","familyName":"Matter"},"emails":[{"value":"other@corp.example"},{"value":"mia@corp.example","primary":true,"type":"work"}],"title":"ignored"}`

func TestProvision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watching := w.owner.Watch("realm_user")
	made := w.ok(201, http.MethodPost, "/Users", mia)
	id, _ := made["id"].(string)
	meta, _ := made["meta"].(object)
	delete(made, "meta")
	want := object{
		"schemas": []any{"urn:ietf:params:scim:schemas:core:2.0:User"}, "id": id, "externalId": "x1", "userName": "MIA", "displayName": "Mia Moor",
		"emails": []any{object{"value": "mia@corp.example"}}, "active": true,
	}
	if diff := cmp.Diff(want, made); diff != "" || meta["location"] != "https://chat.example/scim/v2/Users/"+id || meta["resourceType"] != "User" {
		t.Errorf("%v (-want +got):\n%s", meta, diff)
	}
	w.fails(409, "uniqueness", http.MethodPost, "/Users", mia)
	w.fails(409, "uniqueness", http.MethodPost, "/Users", `{"userName":"mia","emails":[{"value":"mia2@corp.example"}]}`)

	// Requests of identity providers.
	patch := func(operations string) object {
		t.Helper()
		return w.ok(200, http.MethodPatch, "/Users/"+id, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[`+operations+`]}`)
	}
	for operations, want := range map[string]object{
		`{"op":"Replace","path":"displayName","value":"Mia M"}`:                                                  {"displayName": "Mia M"},
		`{"op":"add","value":{"displayName":"Mia N","externalId":"x2"}}`:                                         {"displayName": "Mia N", "externalId": "x2"},
		`{"op":"Add","path":"emails[type eq \"work\"].value","value":"MIA@corp.example"}`:                        {},
		`{"op":"replace","value":{"urn:ietf:params:scim:schemas:core:2.0:User:userName":"mia@corp.example"}}`:    {"userName": "mia@corp.example"},
		`{"op":"remove","path":"externalId"}`:                                                                    {"externalId": nil},
		`{"op":"replace","path":"name.familyName","value":"Ignored"},{"op":"Add","path":"title","value":"Boss"}`: {},
	} {
		got := patch(operations)
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %v", operations, got)
			}
		}
	}
	if got := patch(`{"op":"Replace","path":"active","value":"False"}`); got["active"] != false {
		t.Errorf("%v", got)
	}
	if got := patch(`{"op":"replace","value":{"active":true}}`); got["active"] != true {
		t.Errorf("%v", got)
	}
	put := w.ok(200, http.MethodPut, "/Users/"+id, `{"USERNAME":"mia@corp.example","name":{"givenName":"Mia","familyName":"Put"},"active":false}`)
	if put["displayName"] != "Mia Put" || put["active"] != false || put["externalId"] != nil {
		t.Errorf("%v", put)
	}
	// A deactivated account isn't activated by a provider that doesn't say so.
	if put = w.ok(200, http.MethodPut, "/Users/"+id, `{"userName":"mia@corp.example","displayName":"Mia New"}`); put["displayName"] != "Mia New" || put["active"] != false {
		t.Errorf("%v", put)
	}
	ops := strings.Count(strings.Join(watching.Events(), "\n"), `"op":"remove"`)
	if ops != 2 {
		t.Errorf("she left %d times for others", ops)
	}

	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("insert into identities (org_id, issuer, subject, user_id) values ($1, 'https://login.example', 'mia', $2)", w.Org.ID, id)
	w.ok(204, http.MethodDelete, "/Users/"+id, "")
	servicetest.Same(t, "people who can sign in as her", []int64{0}, storetest.Values[int64](sql, "select count(*) from identities"))
	w.fails(404, "", http.MethodGet, "/Users/"+id, "")
	w.fails(404, "", http.MethodPatch, "/Users/"+id, `{"Operations":[{"op":"replace","path":"active","value":true}]}`)
	w.fails(404, "", http.MethodDelete, "/Users/"+id, "")
	if again := w.ok(201, http.MethodPost, "/Users", mia); again["id"] != id || again["active"] != true || again["displayName"] != "Mia Moor" {
		t.Errorf("a returning person gets %v", again)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot := w.Bot("Robot", actor.GenericBot, w.owner)
	w.ok(201, http.MethodPost, "/Users", mia)
	olga := w.owner.RealEmail
	for filter, want := range map[string][]string{
		``:                                   {olga, "MIA"},
		`userName eq "mia"`:                  {"MIA"},
		`USERNAME EQ "` + olga + `"`:         {olga},
		`externalId eq "x1"`:                 {"MIA"},
		`externalId eq "X1"`:                 {},
		`emails.value eq "MIA@corp.example"`: {"MIA"},
		`userName eq "mia" and externalId eq "x1"`:                     {"MIA"},
		`userName eq "mia" and externalId eq "x2"`:                     {},
		`userName eq "` + robot.RealEmail + `"`:                        {},
		`userName eq "notification-bot@chat.example"`:                  {},
		`id eq "` + fmt.Sprint(w.owner.ID) + `"`:                       {olga},
		`id eq "nobody"`:                                               {},
		`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "mia"`: {"MIA"},
		`userName eq "\" or 1=1 --"`:                                   {},
	} {
		if diff := cmp.Diff(want, w.list(filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filter, diff)
		}
	}
	for _, filter := range []string{
		`userName`, `userName co "m"`, `userName eq mia`, `userName eq "mia" or id eq "1"`, `userName eq "mia" and`, `password eq "x"`, `userName eq "m`,
		`userName eq "\u0000"`, `(userName eq "mia")`, strings.Repeat("x", 5000),
	} {
		w.fails(400, "invalidFilter", http.MethodGet, "/Users?filter="+url.QueryEscape(filter), "")
	}
	for query, want := range map[string][3]float64{
		"startIndex=1&count=1": {1, 1, 2}, "startIndex=2&count=5": {2, 1, 2}, "startIndex=3": {3, 0, 2}, "count=0": {1, 0, 2}, "startIndex=-7&count=-1": {1, 0, 2},
		"count=99999999": {1, 2, 2}, "startIndex=9223372036854775807": {1 << 30, 0, 2},
	} {
		got := w.ok(200, http.MethodGet, "/Users?"+query, "")
		if got["startIndex"] != want[0] || got["itemsPerPage"] != want[1] || got["totalResults"] != want[2] {
			t.Errorf("%s: %v", query, got)
		}
	}
	w.fails(400, "invalidValue", http.MethodGet, "/Users?count=x", "")
	for range 40 { // of two, the first is named, always
		if status, reply := w.do(http.MethodGet, "/Users?count=x&startIndex=x", ""); status != 400 || reply["detail"] != "startIndex must be a number" {
			t.Errorf("%d %v", status, reply)
		}
	}
	got := w.ok(200, http.MethodPost, "/Users/.search", `{"filter":"userName eq \"mia\"","attributes":["displayName"]}`)
	if diff := cmp.Diff([]any{object{"schemas": []any{"urn:ietf:params:scim:schemas:core:2.0:User"}, "id": got["Resources"].([]any)[0].(object)["id"], "displayName": "Mia Moor"}}, got["Resources"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot := w.Bot("Robot", actor.GenericBot, w.owner)
	rival := w.NewOrg("rival")
	stranger := w.Account(rival, user.Draft{FullName: "Sly", RealEmail: "sly@rival.example", Role: actor.Owner})
	for _, id := range []any{robot.ID, stranger.ID, 0, -1, "x", "99999999999999999999"} {
		w.fails(404, "", http.MethodGet, fmt.Sprint("/Users/", id), "")
		w.fails(404, "", http.MethodDelete, fmt.Sprint("/Users/", id), "")
		w.fails(404, "", http.MethodPut, fmt.Sprint("/Users/", id), mia)
	}
	owner := fmt.Sprint("/Users/", w.owner.ID)
	w.fails(400, "mutability", http.MethodDelete, owner, "")
	w.fails(400, "mutability", http.MethodPatch, owner, `{"Operations":[{"op":"replace","path":"emails[type eq \"work\"].value","value":"eve@corp.example"}]}`)
	for _, body := range []string{``, `[]`, `null`, `{"userName":`, `"x"`} {
		status, reply := w.do(http.MethodPost, "/Users", body)
		if status != 400 {
			t.Errorf("%s: %d %v", body, status, reply)
		}
	}
	for _, body := range []string{
		`{}`, `{"userName":""}`, `{"userName":7}`, `{"userName":"no address"}`, `{"userName":"a@b.example","displayName":"` + strings.Repeat("x", 101) + `"}`,
		`{"userName":"a@b.example","emails":"x"}`, `{"userName":"a@b.example","emails":[{"value":"x"}]}`, `{"userName":"a@b.example","active":"maybe"}`,
		`{"userName":"a\u0000@b.example"}`, `{"userName":"` + strings.Repeat("x", 1001) + `","emails":[{"value":"a@b.example"}]}`,
		`{"userName":"a@b.example","externalId":"\u0000"}`, `{"userName":"a@b.example","displayName":"**"}`,
		`{"userName":"emailgateway@chat.example"}`,
	} {
		w.fails(400, "invalidValue", http.MethodPost, "/Users", body)
	}
	for operations, kind := range map[string]string{
		`[]`: "invalidSyntax", `[{"op":"move","path":"active"}]`: "invalidSyntax", `[{"op":"remove"}]`: "noTarget", `[{"op":"remove","path":"active"}]`: "mutability",
		`[{"op":"add","value":7}]`: "invalidValue", `[{"op":"add","path":"emails[type eq","value":"x"}]`: "invalidPath", `[{"op":"add","path":"a b","value":"x"}]`: "invalidPath",
		`[` + strings.Repeat(`{"op":"remove","path":"title"},`, 1000) + `{"op":"remove","path":"title"}]`: "invalidSyntax",
	} {
		w.fails(400, kind, http.MethodPatch, owner, `{"Operations":`+operations+`}`)
	}
	w.fails(413, "", http.MethodPost, "/Users", strings.Repeat(" ", 300<<10))
	w.fails(404, "", http.MethodGet, "/Nothing", "")
	w.fails(405, "", http.MethodDelete, "/Users", "")
	w.fails(405, "", http.MethodPost, "/ServiceProviderConfig", "")
}

// A request that somebody else's makes superfluous succeeds.
func TestConcurrentDeactivation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, _ := w.ok(201, http.MethodPost, "/Users", mia)["id"].(string)
	for range 5 {
		w.ok(200, http.MethodPatch, "/Users/"+id, `{"Operations":[{"op":"replace","path":"active","value":true}]}`)
		calls := sync.WaitGroup{}
		for range 8 {
			calls.Go(func() {
				status, reply := w.do(http.MethodPatch, "/Users/"+id, `{"Operations":[{"op":"replace","path":"active","value":false}]}`)
				if status != 200 || reply["active"] != false {
					t.Errorf("%d %v", status, reply)
				}
			})
		}
		calls.Wait()
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, prefix := range map[string]string{"/ResourceTypes": "", "/Schemas": "urn:ietf:params:scim:schemas:core:2.0:"} {
		all := w.ok(200, http.MethodGet, path, "")
		each := []any{w.ok(200, http.MethodGet, path+"/"+prefix+"User", ""), w.ok(200, http.MethodGet, path+"/"+prefix+"Group", "")}
		if diff := cmp.Diff(each, all["Resources"]); diff != "" || all["totalResults"] != 2.0 {
			t.Errorf("%s (-each +all):\n%s", path, diff)
		}
		w.fails(404, "", http.MethodGet, path+"/None", "")
		w.fails(403, "", http.MethodGet, path+"?filter=x", "")
	}
	config := w.ok(200, http.MethodGet, "/ServiceProviderConfig", "")
	if config["patch"].(object)["supported"] != true || config["meta"].(object)["location"] != "https://chat.example/scim/v2/ServiceProviderConfig" {
		t.Errorf("%v", config)
	}
}

package scim_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// members returns the ids of a group's members in the provider's view.
func members(g object) string {
	ids := []string{}
	list, _ := g["members"].([]any)
	for _, m := range list {
		id, _ := m.(object)["value"].(string)
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func TestGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	robot := w.Bot("Robot", actor.GenericBot, w.owner)
	watch := bob.Watch("user_group")
	a, b := ann.ID.String(), bob.ID.String()
	made := w.ok(201, http.MethodPost, "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":" Cranes ","externalId":"g1",
		"members":[{"value":"`+b+`","display":"Bob"},{"value":"`+a+`","type":"user"},{"value":"`+a+`"}]}`)
	id, _ := made["id"].(string)
	of := func(id string) object {
		return object{"value": id, "$ref": "https://chat.example/scim/v2/Users/" + id, "type": "User"}
	}
	want := object{
		"schemas": []any{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "id": id, "externalId": "g1", "displayName": "Cranes", "members": []any{of(a), of(b)},
		"meta": object{"resourceType": "Group", "location": "https://chat.example/scim/v2/Groups/" + id},
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.fails(409, "uniqueness", http.MethodPost, "/Groups", `{"displayName":"Cranes"}`)
	w.owner.Do(http.MethodPost, "/user_groups/"+id+"/members", servicetest.Params{"add": []int64{int64(robot.ID)}}).OK()

	// Requests of identity providers: each change, and the group's members after it.
	for _, c := range []struct{ operations, want string }{
		{`{"op":"Remove","path":"members","value":[{"value":"` + a + `"}]}`, b},
		{`{"op":"add","path":"members","value":[{"value":"` + a + `"},{"value":"` + b + `"}]}`, a + " " + b},
		{`{"op":"remove","path":"members[value eq \"` + b + `\"]"}`, a},
		{`{"op":"remove","path":"members[value eq \"` + b + `\"]"}`, a},
		{`{"op":"Add","value":{"members":[{"value":"` + b + `"}]}}`, a + " " + b},
		{`{"op":"remove","path":"members"}`, ""},
		{`{"op":"replace","path":"members","value":[{"value":"` + b + `"}]}`, b},
		{`{"op":"replace","value":{"id":"` + id + `","displayName":"Movers"}}`, b},
		{`{"op":"Replace","path":"urn:ietf:params:scim:schemas:core:2.0:Group:externalId","value":"g2"}`, b},
		{`{"op":"add","path":"members","value":{"value":"` + a + `"}},{"op":"remove","path":"members","value":[{"value":"` + b + `"}]}`, a},
	} {
		got := w.ok(200, http.MethodPatch, "/Groups/"+id, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[`+c.operations+`]}`)
		if members(got) != c.want {
			t.Errorf("%s: %v, want %s", c.operations, got, c.want)
		}
	}
	put := w.ok(200, http.MethodPut, "/Groups/"+id, `{"displayName":"Movers","members":[{"value":"`+b+`"}]}`)
	if put["externalId"] != nil || members(put) != b {
		t.Errorf("%v", put)
	}
	events := watch.Events()
	for i, e := range events {
		_, op, _ := strings.Cut(e, `"op":"`)
		events[i], _, _ = strings.Cut(op, `"`)
	}
	changes := []string{
		"add", "add_members", "remove_members", "add_members", "remove_members", "add_members", "remove_members", "add_members", "update",
		"add_members", "remove_members", "add_members", "remove_members",
	}
	if diff := cmp.Diff(changes, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	if kept := storetest.Values[bool](sql, `select $1 = any (members) from user_groups`, robot.ID); !kept[0] {
		t.Error("the bot was removed")
	}

	// The provider doesn't see people whom it has deleted, but they are still members.
	w.ok(204, http.MethodDelete, "/Users/"+b, "")
	if got := w.ok(200, http.MethodPut, "/Groups/"+id, `{"displayName":"movers","members":[{"value":"`+a+`"}]}`); members(got) != a || got["displayName"] != "movers" {
		t.Errorf("%v", got)
	}
	if kept := storetest.Values[bool](sql, `select $1 = any (members) from user_groups`, bob.ID); !kept[0] {
		t.Error("Bob was removed")
	}
	w.ok(204, http.MethodDelete, "/Groups/"+id, "")
	w.fails(404, "", http.MethodGet, "/Groups/"+id, "")
	w.fails(404, "", http.MethodDelete, "/Groups/"+id, "")
}

func TestGroupFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	// The provider also sees groups that people have created.
	w.owner.Do(http.MethodPost, "/user_groups/create", servicetest.Params{"name": "Own", "description": "x", "members": []int64{int64(ann.ID)}}).OK()
	cranes := w.ok(201, http.MethodPost, "/Groups", `{"displayName":"Cranes","externalId":"g1","members":[{"value":"`+bob.ID.String()+`"}]}`)
	for filter, want := range map[string]string{
		``:                                     "Own Cranes",
		`displayName eq "cranes"`:              "Cranes",
		`externalId eq "g1"`:                   "Cranes",
		`externalId eq "G1"`:                   "",
		`members eq "` + bob.ID.String() + `"`: "Cranes",
		`members.value eq "nobody"`:            "",
		fmt.Sprintf(`id eq "%v" and members eq "%d"`, cranes["id"], bob.ID): "Cranes",
		fmt.Sprintf(`id eq "%v" and members eq "%d"`, cranes["id"], ann.ID): "",
		`urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "Own"`:  "Own",
	} {
		names := []string{}
		got := w.ok(200, http.MethodGet, "/Groups?excludedAttributes=members&filter="+url.QueryEscape(filter), "")
		for _, r := range got["Resources"].([]any) {
			name, _ := r.(object)["displayName"].(string)
			names = append(names, name)
			if r.(object)["members"] != nil {
				t.Errorf("%s: %v", filter, r)
			}
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s: %v, want %s", filter, names, want)
		}
	}
	w.fails(400, "invalidFilter", http.MethodGet, "/Groups?filter="+url.QueryEscape(`userName eq "x"`), "")
	page := w.ok(200, http.MethodPost, "/Groups/.search", `{"startIndex":2,"count":1}`)
	if page["totalResults"] != 2.0 || page["itemsPerPage"] != 1.0 || page["Resources"].([]any)[0].(object)["displayName"] != "Cranes" {
		t.Errorf("%v", page)
	}
}

func TestHostileGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot := w.Bot("Robot", actor.GenericBot, w.owner)
	stranger := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Sly", RealEmail: "sly@rival.example", Role: actor.Owner})
	made := w.ok(201, http.MethodPost, "/Groups", `{"displayName":"Cranes","members":[{"value":"`+w.owner.ID.String()+`"}]}`)
	path := fmt.Sprint("/Groups/", made["id"])
	watch := w.owner.Watch("user_group")
	for _, body := range []string{
		`{}`, `{"displayName":" "}`, `{"displayName":7}`, `{"displayName":"` + strings.Repeat("x", 101) + `"}`, `{"displayName":"a\u0000"}`,
		`{"displayName":"a","externalId":"\u0000"}`, `{"displayName":"a","members":"x"}`, `{"displayName":"a","members":[7]}`,
		`{"displayName":"a","members":[{"value":7}]}`, `{"displayName":"a","members":[{}]}`, `{"displayName":"a","members":[{"value":"x"}]}`,
		`{"displayName":"a","members":[{"value":"` + robot.ID.String() + `"}]}`, `{"displayName":"a","members":[{"value":"` + stranger.ID.String() + `"}]}`,
		`{"displayName":"a","members":[{"value":"` + w.owner.ID.String() + `","type":"Group"}]}`,
		`{"displayName":"a","members":[{"value":"` + w.owner.ID.String() + `","$ref":"https://chat.example/scim/v2/Groups/1"}]}`,
		`{"displayName":"a","members":[` + strings.Repeat(`{"value":"1"},`, 1000) + `{"value":"1"}]}`,
	} {
		w.fails(400, "invalidValue", http.MethodPost, "/Groups", body)
		w.fails(400, "invalidValue", http.MethodPut, path, body)
	}
	many := func(from int) string {
		list := []string{}
		for n := range 1001 {
			list = append(list, fmt.Sprintf(`{"value":"%d"}`, from+n))
		}
		return strings.Join(list, ",")
	}
	for operations, kind := range map[string]string{
		`[]`: "invalidSyntax", `[{"op":"move","path":"members"}]`: "invalidSyntax", `[{"op":"remove"}]`: "noTarget",
		`[{"op":"remove","path":"displayName"}]`: "mutability", `[{"op":"add","value":7}]`: "invalidValue",
		`[{"op":"remove","path":"members[value eq"}]`: "invalidPath", `[{"op":"remove","path":"members[display eq \"x\"]"}]`: "invalidFilter",
		`[{"op":"remove","path":"members[value eq \"1\" and value eq \"2\"]"}]`:                               "invalidFilter",
		`[{"op":"replace","path":"members[value eq \"1\"].value","value":"2"}]`:                               "invalidPath",
		`[{"op":"add","path":"members","value":[` + many(1) + `]}]`:                                           "invalidValue",
		`[{"op":"add","path":"members"}]`:                                                                     "invalidValue",
		`[` + strings.Repeat(`{"op":"remove","path":"members"},`, 1000) + `{"op":"remove","path":"members"}]`: "invalidSyntax",
	} {
		w.fails(400, kind, http.MethodPatch, path, `{"Operations":`+operations+`}`)
	}
	for _, id := range []string{"0", "-1", "x", "99999999999999999999"} {
		w.fails(404, "", http.MethodGet, "/Groups/"+id, "")
	}
	host, token := "rival."+servicetest.Host, w.token
	if status, _ := w.at(host, token, http.MethodDelete, path, ""); status != 401 {
		t.Errorf("another organization's group: %d", status)
	}
	if events := watch.Events(); len(events) != 0 {
		t.Errorf("events of refused requests: %v", events)
	}
	if got := members(w.ok(200, http.MethodGet, path, "")); got != w.owner.ID.String() {
		t.Errorf("members %s", got)
	}
	for n := range 499 {
		w.ok(201, http.MethodPost, "/Groups", fmt.Sprintf(`{"displayName":"g%d"}`, n))
	}
	w.fails(400, "invalidValue", http.MethodPost, "/Groups", `{"displayName":"too many"}`)
	if got := w.ok(200, http.MethodGet, "/Groups?count=1000", ""); got["itemsPerPage"] != 200.0 || got["totalResults"] != 500.0 {
		t.Errorf("%v of %v", got["itemsPerPage"], got["totalResults"])
	}
}

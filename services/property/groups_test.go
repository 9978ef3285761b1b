package property_test

import (
	"fmt"
	"net/http"
	"slices"

	"chatserver.dev/services/servicetest"
)

// applyGroup applies an event of user groups.
func (c *client) applyGroup(e object) {
	list, _ := c.state["realm_user_groups"].([]any)
	if e["op"] == "add" {
		c.state["realm_user_groups"] = append(list, e["group"])
		return
	}
	at := slices.IndexFunc(list, func(g any) bool { return whole(g.(object)["id"]) == whole(e["group_id"]) })
	if at < 0 {
		return
	}
	g, _ := list[at].(object)
	members := wholes(g["members"])
	switch e["op"] {
	case "update":
		data, _ := e["data"].(object)
		for name, value := range data {
			g[name] = value
		}
	case "add_members":
		g["members"] = numbersIn(append(members, wholes(e["user_ids"])...))
	case "remove_members":
		gone := wholes(e["user_ids"])
		g["members"] = numbersIn(slices.DeleteFunc(members, func(n int64) bool { return slices.Contains(gone, n) }))
	case "remove":
		c.state["realm_user_groups"] = slices.Delete(list, at, at+1)
	}
}

// groupAct generates a change of user groups.
func (f *following) groupAct(by *person, which int, on bool) func() {
	name := fmt.Sprintf("group %d", which%3)
	member := draw(f.history, "member", f.people)
	op := draw(f.history, "op", []string{"create", "create", "rename", "describe", "members", "members", "remove"})
	return func() {
		state := struct {
			Groups []struct{ ID int64 } `json:"realm_user_groups"`
		}{}
		f.person("Olga").Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": []string{"realm_user_groups"}}).OK().Decode(&state)
		path := "/user_groups/987654321"
		if n := len(state.Groups); n > 0 {
			path = fmt.Sprintf("/user_groups/%d", state.Groups[which%n].ID)
		}
		switch list := map[bool]string{true: "add", false: "delete"}[on]; op {
		case "create":
			f.try(by, http.MethodPost, "/user_groups/create", servicetest.Params{"name": name, "description": "", "members": []int64{member.id}})
		case "rename":
			f.try(by, http.MethodPatch, path, servicetest.Params{"name": name})
		case "describe":
			f.try(by, http.MethodPatch, path, servicetest.Params{"description": name})
		case "members":
			f.try(f.person("Adam"), http.MethodPost, path+"/members", servicetest.Params{list: []int64{member.id}})
		case "remove":
			f.try(by, http.MethodDelete, path, nil)
		}
	}
}

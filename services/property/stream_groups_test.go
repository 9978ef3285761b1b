package property_test

import (
	"fmt"
	"net/http"
	"slices"

	"chatserver.dev/services/servicetest"
)

// eachGrouped calls do with the streams of all groups of default streams, and removes those for which it returns
// false.
func (c *client) eachGrouped(do func(stream object) bool) {
	for _, group := range objects(c.state["realm_default_stream_groups"]) {
		streams, _ := group["streams"].([]any)
		group["streams"] = slices.DeleteFunc(streams, func(s any) bool { return !do(s.(object)) })
	}
}

// streamGroupAct generates a change of groups of default streams.
func (f *following) streamGroupAct(admin *person, name string, which int) func() {
	group := fmt.Sprintf("shift %d", which%2)
	op := draw(f.history, "op", []string{"create", "create", "rename", "add", "add", "remove", "delete"})
	return func() {
		if op == "create" {
			f.try(admin, http.MethodPost, "/default_stream_groups/create", servicetest.Params{"group_name": group, "description": "", "stream_names": []string{name}})
			return
		}
		state := struct {
			Groups []struct{ ID int64 } `json:"realm_default_stream_groups"`
		}{}
		admin.Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": []string{"default_stream_groups"}}).OK().Decode(&state)
		if len(state.Groups) == 0 {
			return
		}
		path := fmt.Sprintf("/default_stream_groups/%d", state.Groups[which%len(state.Groups)].ID)
		switch op {
		case "rename":
			f.try(admin, http.MethodPatch, path, servicetest.Params{"new_group_name": fmt.Sprintf("watch %d", which), "new_description": "at night"})
		case "add", "remove":
			f.try(admin, http.MethodPatch, path+"/streams", servicetest.Params{"op": op, "stream_names": []string{name}})
		case "delete":
			f.try(admin, http.MethodDelete, path, nil)
		}
	}
}

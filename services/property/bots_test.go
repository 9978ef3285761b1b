package property_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"chatserver.dev/services/servicetest"
)

// applyBot applies an event of a bot that the client's account owns or administers.
func (c *client) applyBot(e object) {
	bot, _ := e["bot"].(object)
	number := whole(bot["user_id"])
	bots := objects(c.state["realm_bots"])
	at := slices.IndexFunc(bots, func(b object) bool { return whole(b["user_id"]) == number })
	switch op := e["op"]; {
	case op == "add":
		bots = append(slices.DeleteFunc(bots, func(b object) bool { return whole(b["user_id"]) == number }), bot)
	case at < 0:
	case op == "remove":
		bots[at]["is_active"] = false
	case op == "delete":
		bots = slices.Delete(bots, at, at+1)
	case op == "update":
		maps.Copy(bots[at], bot)
	}
	slices.SortFunc(bots, func(a, b object) int { return cmp.Compare(whole(a["user_id"]), whole(b["user_id"])) })
	all := make([]any, len(bots))
	for i, b := range bots {
		all[i] = b
	}
	c.state["realm_bots"] = all
}

// botAct generates a change of a bot by its owner.
func (f *following) botAct(p *person, which int, on bool) func() {
	to := draw(f.history, "to", []*person{f.person("Olga"), f.person("Adam"), f.person("Mia"), f.person("Max")})
	op := draw(f.history, "op", []string{"create", "create", "rename", "give", "key", "stream", "end", "again"})
	return func() {
		if op == "create" {
			f.try(p, http.MethodPost, "/bots", servicetest.Params{"full_name": fmt.Sprintf("Robot %d", which), "short_name": fmt.Sprintf("robot%d", which)})
			return
		}
		state := struct {
			Bots []object `json:"realm_bots"`
		}{}
		p.Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": []string{"realm_bot"}}).OK().Decode(&state)
		if len(state.Bots) == 0 {
			return
		}
		number := whole(state.Bots[which%len(state.Bots)]["user_id"])
		if number == f.person("Bo").id && (op == "end" || op == "give") {
			return // takes part in the history
		}
		path := fmt.Sprintf("/bots/%d", number)
		switch op {
		case "rename":
			f.try(p, http.MethodPatch, path, servicetest.Params{"full_name": fmt.Sprintf("Machine %d", which)})
		case "give":
			f.try(p, http.MethodPatch, path, servicetest.Params{"bot_owner_id": to.id})
		case "stream":
			f.try(p, http.MethodPatch, path, servicetest.Params{"default_sending_stream": "hall", "default_all_public_streams": on})
		case "key":
			if number != f.person("Bo").id {
				f.try(p, http.MethodPost, path+"/api_key/regenerate", nil)
			}
		case "end":
			f.try(p, http.MethodDelete, path, nil)
		case "again":
			f.try(f.person("Olga"), http.MethodPost, fmt.Sprintf("/users/%d/reactivate", number), nil)
		}
	}
}

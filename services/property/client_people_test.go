package property_test

import "maps"

func (c *client) applyPresence(e object) {
	presences, _ := c.state["presences"].(object)
	email, _ := e["email"].(string)
	own, _ := presences[email].(object)
	if own == nil {
		own = object{}
		presences[email] = own
	}
	reports, _ := e["presence"].(object)
	for name, report := range reports {
		own[name] = report
	}
}

func (c *client) applyStatus(e object) {
	statuses, _ := c.state["user_status"].(object)
	key := asJSON(e["user_id"])
	own, _ := statuses[key].(object)
	if own == nil {
		own = object{}
	}
	if away, said := e["away"]; said {
		delete(own, "away")
		if away == true {
			own["away"] = true
		}
	}
	if text, said := e["status_text"]; said {
		delete(own, "status_text")
		if text != "" {
			own["status_text"] = text
		}
	}
	delete(statuses, key)
	if len(own) > 0 {
		statuses[key] = own
	}
}

func (c *client) applyUser(e object) {
	who, _ := e["person"].(object)
	switch e["op"] {
	case "add":
		delete(who, "is_active") // the list tells
		users, _ := c.state["realm_users"].([]any)
		c.state["realm_users"] = append(users, who)
	case "update":
		for _, u := range objects(c.state["realm_users"]) {
			if whole(u["user_id"]) == whole(who["user_id"]) {
				maps.Copy(u, who)
			}
		}
	}
}

package property_test

import (
	"cmp"
	"maps"
	"slices"
)

func (c *client) applyPresence(e object) {
	presences, _ := c.state["presences"].(object)
	key := asJSON(e["user_id"])
	if !c.option("slim_presence") {
		// The event may have the address from before addresses were hidden, seconds ago.
		key = c.addressOf(e["user_id"])
	}
	own, _ := presences[key].(object)
	if own == nil {
		own = object{}
		presences[key] = own
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
		delete(who, "is_active") // the list implies it
		c.takeUser("realm_non_active_users", who["user_id"])
		c.putUser("realm_users", who)
	case "remove":
		c.putUser("realm_non_active_users", c.takeUser("realm_users", who["user_id"]))
		for _, list := range subscriptionLists() { // it isn't among the subscribers; they have no event of their own
			for _, entry := range objects(c.state[list]) {
				setSubscriber(entry, whole(who["user_id"]), false)
			}
		}
	case "update":
		if name, renamed := who["full_name"]; renamed && whole(who["user_id"]) == c.person.id {
			c.state["full_name"] = name
		}
		if role, changed := who["role"]; changed && whole(who["user_id"]) == c.person.id {
			c.applyOwnRole(whole(role))
			c.applyPolicies()
		}
		for _, u := range append(objects(c.state["realm_users"]), objects(c.state["realm_non_active_users"])...) {
			if whole(u["user_id"]) == whole(who["user_id"]) {
				applyAnswer(u, who)
				maps.Copy(u, who)
				if email, ok := u["new_email"]; ok {
					c.applyEmail(u, email)
				}
				if role, ok := u["role"]; ok {
					n := whole(role)
					u["is_owner"], u["is_admin"], u["is_guest"] = n == 100, n <= 200, n == 600
					delete(u, "role")
				}
			}
		}
	}
}

// takeUser removes an account from a list of the state, and returns it, or nil if it isn't in the list.
func (c *client) takeUser(name string, number any) (taken object) {
	left := []any{}
	for _, u := range objects(c.state[name]) {
		if whole(u["user_id"]) == whole(number) {
			taken = u
		} else {
			left = append(left, u)
		}
	}
	c.state[name] = left
	return taken
}

// putUser adds an account to a list of the state, which is sorted by ID.
func (c *client) putUser(name string, u object) {
	list := append(objects(c.state[name]), u)
	slices.SortFunc(list, func(a, b object) int { return cmp.Compare(whole(a["user_id"]), whole(b["user_id"])) })
	all := []any{}
	for _, u := range list {
		all = append(all, u)
	}
	c.state[name] = all
}

// addressOf returns the address of an account.
func (c *client) addressOf(number any) string {
	for _, u := range append(objects(c.state["realm_users"]), objects(c.state["realm_non_active_users"])...) {
		if whole(u["user_id"]) == whole(number) {
			address, _ := u["email"].(string)
			return address
		}
	}
	return ""
}

// applyEmail applies another address of an account, which is a key of other data, too.
func (c *client) applyEmail(u object, email any) {
	delete(u, "new_email")
	presences, _ := c.state["presences"].(object)
	was, _ := u["email"].(string)
	if own, ok := presences[was]; ok {
		delete(presences, was)
		presences[email.(string)] = own
	}
	u["email"] = email
	if whole(u["user_id"]) == c.person.id {
		c.state["email"] = email
	}
}

package property_test

import (
	"slices"
	"strings"

	"chatserver.dev/services/servicetest"
)

// options generates the parameters of an account's registration for the complete state.
func (h *history) options(p *person) servicetest.Params {
	return servicetest.Params{
		"apply_markdown":       h.drawBool("apply_markdown"),
		"client_hosted_avatar": h.drawBool("client_hosted_avatar"),
		"slim_presence":        h.drawBool("slim_presence"),
		"include_subscribers":  h.drawBool("include_subscribers"),
		// Refused for guests, whose role may change.
		"all_public_streams": h.drawBool("all_public_streams") && p.name != "Gus" && p.name != "Max",
		"client_capabilities": map[string]bool{
			"notification_settings_null":     h.drawBool("notification_settings_null"),
			"bulk_message_deletion":          h.drawBool("bulk_message_deletion"),
			"user_avatar_url_field_optional": h.drawBool("user_avatar_url_field_optional"),
		},
	}
}

// option reports whether the client registered with an option or a capability.
func (c *client) option(name string) bool {
	if on, ok := c.options[name].(bool); ok {
		return on
	}
	capabilities, _ := c.options["client_capabilities"].(map[string]bool)
	return capabilities[name]
}

// fitOptions makes the client's subscriptions, to which events add what every client gets, those of its options.
func (c *client) fitOptions() {
	for _, list := range subscriptionLists() {
		for _, entry := range objects(c.state[list]) {
			if !c.option("include_subscribers") {
				delete(entry, "subscribers")
			}
			if c.option("notification_settings_null") || list == "never_subscribed" {
				continue
			}
			for _, kind := range []string{"desktop", "audible", "push", "email"} {
				if entry[kind+"_notifications"] == nil {
					entry[kind+"_notifications"] = c.state["enable_stream_"+kind+"_notifications"]
				}
			}
		}
	}
}

// isAdmin and isGuest report what the client knows of the role of its account.

func (c *client) isAdmin() bool { return c.state["is_admin"] == true }
func (c *client) isGuest() bool { return c.state["is_guest"] == true }

// applyOwnRole applies another role of the client's own account. The client requests again what it may see now
// (events.md, section 1.7).
func (c *client) applyOwnRole(role int64) {
	c.state["is_owner"], c.state["is_admin"], c.state["is_guest"] = role == 100, role <= 200, role == 600
	c.rolesChanged = true
}

// requestAfterRole takes from a new registration what depends on the account's role, if that has changed.
func (c *client) requestAfterRole(now object) {
	if !c.rolesChanged {
		return
	}
	c.rolesChanged = false
	for _, name := range append(streamLists(), "realm_bots", "realm_default_stream_groups", "realm_users", "realm_non_active_users") {
		c.state[name] = decoded(object{"": now[name]})[""]
	}
}

// applyPolicies derives what the account may do.
func (c *client) applyPolicies() {
	c.state["can_create_streams"] = c.permitted("realm_create_stream_policy")
	c.state["can_subscribe_other_users"] = c.permitted("realm_invite_to_stream_policy")
}

// permitted returns what a role and the organization's settings permit (events.md, section 1.6.5). The accounts
// of a history are new.
func (c *client) permitted(policy string) bool {
	switch {
	case c.isAdmin():
		return true
	case c.isGuest():
		return false
	}
	const members, fullMembers = 1, 3
	chosen := whole(c.state[policy])
	return chosen == members || chosen == fullMembers && whole(c.state["realm_waiting_period_threshold"]) == 0
}

// isReceived reports whether a message, for which an event came, is one of the account's own.
func (c *client) isReceived(in place) bool {
	return in.stream == 0 || c.find("subscriptions", in.stream) != nil
}

// checkReceipt fails if a client gets a message that its account may not read, or didn't ask for.
func (f *following) checkReceipt(c *client, e object) {
	f.Helper()
	message, _ := e["message"].(object)
	if e["type"] != "message" {
		return
	}
	in := c.whereIs(message)
	public := c.option("all_public_streams") && !c.isGuest() && slices.ContainsFunc(subscriptionLists(), func(list string) bool {
		entry := c.find(list, in.stream)
		return entry != nil && entry["invite_only"] == false
	})
	if mentioned := slices.Contains(flagsIn(e["flags"]), "mentioned"); !c.isReceived(in) && !public && !mentioned {
		f.Fatalf("%s, after the events\n%s\ngets a message of another stream", c.person.name, strings.Join(c.log, "\n"))
	}
}

package property_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"chatserver.dev/services/servicetest"
)

// applySetting applies a change of the organization.
func (c *client) applySetting(e object) {
	if property, _ := e["property"].(string); e["op"] == "update" {
		c.state["realm_"+property] = e["value"]
		c.forgetAddresses(property, e["value"])
		return
	}
	data, _ := e["data"].(object)
	for property, value := range data {
		c.state["realm_"+property] = value
	}
}

// forgetAddresses removes real addresses beside the displayed ones unless only administrators see them from now on
// (events.md, section 1.6.5): no other event says so.
func (c *client) forgetAddresses(property string, visible any) {
	const forAdmins = 3
	if property != "email_address_visibility" || whole(visible) == forAdmins {
		return
	}
	for _, u := range append(objects(c.state["realm_users"]), objects(c.state["realm_non_active_users"])...) {
		delete(u, "delivery_email")
	}
}

// applyDomain applies a change of the domains whose addresses may join.
func (c *client) applyDomain(e object) {
	domain, _ := e["realm_domain"].(object)
	name := e["domain"]
	if domain != nil {
		name = domain["domain"]
	}
	domains, _ := c.state["realm_domains"].([]any)
	domains = slices.DeleteFunc(domains, func(d any) bool { return d.(object)["domain"] == name })
	if domain != nil {
		domains = append(domains, domain)
	}
	slices.SortFunc(domains, func(a, b any) int {
		return strings.Compare(fmt.Sprint(a.(object)["domain"]), fmt.Sprint(b.(object)["domain"]))
	})
	c.state["realm_domains"] = domains
}

// govern generates a change of the organization by an administrator.
func (f *following) govern(admin *person, which int, on bool) func() {
	domain := fmt.Sprintf("d%d.example", which%3)
	switch draw(f.history, "decision", []string{"setting", "setting", "domain", "domain", "linkifier"}) {
	case "setting":
		params := draw(f.history, "setting", []servicetest.Params{
			{"mandatory_topics": on},
			{"digest_weekday": which % 7},
			{"name": fmt.Sprintf(`"Plant %d"`, which)},
			{"description": `"*steam*"`},
			{"message_content_edit_limit_seconds": "0"},
			{"message_content_edit_limit_seconds": "86400"},
			{"emails_restricted_to_domains": on},
			{"create_stream_policy": 1 + which%3},
			{"invite_to_stream_policy": 1 + which%3},
			{"waiting_period_threshold": which % 2},
			{"email_address_visibility": []int{1, 3, 4}[which%3]},
			{"email_address_visibility": []int{1, 3, 4}[which%3]},
			{"message_retention_days": 1000 + which},
			{"default_code_block_language": `"go"`},
			{"default_language": `"de"`},
			{"allow_community_topic_editing": on},
			{"video_chat_provider": which % 2},
			{"name_changes_disabled": on},
			{"default_twenty_four_hour_time": on},
			{"allow_edit_history": on},
		})
		return func() {
			if params["email_address_visibility"] != nil {
				f.joining.Lock()
				defer f.joining.Unlock()
			}
			f.try(admin, http.MethodPatch, "/realm", params)
		}
	case "domain":
		return func() {
			f.try(admin, http.MethodPost, "/realm/domains", servicetest.Params{"domain": domain, "allow_subdomains": on})
			if which%2 == 0 {
				f.try(admin, http.MethodPatch, "/realm/domains/"+domain, servicetest.Params{"allow_subdomains": !on})
			} else {
				f.try(admin, http.MethodDelete, "/realm/domains/"+domain, nil)
			}
		}
	default:
		return func() {
			reply := struct{ ID int64 }{}
			answer := f.try(admin, http.MethodPost, "/realm/filters", servicetest.Params{
				"pattern": fmt.Sprintf("t%d-(?P<id>[0-9]+)", which%5), "url_format_string": "https://t.example/%(id)s",
			})
			if answer.Status == http.StatusOK && on {
				answer.Decode(&reply)
				f.try(admin, http.MethodDelete, fmt.Sprintf("/realm/filters/%d", reply.ID), nil)
			}
		}
	}
}

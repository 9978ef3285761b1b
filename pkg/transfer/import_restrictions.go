package transfer

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
)

// restriction is a setting of a permission. Archives of other versions of the format have it in other forms. A value with a
// known equivalent becomes that. Any other value becomes the strictest one, so that an import never permits what was
// forbidden.
type restriction struct {
	setting string
	values  []string          // the values here, the strictest one last
	others  map[string]string // values elsewhere, with the closest value here that isn't less strict
	forms   []form
}

// form is a form of a setting in another version of the format.
type form struct {
	name   string            // of a member of the archive's organization
	groups bool              // its values are groups, of which those that every organization has are identified by name
	same   map[string]string // its values with their equivalents here
}

// visibility returns the restriction of who sees real addresses.
func visibility() restriction {
	return restriction{"email_address_visibility", []string{"1", "3", "4"}, map[string]string{"2": "3", "5": "3"}, nil}
}

// restrictions returns all restrictions.
func restrictions() []restriction {
	policy := func(name string, same map[string]string) form { return form{name, false, same} }
	group := func(name string, same map[string]string) form { return form{name, true, same} }
	streams := map[string]string{"1": "1", "2": "2", "3": "3"}
	streamGroups := map[string]string{"role:everyone": "1", "role:members": "1", "role:fullmembers": "3", "role:administrators": "2"}
	members := map[string]string{"role:everyone": "1", "role:members": "1"}
	memberGroups := map[string]string{"role:everyone": "1", "role:members": "1", "role:administrators": "2"}
	byAdmins := map[string]string{"1": "false", "2": "true"}
	byAdminGroups := map[string]string{"role:everyone": "false", "role:members": "false", "role:administrators": "true"}
	private := map[string]string{"role:everyone": "1", "role:nobody": "2"}
	everyone := map[string]string{"5": "true", "2": "false"}
	everyoneGroups := map[string]string{"role:everyone": "true", "role:administrators": "false"}
	off, on := []string{"false", "true"}, []string{"true", "false"} // the strict value is the last
	return []restriction{
		visibility(),
		{"add_emoji_by_admins_only", off, nil, []form{policy("add_custom_emoji_policy", byAdmins), group("can_add_custom_emoji_group", byAdminGroups)}},
		{"allow_community_topic_editing", on, nil, []form{
			policy("edit_topic_policy", everyone), group("can_move_messages_between_topics_group", everyoneGroups),
		}},
		{"allow_edit_history", on, nil, []form{policy("message_edit_history_visibility_policy", map[string]string{"1": "true", "3": "false"})}},
		{"allow_message_deleting", on, nil, []form{policy("delete_own_message_policy", everyone), group("can_delete_own_message_group", everyoneGroups)}},
		{"allow_message_editing", on, nil, nil},
		{"avatar_changes_disabled", off, nil, nil},
		{"bot_creation_policy", []string{"1", "2", "3"}, nil, []form{group("can_create_bots_group", members), group("can_create_write_only_bots_group", members)}},
		{"create_stream_policy", []string{"1", "3", "2"}, nil, []form{
			policy("create_stream_by_admins_only", map[string]string{"false": "1", "true": "2"}),
			policy("create_public_stream_policy", streams), policy("create_private_stream_policy", streams),
			group("can_create_public_channel_group", streamGroups), group("can_create_private_channel_group", streamGroups),
		}},
		{"disallow_disposable_email_addresses", off, nil, nil},
		{"email_changes_disabled", off, nil, nil},
		{"emails_restricted_to_domains", off, nil, []form{policy("restricted_to_domain", map[string]string{"false": "false", "true": "true"})}},
		{"invite_by_admins_only", off, nil, []form{policy("invite_to_realm_policy", byAdmins), group("can_invite_users_group", byAdminGroups)}},
		{"invite_required", off, nil, nil},
		{"invite_to_stream_policy", []string{"1", "3", "2"}, nil, []form{group("can_add_subscribers_group", streamGroups)}},
		{"message_content_allowed_in_email_notifications", on, nil, nil},
		{"name_changes_disabled", off, nil, nil},
		{"private_message_policy", []string{"1", "2"}, nil, []form{
			group("direct_message_permission_group", private), group("direct_message_initiator_group", private),
		}},
		{"user_group_edit_policy", []string{"1", "2"}, nil, []form{group("can_manage_all_groups", memberGroups), group("can_create_groups", memberGroups)}},
	}
}

// level returns how strict a value is, from 0. An unknown value has the highest level.
func (r restriction) level(value string) (level int, known bool) {
	if here, ok := r.others[value]; ok {
		value = here
	}
	if level = slices.Index(r.values, value); level >= 0 {
		return level, true
	}
	return len(r.values) - 1, false
}

// value returns the setting's value; nil: the archive has none. A valid value under this server's name takes precedence.
// Otherwise it is the strictest value of all forms.
func (r restriction) value(given map[string]json.RawMessage, groups map[int64]string, report *Report) json.RawMessage {
	strictest := -1
	note := func(name, value string) {
		level, known := r.level(value)
		if !known {
			report.leave("permissions in an unknown form become as strict as possible", name)
		}
		strictest = max(strictest, level)
	}
	if own, ok := given[r.setting]; ok {
		if slices.Contains(r.values, string(own)) {
			return own
		}
		note(r.setting, string(own))
	}
	for _, form := range r.forms {
		if value, ok := given[form.name]; ok {
			note(form.name, form.same[form.text(value, groups)])
		}
	}
	if strictest < 0 {
		return nil
	}
	return json.RawMessage(r.values[strictest])
}

// text returns a value in the form of the keys of same.
func (f form) text(value json.RawMessage, groups map[int64]string) string {
	if !f.groups {
		return string(value)
	}
	number, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return ""
	}
	return groups[number]
}

// scattered is the data on an organization's settings in other tables than the organization's.
type scattered struct {
	named      bool             // groups have their names in their own table
	groups     map[int64]string // names of the groups that every organization has
	visibility json.RawMessage  // the strictest value of all accounts; nil: none has one
	methods    methods          // open ways to sign in; nil: the archive has no such table
}

// scattered reads the scattered data.
func (m *importing) scattered(ctx context.Context) (found scattered, err error) {
	found.groups = map[int64]string{}
	group := func(number int64, name string, system bool) {
		if system && strings.HasPrefix(name, systemGroup) {
			found.groups[number] = name
		}
	}
	account := archive.Rows(func(row archive.Visibility) error {
		strict := visibility()
		if row.Policy == nil {
			return nil
		}
		level, _ := strict.level(string(row.Policy))
		if now, _ := strict.level(string(found.visibility)); found.visibility == nil || level > now {
			found.visibility = row.Policy
		}
		return nil
	})
	err = m.tables(ctx, map[string]archive.Row{
		archive.Groups: archive.Rows(func(row archive.Group) error { group(row.ID, row.Name, row.System); return nil }),
		archive.NamedGroups: archive.Rows(func(row archive.NamedGroup) error {
			found.named = true
			group(row.ID, row.Name, row.System)
			return nil
		}),
		archive.Methods: archive.Rows(func(row archive.Method) error {
			if row.Realm != m.realm.ID {
				return nil
			}
			if found.methods == nil {
				found.methods = methods{}
			}
			if !found.methods.add(row.Name, true) {
				m.report.leave(unknownMethod, row.Name)
			}
			return nil
		}),
		archive.Users: account, archive.DummyUsers: account, archive.UserDefaults: account,
	})
	return found, err
}

// systemGroup is the prefix of the names of groups that every organization has.
const systemGroup = "role:"

package event

import "chatserver.dev/pkg/id"

// Group is a user group as clients see it (events.md, section 1.6.6).
type Group struct {
	ID          id.Group  `json:"id"`          // unique on the server
	Name        string    `json:"name"`        // unique in the organization, with its letter case
	Description string    `json:"description"` // may be empty
	Members     []id.User `json:"members"`     // ascending, with deactivated accounts
}

// GroupAdded is sent to everybody when there is a new user group (events.md, section 3.18).
type GroupAdded struct {
	everyone

	Group Group `json:"group"`
}

// Kind implements [Event].
func (GroupAdded) Kind() Kind { return Kind{"user_group", "add"} }

// GroupUpdated is sent to everybody when a user group has another name or description (events.md, section 3.18).
type GroupUpdated struct {
	everyone

	GroupID id.Group  `json:"group_id"`
	Data    GroupData `json:"data"`
}

// GroupData has the one field of a user group that changed.
type GroupData struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
}

// Kind implements [Event].
func (GroupUpdated) Kind() Kind { return Kind{"user_group", "update"} }

// GroupMembers names a user group and some of its members, who are new or no longer there.
type GroupMembers struct {
	everyone

	GroupID id.Group  `json:"group_id"`
	UserIDs []id.User `json:"user_ids"` // ascending
}

// GroupMembersAdded is sent to everybody when a user group has more members (events.md, section 3.18).
type GroupMembersAdded struct{ GroupMembers }

// Kind implements [Event].
func (GroupMembersAdded) Kind() Kind { return Kind{"user_group", "add_members"} }

// GroupMembersRemoved is sent to everybody when a user group has lost members (events.md, section 3.18).
type GroupMembersRemoved struct{ GroupMembers }

// Kind implements [Event].
func (GroupMembersRemoved) Kind() Kind { return Kind{"user_group", "remove_members"} }

// GroupRemoved is sent to everybody when a user group is gone (events.md, section 3.18).
type GroupRemoved struct {
	everyone

	GroupID id.Group `json:"group_id"`
}

// Kind implements [Event].
func (GroupRemoved) Kind() Kind { return Kind{"user_group", "remove"} }

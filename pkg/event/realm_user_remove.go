package event

import "chatserver.dev/pkg/id"

// RemovedAccount names an account that was deactivated.
type RemovedAccount struct {
	UserID   id.User `json:"user_id"`
	FullName string  `json:"full_name"`
}

// RealmUserRemove tells everybody of an account that was deactivated (events.md, section 3.12).
type RealmUserRemove struct {
	Op     string         `json:"op"` // remove
	Person RemovedAccount `json:"person"`

	Before Account `json:"-"` // what it was
}

// NewRealmUserRemove makes the event.
func NewRealmUserRemove(person RemovedAccount, before Account) RealmUserRemove {
	return RealmUserRemove{Op: "remove", Person: person, Before: before}
}

// EventType is realm_user.
func (RealmUserRemove) EventType() string { return "realm_user" }

// Audience is everyone, after the change: not the account itself.
func (e RealmUserRemove) Audience() Audience {
	return Audience{Everyone: true, Except: []id.User{e.Person.UserID}}
}

// Change is that the account isn't active any more.
func (e RealmUserRemove) Change() *Change {
	after := e.Before
	after.Active = false
	return &Change{Accounts: []AccountChange{{User: e.Person.UserID, Before: &e.Before, After: after}}}
}

// NewEmail is the group of a [RealmUserUpdate] for another address that others know an account by.
type NewEmail struct {
	NewEmail string `json:"new_email"`
}

// NewName is the group of a [RealmUserUpdate] for a changed name.
type NewName struct {
	FullName string `json:"full_name"`
}

// NewRole is the group of a changed role.
type NewRole struct {
	Role int `json:"role"`
}

// NewBotOwner is the group of a bot that somebody else owns now.
type NewBotOwner struct {
	BotOwnerID *id.User `json:"bot_owner_id"` // null: nobody
}

package event

import "chatserver.dev/pkg/id"

// RemovedAccount names an account that was deactivated.
type RemovedAccount struct {
	UserID   id.User `json:"user_id"`
	FullName string  `json:"full_name"`
}

// RealmUserRemove is sent to everybody when an account was deactivated (events.md, section 3.12). With it the account also
// leaves all lists of subscribers, statuses and presence: they have active accounts only. If it is active again, others get a
// [PeerAdded] for each of its streams.
type RealmUserRemove struct {
	Person RemovedAccount `json:"person"`

	Before Account `json:"-"` // what it was
}

// Kind implements [Event].
func (RealmUserRemove) Kind() Kind { return Kind{"realm_user", "remove"} }

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

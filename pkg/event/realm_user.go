package event

import (
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
)

// UserObject is an account as clients see it (rest-api.md, section 4.1, and events.md, section
// 1.6.5). What it holds depends on who looks: package user makes it.
type UserObject struct {
	UserID id.User `json:"user_id"` // unique on the server
	// Email is the address that the viewer may know and that other parameters take.
	Email string `json:"email"`
	// DeliveryEmail is the real address; only for viewers who may know it while others may not.
	DeliveryEmail string `json:"delivery_email,omitempty"`
	FullName      string `json:"full_name"` // for people
	IsAdmin       bool   `json:"is_admin"`  // owners, too
	IsOwner       bool   `json:"is_owner"`  // of the organization
	IsGuest       bool   `json:"is_guest"`  // sees only the streams that they are subscribed to
	IsBot         bool   `json:"is_bot"`    // whether a program has the account
	// IsActive is false for deactivated accounts; absent in the lists of a registration.
	IsActive      *bool   `json:"is_active,omitempty"`
	Timezone      string  `json:"timezone"`       // may be empty
	DateJoined    ISOTime `json:"date_joined"`    // when the account was made, in ISO 8601
	AvatarVersion int     `json:"avatar_version"` // rises with each new picture
	// AvatarURL is null where the client computes it, and absent where it promised to fetch it.
	*AvatarPart
	// BotType is null for people.
	BotType *actor.BotType `json:"bot_type"`
	// BotPart is there for bots only.
	*BotPart
	// IsCrossRealmBot is true for the server's own bots.
	IsCrossRealmBot bool `json:"is_cross_realm_bot,omitempty"`
	// ProfileData are the answers to custom profile fields by the field's id, of people; absent unless it was asked for.
	ProfileData map[string]ProfileValue `json:"profile_data,omitzero"`
}

// AvatarPart is the member of a [UserObject] that says where the picture is.
type AvatarPart struct {
	AvatarURL *string `json:"avatar_url"` // address of the picture; null: the client makes it up from the email address
}

// BotPart is the member of a [UserObject] that only bots have.
type BotPart struct {
	BotOwnerID *id.User `json:"bot_owner_id"` // null: nobody
}

// ProfileValue is an answer to a custom profile field (rest-api.md, section 4.7).
type ProfileValue struct {
	Value string `json:"value"` // as it was entered; JSON for some types of fields
	// Rendered is HTML, for the types of fields with Markdown.
	Rendered *string `json:"rendered_value,omitempty"`
}

// ISOTime is a time that is written as in 2019-10-20T07:50:53.729659+00:00, in UTC, with
// microseconds where they aren't zero (rest-api.md, section 1.1).
type ISOTime time.Time

// MarshalJSON writes the time.
func (t ISOTime) MarshalJSON() ([]byte, error) {
	at := time.Time(t).UTC().Truncate(time.Microsecond)
	layout := `"2006-01-02T15:04:05.000000+00:00"`
	if at.Nanosecond() == 0 {
		layout = `"2006-01-02T15:04:05+00:00"`
	}
	return at.AppendFormat(nil, layout), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *ISOTime) UnmarshalJSON(text []byte) error { return (*time.Time)(t).UnmarshalJSON(text) }

// RealmUserAdd is sent to everybody when an account is new, or active again (events.md, section 3.12). Real
// addresses that not all may know aren't part of it: those who may get a [RealmUserUpdate].
type RealmUserAdd struct {
	Person UserObject `json:"person"`

	// Before is what the account was, nil if it is new; After is what it is.
	Before *Account `json:"-"`
	After  Account  `json:"-"`
}

// Kind implements [Event].
func (RealmUserAdd) Kind() Kind { return Kind{"realm_user", "add"} }

// Audience is everyone, with the new account itself.
func (RealmUserAdd) Audience() Audience { return Audience{Everyone: true} }

// Change is the account that audiences now have.
func (e RealmUserAdd) Change() *Change {
	return &Change{Accounts: []AccountChange{{User: e.Person.UserID, Before: e.Before, After: e.After}}}
}

// RealmUserUpdate is sent when something of an account changed (events.md, section 3.12).
type RealmUserUpdate struct {
	Person ChangedAccount `json:"person"`

	// To receives it.
	To Audience `json:"-"`
	// Changed is what it does to audiences; nil: nothing.
	Changed *AccountChange `json:"-"`
}

// ChangedAccount names an account and what changed of it: one of its other members.
type ChangedAccount struct {
	UserID        id.User `json:"user_id"`
	DeliveryEmail string  `json:"delivery_email,omitempty"` // the real address
	NewEmail      string  `json:"new_email,omitempty"`      // another address that others know the account by
	FullName      string  `json:"full_name,omitempty"`
	Timezone      *string `json:"timezone,omitempty"` // IANA name; there is no address beside it (http-api.md)
	Role          int     `json:"role,omitempty"`
	*BotPart              // who owns the bot now
	// ProfileField is an answer to a custom profile field.
	ProfileField *ChangedAnswer `json:"custom_profile_field,omitempty"`
	*AvatarChange
}

// ChangedAnswer is an account's new answer to a custom profile field.
type ChangedAnswer struct {
	ID int64 `json:"id"` // of the field
	// Value as it was entered, JSON for some types of fields; null: there is none any more.
	Value *string `json:"value"`
	// Rendered is HTML, for the types of fields with Markdown.
	Rendered *string `json:"rendered_value,omitempty"`
}

// AvatarChange is the members of a [ChangedAccount] that has another picture.
type AvatarChange struct {
	AvatarSource    string `json:"avatar_source"`     // G: generated, U: uploaded
	AvatarURL       string `json:"avatar_url"`        // address of the picture
	AvatarURLMedium string `json:"avatar_url_medium"` // address of a larger one
	AvatarVersion   int    `json:"avatar_version"`    // rises with each new picture
}

// Kind implements [Event].
func (RealmUserUpdate) Kind() Kind { return Kind{"realm_user", "update"} }

// Audience is To.
func (e RealmUserUpdate) Audience() Audience { return e.To }

// Change is Changed.
func (e RealmUserUpdate) Change() *Change {
	if e.Changed == nil {
		return nil
	}
	return &Change{Accounts: []AccountChange{*e.Changed}}
}

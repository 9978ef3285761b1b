// Package actor describes the authenticated caller: who acts, always together with the organization.
package actor

import (
	"crypto/sha256"
	"time"

	"chatserver.dev/pkg/id"
)

// Role is what an account may do in its organization; a lower number has all rights of a higher
// one (rest-api.md, section 8.2).
type Role int16

// The roles, with the interface's own numbers.
const (
	Owner         Role = 100
	Administrator Role = 200
	Member        Role = 400
	Guest         Role = 600
)

// RoleOf returns the role with a number of the interface, or 0, which isn't a role.
func RoleOf(number int) Role {
	for _, role := range []Role{Owner, Administrator, Member, Guest} {
		if int(role) == number {
			return role
		}
	}
	return 0
}

// IsGuest reports whether the role is a guest.
func (r Role) IsGuest() bool { return r == Guest }

// IsAdmin reports whether the role has an administrator's rights; owners have them, too.
func (r Role) IsAdmin() bool { return r <= Administrator }

// BotType is the type of a bot, with the interface's own numbers.
type BotType int16

// The types of bots. Human is the zero value.
const (
	Human           BotType = 0
	GenericBot      BotType = 1
	IncomingWebhook BotType = 2
	OutgoingWebhook BotType = 3
	EmbeddedBot     BotType = 4
)

// Actor is an authenticated caller. It always has an organization, so functions with an
// Actor know which organization they work in. It is a snapshot: role and names are as they
// were when the caller authenticated.
type Actor struct {
	org id.Org

	User      id.User
	Role      Role
	Bot       BotType // Human for people
	BotOwner  id.User // zero for people, and for bots without owner
	OwnerRole Role    // the role of BotOwner; zero without one
	FullName  string
	Email     string    // the address that other users see (rest-api.md, section 8.7)
	RealEmail string    // the address that the account logs in with
	Joined    time.Time // when the account was created
	// OwnerJoined is when the account of BotOwner was created.
	OwnerJoined time.Time
	Subdomain   string // of the organization
	AvatarURL   string
	// AvatarHosted says that AvatarURL is on a third party's host. Clients that can
	// compute it receive null instead.
	AvatarHosted bool
	// WaitingPeriod is the organization's: accounts younger than this are new members.
	WaitingPeriod time.Duration
	// Sending is the settings of the organization and the account for messages that they send.
	Sending Sending
	// PresenceOff says that others don't see whether the account is online.
	PresenceOff bool
	// Login is the login whose key authenticated the request; 0: the account's own API key did.
	Login id.Login
	// Key is the hash of the key that the request was made with; the zero value: the server itself acts.
	Key [sha256.Size]byte
	// Client is the name of the program that sent the request (rest-api.md, section 1.8).
	Client string
}

// Sending is the settings for messages that an account sends.
type Sending struct {
	OrgURL             string // canonical URL of the organization, without a trailing slash
	CodeLanguage       string // of code blocks without a language; empty: none
	Previews           bool   // images are shown below the messages that link to them
	TranslateEmoticons bool   // ":)" becomes an emoji
	PrivateDisabled    bool   // private messages only to bots
	NoMentions         bool   // mentions of all forms are text, because the sender isn't the author
	NoIndentedCode     bool   // indented lines are text, as in mail
	Patterns           int64  // version of the organization's alert words and linkifiers; 0: there are none
}

// New returns an actor of the organization org with the other fields of a.
func New(org id.Org, a Actor) Actor {
	a.org = org
	return a
}

// Org returns the actor's organization.
func (a Actor) Org() id.Org { return a.org }

// IsBot reports whether the actor is a bot of any kind.
func (a Actor) IsBot() bool { return a.Bot != Human }

// Package actor describes the authenticated caller: who acts, always together with the organization.
package actor

import (
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

// RoleOf returns the role that a number in a request stands for; 0, which is nobody's, if it is none's.
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

// BotType says what kind of bot an account is, with the interface's own numbers.
type BotType int16

// The kinds of bots. Human is the zero value.
const (
	Human           BotType = 0
	GenericBot      BotType = 1
	IncomingWebhook BotType = 2
	OutgoingWebhook BotType = 3
	EmbeddedBot     BotType = 4
)

// Actor is an authenticated caller. It can't be made without an organization, so what takes an
// Actor can't forget which organization it works in. It is a snapshot: role and names are as they
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
	Joined    time.Time // when the account was made
	// OwnerJoined is when the account of BotOwner was made.
	OwnerJoined time.Time
	Subdomain   string // of the organization
	AvatarURL   string
	// AvatarHosted says that AvatarURL is on a third party's host, so that clients which can
	// compute it are sent null instead.
	AvatarHosted bool
	// WaitingPeriod is the organization's: accounts younger than this are new members.
	WaitingPeriod time.Duration
	// Sending is what settings of the organization and the account do to messages that they send.
	Sending Sending
	// PresenceOff says that others aren't to see whether the account is online.
	PresenceOff bool
	// Login is the login whose key the request was made with; 0: it was made with the account's own API key.
	Login id.Login
	// Client is the name of the program that the request came from (rest-api.md, section 1.8).
	Client string
}

// Sending is what settings do to the messages that an account sends.
type Sending struct {
	OrgURL             string // canonical address of the organization, without a slash at the end
	CodeLanguage       string // of code blocks that name none; empty: none
	Previews           bool   // images are shown below the messages that link to them
	TranslateEmoticons bool   // ":)" becomes an emoji
	PrivateDisabled    bool   // private messages go to bots only
	NoMentions         bool   // mentions are text, of whatever form: somebody else wrote them
	Patterns           int64  // version of what messages are searched for, alert words and linkifiers; 0: there is nothing
}

// New makes an actor of the organization org out of the other fields of a.
func New(org id.Org, a Actor) Actor {
	a.org = org
	return a
}

// Org is the organization that the actor belongs to.
func (a Actor) Org() id.Org { return a.org }

// IsBot reports whether the actor is a bot of any kind.
func (a Actor) IsBot() bool { return a.Bot != Human }

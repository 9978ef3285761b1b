package adminapi

import (
	"net/url"
	"strings"
	"time"
)

// Ensured is the response to a PUT.
type Ensured[S any] struct {
	// State is the actual state.
	State S `json:"state"`
	// Created is whether the object was created.
	Created bool `json:"created"`
	// Changed are the names of the fields that differed and were changed, with key for an object that was adopted; with keep_key, api_key
	// differs and wasn't changed. Empty if the object was created.
	Changed []string `json:"changed"`
	// Secret is set only if an API key was issued. It can't be read again.
	Secret *Secret `json:"secret,omitempty"`
}

// Secret is an API key that was issued.
type Secret struct {
	APIKey string `json:"api_key"`       // the server keeps only its SHA-256
	URL    string `json:"url,omitempty"` // of an incoming webhook, with the key
	// PreviousEnds is when the previous key expires; absent: it has expired.
	PreviousEnds *time.Time `json:"previous_ends,omitempty"`
}

// OrganizationSpec is the desired state of an organization.
type OrganizationSpec struct {
	// Subdomain of the server's host; empty: the host itself. It is required for a new organization, and can't be changed.
	Subdomain   *string `json:"subdomain,omitempty"`
	Name        *string `json:"name,omitempty"`        // up to 40 characters; required for a new one
	Description *string `json:"description,omitempty"` // Markdown, up to 1000 characters
	// Settings by their names in events, such as create_stream_policy.
	Settings  map[string]any `json:"settings,omitzero"`
	Suspended *bool          `json:"suspended,omitempty"` // nobody can use a suspended organization
	// Owners are the addresses of people to make owners. Accounts are created for those who have none. Other owners stay
	// owners.
	Owners []string `json:"owners,omitzero"`
	// Domains are all domains whose addresses may join if the setting emails_restricted_to_domains is on; up to 500.
	Domains []Domain `json:"domains,omitzero"`
	// Linkifiers are all linkifiers; up to 50.
	Linkifiers []Linkifier `json:"linkifiers,omitzero"`
	// UserGroups are all user groups that the caller manages; up to 500. One that isn't listed any longer is removed. Those that people
	// make stay, and so do those of an identity provider.
	UserGroups []UserGroupSpec `json:"user_groups,omitzero"`
	// Adopt takes over an existing organization with that subdomain, unless it is managed under another key.
	Adopt bool `json:"adopt,omitempty"`
	// AdoptFrom takes over the organization that has been managed under this key until now.
	AdoptFrom string `json:"adopt_from,omitempty"`
}

// Organization is the actual state of an organization.
type Organization struct {
	ID          int64          `json:"id"`
	Key         string         `json:"key"`         // chosen by the caller
	Subdomain   string         `json:"subdomain"`   // empty: the server's host itself
	URL         string         `json:"url"`         // without a slash at the end
	Name        string         `json:"name"`        // for people
	Description string         `json:"description"` // Markdown
	Settings    map[string]any `json:"settings"`    // all of them
	Suspended   bool           `json:"suspended"`   // whether nobody can use it
	Deleting    bool           `json:"deleting"`    // whether it is being deleted
	Owners      []string       `json:"owners"`      // addresses of all active owners, sorted
	Domains     []Domain       `json:"domains"`     // whose addresses may join, by name
	Linkifiers  []Linkifier    `json:"linkifiers"`  // in the order in which they were added
	UserGroups  []UserGroup    `json:"user_groups"` // those that the caller manages, by the names that it chose
	CreatedAt   time.Time      `json:"created_at"`  // when it was created
}

// Domain is a domain whose addresses may join an organization.
type Domain struct {
	Domain          string `json:"domain"`                     // its name, up to 255 characters
	AllowSubdomains bool   `json:"allow_subdomains,omitempty"` // whether addresses of domains below it may join, too
}

// Linkifier makes links of texts that match a pattern.
type Linkifier struct {
	Pattern   string `json:"pattern"`    // regular expression with named groups, up to 500 characters: #(?P<id>[0-9]+)
	URLFormat string `json:"url_format"` // address with the groups, up to 500 characters: https://tracker.example/%(id)s
}

// UserGroupSpec is the desired state of a user group, a named list of people who can be mentioned together. Its name is its key.
type UserGroupSpec struct {
	Name        string  `json:"name"`                  // up to 100 characters
	Description *string `json:"description,omitempty"` // a line of text
	// Members are the addresses of all members, up to 1000. Those without an account become members with the next call after they have
	// one.
	Members []string `json:"members,omitzero"`
	// Adopt takes over an existing user group with that name, unless it is managed under another key or by an identity provider.
	Adopt bool `json:"adopt,omitempty"`
}

// UserGroup is the actual state of a user group.
type UserGroup struct {
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Members     []string `json:"members"` // addresses, sorted
}

// UserSpec is the desired state of a person's account.
type UserSpec struct {
	// Email is the address that the person signs in with. It is required for a new account. The organization's settings may restrict
	// it.
	Email    *string `json:"email,omitempty"`
	FullName *string `json:"full_name,omitempty"` // by default, for a new account, the part of the address before the @
	// Role determines what the person may do: 100 owner, 200 administrator, 400 member, 600 guest. By default, for a new account, what
	// they are invited as, or a member. The last owner stays one.
	Role   *int  `json:"role,omitempty"`
	Active *bool `json:"active,omitempty"` // false deactivates the account, and the bots of that person
	// Groups are the names of user groups to make the person a member of. Once they aren't listed any longer, the person is removed
	// from them. Other groups that the person is in stay as they are.
	Groups []string `json:"groups,omitzero"`
	// Password is for an account that has none. It is never replaced.
	Password string `json:"password,omitempty"`
	// Announce sends mail about the account, once: with a link by which they choose a password, if they have none.
	Announce bool `json:"announce,omitempty"`
	// Adopt takes over an existing active account with that address, unless it is managed under another key.
	Adopt bool `json:"adopt,omitempty"`
	// AdoptFrom takes over the account that has been managed under this key until now.
	AdoptFrom string `json:"adopt_from,omitempty"`
}

// StreamSpec is the desired state of a stream.
type StreamSpec struct {
	Name        *string `json:"name,omitempty"`        // up to 60 characters; required for a new one
	Description *string `json:"description,omitempty"` // Markdown, up to 1024 characters
	Private     *bool   `json:"private,omitempty"`     // only subscribers see a private stream
	// HistoryPublic lets new subscribers of a private stream read earlier messages.
	HistoryPublic *bool `json:"history_public,omitempty"`
	PostPolicy    *int  `json:"post_policy,omitempty"` // who may send: 1 everybody, 2 administrators, 3 only new members and administrators
	// RetentionDays is how long messages are kept; -1: forever, 0: the organization's setting.
	RetentionDays *int  `json:"retention_days,omitempty"`
	Default       *bool `json:"default,omitempty"` // whether new accounts are subscribed to it
	// Adopt takes over an existing active stream with that name, unless it is managed under another key. It isn't needed for general,
	// the stream that is created with an organization.
	Adopt bool `json:"adopt,omitempty"`
	// AdoptFrom takes over the stream that has been managed under this key until now.
	AdoptFrom string `json:"adopt_from,omitempty"`
}

// Stream is the actual state of a stream.
type Stream struct {
	ID            int64  `json:"id"`
	Key           string `json:"key"` // chosen by the caller
	Name          string `json:"name"`
	Description   string `json:"description"`    // Markdown
	Private       bool   `json:"private"`        // whether only subscribers see it
	HistoryPublic bool   `json:"history_public"` // whether new subscribers can read earlier messages
	PostPolicy    int    `json:"post_policy"`    // who may send: 1 everybody, 2 administrators, 3 only new members and administrators
	RetentionDays int    `json:"retention_days"` // -1: forever, 0: the organization's setting
	Default       bool   `json:"default"`        // whether new accounts are subscribed to it
	Active        bool   `json:"active"`         // false: somebody has archived it
}

// KeySpec is the desired API key of an account. Without one, an account keeps its key, and a new account gets a generated one.
type KeySpec struct {
	// APIKey has 32 letters and digits; empty: none is desired.
	APIKey string `json:"api_key,omitempty"`
	// GraceSeconds is how long the previous key stays valid if the key changes; at most 30 days, by default one day.
	GraceSeconds *int `json:"grace_seconds,omitempty"`
	// KeepKey is whether an account's key is only compared with api_key, and never changed: if they differ, or there is none, changed
	// has api_key. A new account gets the key. Only for a PUT.
	KeepKey bool `json:"keep_key,omitempty"`
}

// OwnerSpec is the desired state of an owner, whose key is their address. Whoever has the address becomes an owner.
type OwnerSpec struct {
	FullName *string `json:"full_name,omitempty"` // by default, for a new account, the part of the address before the @
	KeySpec
}

// BotSpec is the desired state of a generic bot.
type BotSpec struct {
	// ShortName begins the bot's address: lower-case letters, digits, dots, hyphens and underscores. It is required for a new
	// bot, and can't be changed.
	ShortName *string `json:"short_name,omitempty"`
	FullName  *string `json:"full_name,omitempty"` // required for a new bot
	Owner     *string `json:"owner,omitempty"`     // address of a person; empty: nobody
	// Role determines the bot's permissions: 100 owner, 200 administrator, 400 member, 600 guest.
	Role *int `json:"role,omitempty"`
	// Subscriptions are the names of all streams to subscribe the bot to. It is unsubscribed from others.
	Subscriptions []string `json:"subscriptions,omitzero"`
	// Adopt takes over an existing generic bot with that address, unless it is managed under another key.
	Adopt bool `json:"adopt,omitempty"`
	// AdoptFrom takes over the bot that has been managed under this key until now.
	AdoptFrom string `json:"adopt_from,omitempty"`
	KeySpec
}

// WebhookSpec is the desired state of an incoming webhook.
type WebhookSpec struct {
	// ShortName begins the address of the webhook's bot, see [BotSpec].
	ShortName   *string `json:"short_name,omitempty"`
	FullName    *string `json:"full_name,omitempty"`   // required for a new webhook
	Integration *string `json:"integration,omitempty"` // such as helloworld; required for a new webhook
	Owner       *string `json:"owner,omitempty"`       // address of a person; empty: nobody
	Stream      *string `json:"stream,omitempty"`      // name of the stream to send to; empty: to the owner
	Topic       *string `json:"topic,omitempty"`       // topic to send to; empty: the integration's default
	// Adopt takes over an existing incoming webhook bot with that address, unless it is managed under another key.
	Adopt bool `json:"adopt,omitempty"`
	// AdoptFrom takes over the webhook that has been managed under this key until now.
	AdoptFrom string `json:"adopt_from,omitempty"`
	KeySpec
}

// Account is the actual state of an account.
type Account struct {
	ID       int64  `json:"id"`
	Key      string `json:"key"` // chosen by the caller; an owner's address
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	Role     int    `json:"role"`   // 100 owner, 200 administrator, 400 member, 600 guest
	Active   bool   `json:"active"` // false: it was deactivated
	Issued   bool   `json:"issued"` // whether it has an API key
	// PreviousEnds is when the previous API key expires; absent: it has expired.
	PreviousEnds *time.Time `json:"previous_ends,omitempty"`
}

// Owner is the actual state of an owner.
type Owner struct {
	Account
}

// User is the actual state of a person's account.
type User struct {
	Account
	Groups      []string `json:"groups"`       // names of the user groups that the person is in, sorted
	HasPassword bool     `json:"has_password"` // whether the person can sign in with a password, where the organization allows it
}

// Bot is the actual state of a bot.
type Bot struct {
	Account
	Owner         string   `json:"owner"`         // address; empty: nobody
	Subscriptions []string `json:"subscriptions"` // names of streams, sorted
}

// Webhook is the actual state of an incoming webhook.
type Webhook struct {
	Account
	Owner       string `json:"owner"`       // address; empty: nobody
	Integration string `json:"integration"` // such as helloworld
	Stream      string `json:"stream"`      // name; empty: messages go to the owner
	Topic       string `json:"topic"`       // empty: the integration's default
	// URL is the address to post to, without the parameter api_key.
	URL string `json:"url"`
}

// WithKey returns URL with an API key.
func (w Webhook) WithKey(key string) string {
	address, parameters, found := strings.Cut(w.URL, "?")
	if found {
		parameters = "&" + parameters
	}
	return address + "?api_key=" + url.QueryEscape(key) + parameters
}

// Issued is the response to the rotation of a key.
type Issued struct {
	// Changed is false if the account already had the requested API key.
	Changed bool   `json:"changed"`
	Secret  Secret `json:"secret"`
}

// Token is a token that was issued.
type Token struct {
	// Token is what callers send as a bearer token. It can't be read again.
	Token string `json:"token"`
}

// Removal is the response to a DELETE.
type Removal struct {
	// Removed is whether the object existed.
	Removed bool `json:"removed"`
}

// Deletion is the response to the DELETE of an organization.
type Deletion struct {
	// Done is whether nothing is left. If it isn't, repeat the call.
	Done bool  `json:"done"`
	Rows int64 `json:"rows"` // that this call deleted
}

// Health is the health of the server's dependencies, as seen by the process that responds.
type Health struct {
	// Database is the problem with PostgreSQL, such as a full disk, and what to do about it; empty: none.
	Database string `json:"database"`
	// Cache is the same for Redis.
	Cache string `json:"cache"`
}

// Status describes the server.
type Status struct {
	Version string `json:"version"` // of the program
	Schema  Schema `json:"schema"`
	// Organizations are all organizations, sorted by ID.
	Organizations []Summary `json:"organizations"`
}

// Schema is the version of the database's schema.
type Schema struct {
	Has   int64 `json:"has"`   // of the database
	Needs int64 `json:"needs"` // minimum for this program
	// MinServerVersion is the oldest release that works with the database.
	MinServerVersion string `json:"min_server_version"`
}

// Summary is a short description of an organization.
type Summary struct {
	ID        int64  `json:"id"`
	Key       string `json:"key"`       // empty: it isn't managed
	Subdomain string `json:"subdomain"` // empty: the server's host itself
	Suspended bool   `json:"suspended"` // whether nobody can use it
	Deleting  bool   `json:"deleting"`  // whether it is being deleted
	People    int64  `json:"people"`    // active accounts of people
	Bots      int64  `json:"bots"`      // active accounts of bots
	Streams   int64  `json:"streams"`   // active streams
}

// Codes of failures because a name is in use.
const (
	CodeExists = "ALREADY_EXISTS" // by an object that isn't managed
	CodeKept   = "ALREADY_KEPT"   // by one that is managed under another key
)

// CodeUnknownField is the code of a document with a field that the server doesn't know: the caller may be of a later release.
const CodeUnknownField = "UNKNOWN_FIELD"

// HeldKey is the name of the member of a [Failure] with the other key.
const HeldKey = "held_key"

// Failure is the response to a call that failed.
type Failure struct {
	Result string `json:"result"` // error
	Msg    string `json:"msg"`    // for people
	Code   string `json:"code"`   // for programs; may be empty
	// HeldKey is the key under which an object is managed already, with the code ALREADY_KEPT.
	HeldKey string `json:"held_key,omitempty"`
}

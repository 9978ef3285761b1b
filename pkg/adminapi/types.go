package adminapi

import "time"

// Ensured is the answer to a PUT.
type Ensured[S any] struct {
	// State is how it is now.
	State S `json:"state"`
	// Created is whether it was missing.
	Created bool `json:"created"`
	// Changed are the names of the fields that differed and were changed. Empty if the object was created.
	Changed []string `json:"changed"`
	// Secret is there only when an API key was issued: it can't be had again.
	Secret *Secret `json:"secret,omitempty"`
}

// Secret is an API key that was issued.
type Secret struct {
	APIKey string `json:"api_key"`       // the server keeps only its SHA-256
	URL    string `json:"url,omitempty"` // of an incoming webhook, complete with the key
	// PreviousEnds is until when the key before it works; absent: it doesn't.
	PreviousEnds *time.Time `json:"previous_ends,omitempty"`
}

// OrganizationSpec is how an organization is to be.
type OrganizationSpec struct {
	// Subdomain is what comes before the server's host; empty: nothing. It is needed for a new organization,
	// and can't be changed.
	Subdomain   *string `json:"subdomain,omitempty"`
	Name        *string `json:"name,omitempty"`        // up to 40 characters; needed for a new one
	Description *string `json:"description,omitempty"` // Markdown, up to 1000 characters
	// Settings are by the names that they have in events, such as create_stream_policy.
	Settings  map[string]any `json:"settings,omitzero"`
	Suspended *bool          `json:"suspended,omitempty"` // nobody can use a suspended organization
	// Owners are the addresses of people who are to be owners, and accounts are made for those who have
	// none. Others who are owners stay so.
	Owners []string `json:"owners,omitzero"`
	// Adopt takes over an organization with the subdomain that nobody keeps.
	Adopt bool `json:"adopt,omitempty"`
}

// Organization is how an organization is.
type Organization struct {
	ID          int64          `json:"id"`
	Key         string         `json:"key"`         // as the caller gave it
	Subdomain   string         `json:"subdomain"`   // empty: the server's host itself
	URL         string         `json:"url"`         // without a slash at the end
	Name        string         `json:"name"`        // for people
	Description string         `json:"description"` // Markdown
	Settings    map[string]any `json:"settings"`    // all of them
	Suspended   bool           `json:"suspended"`   // whether nobody can use it
	Deleting    bool           `json:"deleting"`    // whether its deletion has begun
	Owners      []string       `json:"owners"`      // addresses of all active owners, in order
	CreatedAt   time.Time      `json:"created_at"`  // when it was made
}

// StreamSpec is how a stream is to be.
type StreamSpec struct {
	Name        *string `json:"name,omitempty"`        // up to 60 characters; needed for a new one
	Description *string `json:"description,omitempty"` // Markdown, up to 1024 characters
	Private     *bool   `json:"private,omitempty"`     // only subscribers see a private stream
	// HistoryPublic lets new subscribers of a private stream read what was sent before.
	HistoryPublic *bool `json:"history_public,omitempty"`
	PostPolicy    *int  `json:"post_policy,omitempty"` // who may send: 1 everybody, 2 administrators, 3 full members
	// RetentionDays is how long messages are kept; -1: forever, 0: as the organization says.
	RetentionDays *int  `json:"retention_days,omitempty"`
	Default       *bool `json:"default,omitempty"` // whether new accounts are subscribed to it
	// Adopt takes over an active stream with the name that nobody keeps. The stream that an organization begins
	// with, general, needs no adopt.
	Adopt bool `json:"adopt,omitempty"`
}

// Stream is how a stream is.
type Stream struct {
	ID            int64  `json:"id"`
	Key           string `json:"key"` // as the caller gave it
	Name          string `json:"name"`
	Description   string `json:"description"`    // Markdown
	Private       bool   `json:"private"`        // whether only subscribers see it
	HistoryPublic bool   `json:"history_public"` // whether new subscribers read what was sent before
	PostPolicy    int    `json:"post_policy"`    // who may send: 1 everybody, 2 administrators, 3 full members
	RetentionDays int    `json:"retention_days"` // -1: forever, 0: as the organization says
	Default       bool   `json:"default"`        // whether new accounts are subscribed to it
	Active        bool   `json:"active"`         // false: somebody has archived it
}

// KeySpec says which API key an account is to have. A new account gets a generated one if none is named,
// and one that has a key keeps it.
type KeySpec struct {
	// APIKey are 32 to 128 letters, digits, hyphens and underscores; empty: not named.
	APIKey string `json:"api_key,omitempty"`
	// GraceSeconds is how long the key before works on, if it changes; at most 30 days, by default one.
	GraceSeconds *int `json:"grace_seconds,omitempty"`
}

// OwnerSpec is how an owner is to be, who is kept by their address. It makes an owner of whoever has the
// address.
type OwnerSpec struct {
	FullName *string `json:"full_name,omitempty"` // for a new one, by default, what is before the @
	KeySpec
}

// BotSpec is how a generic bot is to be.
type BotSpec struct {
	// ShortName begins the bot's address: lower-case letters, digits, dots, hyphens and underscores. It is
	// needed for a new one, and can't be changed.
	ShortName *string `json:"short_name,omitempty"`
	FullName  *string `json:"full_name,omitempty"` // needed for a new one
	Owner     *string `json:"owner,omitempty"`     // address of a person; empty: nobody
	// Role is what the bot may do: 100 owner, 200 administrator, 400 member, 600 guest.
	Role *int `json:"role,omitempty"`
	// Subscriptions are the names of all streams that the bot is subscribed to; others are left.
	Subscriptions []string `json:"subscriptions,omitzero"`
	// Adopt takes over a generic bot with the address that nobody keeps.
	Adopt bool `json:"adopt,omitempty"`
	KeySpec
}

// WebhookSpec is how an incoming webhook is to be.
type WebhookSpec struct {
	// ShortName begins the address of the webhook's bot, see [BotSpec].
	ShortName   *string `json:"short_name,omitempty"`
	FullName    *string `json:"full_name,omitempty"`   // needed for a new one
	Integration *string `json:"integration,omitempty"` // helloworld, for instance; needed for a new one
	Owner       *string `json:"owner,omitempty"`       // address of a person; empty: nobody
	Stream      *string `json:"stream,omitempty"`      // name of the stream to send to; empty: to the owner
	Topic       *string `json:"topic,omitempty"`       // topic to send to; empty: the integration's own
	// Adopt takes over an incoming webhook bot with the address that nobody keeps.
	Adopt bool `json:"adopt,omitempty"`
	KeySpec
}

// Account is how an account is.
type Account struct {
	ID       int64  `json:"id"`
	Key      string `json:"key"` // as the caller gave it; of owners the address
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	Role     int    `json:"role"`   // 100 owner, 200 administrator, 400 member, 600 guest
	Active   bool   `json:"active"` // false: it was deactivated
	Issued   bool   `json:"issued"` // whether it has an API key
	// PreviousEnds is until when the API key before works; absent: it doesn't.
	PreviousEnds *time.Time `json:"previous_ends,omitempty"`
}

// Owner is how an owner is.
type Owner struct {
	Account
}

// Bot is how a bot is.
type Bot struct {
	Account
	Owner         string   `json:"owner"`         // address; empty: nobody
	Subscriptions []string `json:"subscriptions"` // names of streams, in order
}

// Webhook is how an incoming webhook is.
type Webhook struct {
	Account
	Owner       string `json:"owner"`       // address; empty: nobody
	Integration string `json:"integration"` // what sends
	Stream      string `json:"stream"`      // name; empty: the owner gets what it sends
	Topic       string `json:"topic"`       // empty: the integration's own
	// URL is the address to send to, but for the parameter api_key, which has to be added.
	URL string `json:"url"`
}

// Issued is the answer to a rotation.
type Issued struct {
	// Changed is whether the account had another API key before.
	Changed bool   `json:"changed"`
	Secret  Secret `json:"secret"`
}

// Removal is the answer to a DELETE.
type Removal struct {
	// Removed is whether there was something to remove.
	Removed bool `json:"removed"`
}

// Deletion is the answer to the DELETE of an organization.
type Deletion struct {
	// Done is whether nothing is left. If not, call again.
	Done bool  `json:"done"`
	Rows int64 `json:"rows"` // that this call removed
}

// Health is whether the server can do its work, as of the process that was asked.
type Health struct {
	// Database says what is wrong with PostgreSQL, such as a full disk, and what to do; empty: nothing.
	Database string `json:"database"`
	// Cache says the same of Redis.
	Cache string `json:"cache"`
}

// Status is how the server is.
type Status struct {
	Version string `json:"version"` // of the program
	Schema  Schema `json:"schema"`
	// Organizations are all there are, by id.
	Organizations []Summary `json:"organizations"`
}

// Schema is the version of the database's schema.
type Schema struct {
	Has   int64 `json:"has"`   // the database's
	Needs int64 `json:"needs"` // what this program needs at least
	// MinServerVersion is the oldest release that works with the database.
	MinServerVersion string `json:"min_server_version"`
}

// Summary is an organization in short.
type Summary struct {
	ID        int64  `json:"id"`
	Key       string `json:"key"`       // empty: no machine keeps it
	Subdomain string `json:"subdomain"` // empty: the server's host itself
	Suspended bool   `json:"suspended"` // whether nobody can use it
	Deleting  bool   `json:"deleting"`  // whether its deletion has begun
	People    int64  `json:"people"`    // active accounts of people
	Bots      int64  `json:"bots"`      // active accounts of bots
	Streams   int64  `json:"streams"`   // active streams
}

// Failure is the answer to a call that failed.
type Failure struct {
	Result string `json:"result"` // error
	Msg    string `json:"msg"`    // for people
	Code   string `json:"code"`   // for programs; may be empty
}

package event

import "chatserver.dev/pkg/id"

// RealmBotRemove is sent to those who keep a bot when it was deactivated (events.md, section 3.13). It comes after
// everybody's [RealmUserRemove].
type RealmBotRemove struct {
	Bot RemovedAccount `json:"bot"`

	Owner   id.User `json:"-"` // zero: nobody
	Private bool    `json:"-"` // see [RealmBotAdd]
}

// Kind implements [Event].
func (RealmBotRemove) Kind() Kind { return Kind{"realm_bot", "remove"} }

// Audience is the bot's owner and the administrators.
func (e RealmBotRemove) Audience() Audience { return botKeepers(e.Owner, e.Private) }

// RealmBotTransferred is sent to somebody who owns a bot from now on (events.md, section 3.13).
type RealmBotTransferred struct {
	RealmBotAdd

	To id.User `json:"-"`
}

// Audience is the new owner.
func (e RealmBotTransferred) Audience() Audience { return Audience{Users: []id.User{e.To}} }

// RealmBotDelete is sent to somebody who doesn't own a bot any more (events.md, section 3.13).
type RealmBotDelete struct {
	Bot DeletedBot `json:"bot"`

	Owner id.User `json:"-"` // who kept it
}

// DeletedBot is the bot of a [RealmBotDelete].
type DeletedBot struct {
	UserID id.User `json:"user_id"`
}

// Kind implements [Event].
func (RealmBotDelete) Kind() Kind { return Kind{"realm_bot", "delete"} }

// Audience is who kept the bot.
func (e RealmBotDelete) Audience() Audience { return Audience{Users: []id.User{e.Owner}} }

// RealmBotUpdate is sent to those who keep a bot when one of its properties changed (events.md, section 3.13).
type RealmBotUpdate struct {
	Bot ChangedBot `json:"bot"`

	// Owner keeps the bot, beside the administrators; zero: nobody.
	Owner   id.User `json:"-"`
	Private bool    `json:"-"` // see [RealmBotAdd]
	// Except are those who get another event instead.
	Except []id.User `json:"-"`
}

// ChangedBot names a bot and what changed of it: one of its other members.
type ChangedBot struct {
	UserID   id.User `json:"user_id"`
	FullName string  `json:"full_name,omitempty"`
	// AvatarURL is where its new picture is.
	AvatarURL string `json:"avatar_url,omitempty"`
	*BotStream
	*BotEvents
	*BotOwner
	// Whether its event queues get the messages of all public streams, unless it says otherwise.
	DefaultAllPublicStreams *bool `json:"default_all_public_streams,omitempty"`
	// One, of an outgoing or an incoming webhook bot.
	Services []ChangedService `json:"services,omitempty"`
}

// BotStream is the member of a [ChangedBot] whose default stream changed.
type BotStream struct {
	DefaultSendingStream *string `json:"default_sending_stream"` // name; null: none
}

// BotEvents is the member of a [ChangedBot] that registers for the messages of another stream.
type BotEvents struct {
	DefaultEventsRegisterStream *string `json:"default_events_register_stream"` // name; null: none
}

// ChangedService is where messages for a bot are sent, or what it is configured with.
type ChangedService struct {
	*BotService
	ConfigData map[string]string `json:"config_data,omitempty"` // of an incoming webhook bot
}

// BotOwner is the member of a [ChangedBot] that somebody else owns now.
type BotOwner struct {
	OwnerID *id.User `json:"owner_id"` // null: nobody
}

// Kind implements [Event].
func (RealmBotUpdate) Kind() Kind { return Kind{"realm_bot", "update"} }

// Audience is the bot's owner and the administrators, except for those who get another event.
func (e RealmBotUpdate) Audience() Audience {
	to := botKeepers(e.Owner, e.Private)
	to.Except = e.Except
	return to
}

// botKeepers returns a bot's owner and, unless it is private, the administrators.
func botKeepers(owner id.User, private bool) Audience {
	to := Audience{Admins: !private}
	if owner != 0 {
		to.Users = []id.User{owner}
	}
	return to
}

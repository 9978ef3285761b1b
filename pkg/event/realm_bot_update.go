package event

import "chatserver.dev/pkg/id"

// RealmBotRemove is sent to those who keep a bot when it was deactivated (events.md, section 3.13). It comes after
// everybody's [RealmUserRemove].
type RealmBotRemove struct {
	Bot RemovedAccount `json:"bot"`

	Owner id.User `json:"-"` // zero: nobody
}

// Kind implements [Event].
func (RealmBotRemove) Kind() Kind { return Kind{"realm_bot", "remove"} }

// Audience is the bot's owner and the administrators.
func (e RealmBotRemove) Audience() Audience { return botKeepers(e.Owner) }

// RealmBotHanded is sent to somebody who owns a bot from now on (events.md, section 3.13).
type RealmBotHanded struct {
	RealmBotAdd

	To id.User `json:"-"`
}

// Audience is the new owner.
func (e RealmBotHanded) Audience() Audience { return Audience{Users: []id.User{e.To}} }

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
	Owner id.User `json:"-"`
	// Except are those who get another event instead.
	Except []id.User `json:"-"`
}

// ChangedBot names a bot and what changed of it: one of its other members.
type ChangedBot struct {
	UserID   id.User `json:"user_id"`
	FullName string  `json:"full_name,omitempty"`
	*BotStream
	*BotOwner
}

// BotStream is the member of a [ChangedBot] whose default stream changed.
type BotStream struct {
	DefaultSendingStream *string `json:"default_sending_stream"` // name; null: none
}

// BotOwner is the member of a [ChangedBot] that somebody else owns now.
type BotOwner struct {
	OwnerID *id.User `json:"owner_id"` // null: nobody
}

// Kind implements [Event].
func (RealmBotUpdate) Kind() Kind { return Kind{"realm_bot", "update"} }

// Audience is the bot's owner and the administrators, but for those who get another event.
func (e RealmBotUpdate) Audience() Audience {
	to := botKeepers(e.Owner)
	to.Except = e.Except
	return to
}

func botKeepers(owner id.User) Audience {
	to := Audience{Admins: true}
	if owner != 0 {
		to.Users = []id.User{owner}
	}
	return to
}

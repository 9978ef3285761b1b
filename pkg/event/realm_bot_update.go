package event

import "chatserver.dev/pkg/id"

// RealmBotRemove tells those who keep a bot that it was deactivated, after [RealmUserRemove] has told
// everybody (events.md, section 3.13).
type RealmBotRemove struct {
	Op  string         `json:"op"` // remove
	Bot RemovedAccount `json:"bot"`

	Owner id.User `json:"-"` // zero: nobody
}

// NewRealmBotRemove makes the event.
func NewRealmBotRemove(bot RemovedAccount, owner id.User) RealmBotRemove {
	return RealmBotRemove{Op: "remove", Bot: bot, Owner: owner}
}

// EventType is realm_bot.
func (RealmBotRemove) EventType() string { return "realm_bot" }

// Audience is the bot's owner and the administrators.
func (e RealmBotRemove) Audience() Audience { return botKeepers(e.Owner) }

// Change is nothing: [RealmUserRemove] has it.
func (RealmBotRemove) Change() *Change { return nil }

// RealmBotHanded tells somebody of a bot that is theirs now (events.md, section 3.13).
type RealmBotHanded struct {
	RealmBotAdd

	To id.User `json:"-"`
}

// Audience is the new owner.
func (e RealmBotHanded) Audience() Audience { return Audience{Users: []id.User{e.To}} }

// RealmBotDelete tells somebody that a bot isn't theirs any more (events.md, section 3.13).
type RealmBotDelete struct {
	Op  string     `json:"op"` // delete
	Bot DeletedBot `json:"bot"`

	Owner id.User `json:"-"` // who kept it
}

// DeletedBot is the bot of a [RealmBotDelete].
type DeletedBot struct {
	UserID id.User `json:"user_id"`
}

// NewRealmBotDelete makes the event.
func NewRealmBotDelete(bot, owner id.User) RealmBotDelete {
	return RealmBotDelete{Op: "delete", Bot: DeletedBot{bot}, Owner: owner}
}

// EventType is realm_bot.
func (RealmBotDelete) EventType() string { return "realm_bot" }

// Audience is who kept the bot.
func (e RealmBotDelete) Audience() Audience { return Audience{Users: []id.User{e.Owner}} }

// Change is nothing.
func (RealmBotDelete) Change() *Change { return nil }

// RealmBotUpdate tells those who keep a bot that one of its properties changed (events.md, section 3.13).
type RealmBotUpdate struct {
	Bot id.User
	// Property is the name of what changed, and Value what it is now.
	Property string
	Value    any
	// Owner keeps the bot, beside the administrators; zero: nobody.
	Owner id.User
	// Except are told in another way.
	Except []id.User
}

// EventType is realm_bot.
func (RealmBotUpdate) EventType() string { return "realm_bot" }

// Audience is the bot's owner and the administrators, but those that are told in another way.
func (e RealmBotUpdate) Audience() Audience {
	to := botKeepers(e.Owner)
	to.Except = e.Except
	return to
}

// Change is nothing.
func (RealmBotUpdate) Change() *Change { return nil }

// MarshalJSON writes the event.
func (e RealmBotUpdate) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Op  string         `json:"op"`
		Bot map[string]any `json:"bot"`
	}{"update", map[string]any{"user_id": e.Bot, e.Property: e.Value}})
}

func botKeepers(owner id.User) Audience {
	to := Audience{Admins: true}
	if owner != 0 {
		to.Users = []id.User{owner}
	}
	return to
}

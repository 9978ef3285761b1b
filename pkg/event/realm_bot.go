package event

import (
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
)

// BotObject is a bot as those who keep it see it (events.md, section 1.6.6). It has no API key: the
// server knows only its sum, and the key is shown once, to whoever made it.
type BotObject struct {
	UserID                      id.User       `json:"user_id"`                        // of the bot's account
	BotType                     actor.BotType `json:"bot_type"`                       // 1: generic, 2: incoming webhook, 3: outgoing webhook, 4: embedded
	Email                       string        `json:"email"`                          // what the bot logs in with
	FullName                    string        `json:"full_name"`                      // for people
	IsActive                    bool          `json:"is_active"`                      // false: deactivated
	DefaultSendingStream        *string       `json:"default_sending_stream"`         // name; null: none
	DefaultEventsRegisterStream *string       `json:"default_events_register_stream"` // name; null: none
	DefaultAllPublicStreams     bool          `json:"default_all_public_streams"`     // whether its event queues get the messages of all public streams, unless it says otherwise
	AvatarURL                   string        `json:"avatar_url"`                     // address of the picture
	OwnerID                     *id.User      `json:"owner_id,omitempty"`             // absent: nobody
	Services                    []BotService  `json:"services"`                       // of an outgoing webhook bot
}

// BotService is where messages for an outgoing webhook bot are sent.
type BotService struct {
	BaseURL   string `json:"base_url"`  // where the bot sends to
	Interface int    `json:"interface"` // 1: generic, 2: as Slack does
	Token     string `json:"token"`     // authenticates the sender to the receiver
}

// RealmBotAdd is sent to those who keep a bot when it is new (events.md, section 3.13). It comes after everybody's
// [RealmUserAdd].
type RealmBotAdd struct {
	Bot BotObject `json:"bot"`

	// Private says that only the owner receives the bot's events, because one of its default streams is private.
	Private bool `json:"-"`
}

// Kind implements [Event].
func (RealmBotAdd) Kind() Kind { return Kind{"realm_bot", "add"} }

// Audience is the bot's owner and the administrators.
func (e RealmBotAdd) Audience() Audience {
	if e.Bot.OwnerID == nil {
		return botKeepers(0, e.Private)
	}
	return botKeepers(*e.Bot.OwnerID, e.Private)
}

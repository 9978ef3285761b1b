package state

import (
	"context"

	"chatserver.dev/pkg/user"
)

// Display are the caller's display settings (rest-api.md, section 4.5).
type Display struct {
	user.Display
	Timezone string `json:"timezone"` // IANA name, or empty
	// EmojisetChoices are what emojiset can be.
	EmojisetChoices []EmojisetChoice `json:"emojiset_choices"`
}

// EmojisetChoice is a look of emoji.
type EmojisetChoice struct {
	Key  string `json:"key"`  // value of emojiset
	Text string `json:"text"` // for people
}

// Notifications are the caller's notification settings (rest-api.md, section 4.6).
type Notifications struct {
	user.Notifications
	// Sounds are what notification_sound can be.
	Sounds []string `json:"available_notification_sounds"`
}

func readDisplay(_ context.Context, r *reading, into *State) error {
	into.Display = &Display{
		Display: r.self.Settings.Display, Timezone: r.self.Timezone,
		EmojisetChoices: []EmojisetChoice{
			{"google", "Google"},
			{"google-blob", "Google (blobs)"},
			{"twitter", "Twitter"},
			{"text", "Plain text"},
		},
	}
	return nil
}

func readNotifications(_ context.Context, r *reading, into *State) error {
	into.Notifications = &Notifications{r.self.Settings.Notifications, user.Sounds()}
	return nil
}

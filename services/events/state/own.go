package state

import (
	"context"

	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/user"
)

// Display are the caller's display settings (rest-api.md, section 4.5).
type Display struct {
	user.Display
	Timezone string `json:"timezone"` // IANA name, or empty
	// EmojisetChoices are the possible values of emojiset.
	EmojisetChoices []EmojisetChoice `json:"emojiset_choices"`
}

// EmojisetChoice is a style of emoji.
type EmojisetChoice struct {
	Key  string `json:"key"`  // value of emojiset
	Text string `json:"text"` // for people
}

// Notifications are the caller's notification settings (rest-api.md, section 4.6).
type Notifications struct {
	user.Notifications
	// Sounds are the possible values of notification_sound.
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

func readHotspots(_ context.Context, r *reading, into *State) error {
	into.Hotspots = r.self.Settings.Hotspots()
	return nil
}

func readAlertWords(ctx context.Context, r *reading, into *State) (err error) {
	into.AlertWords, err = alert.List(ctx, r.tx, r.self.ID)
	return err
}

func readNewestMessage(ctx context.Context, r *reading, into *State) error {
	newest, err := user.NewestReceived(ctx, r.tx, r.self.ID)
	into.MaxMessageID = &newest
	return err
}

// readUnread reads the unread messages if changes of flags are requested, too: otherwise they would be outdated at
// once.
func readUnread(ctx context.Context, r *reading, into *State) error {
	if !r.wants("update_message_flags") {
		return nil
	}
	unread, err := inbox.ReadUnread(ctx, r.tx, r.self.ID)
	into.UnreadMessages = &unread
	return err
}

func readConversations(ctx context.Context, r *reading, into *State) (err error) {
	into.RecentConversations, err = inbox.RecentConversations(ctx, r.tx, r.self.ID)
	return err
}

func readStarred(ctx context.Context, r *reading, into *State) (err error) {
	into.StarredMessages, err = inbox.Starred(ctx, r.tx, r.self.ID)
	return err
}

func readMutedTopics(ctx context.Context, r *reading, into *State) error {
	muted, err := topic.MutedBy(ctx, r.tx, r.self.ID)
	into.MutedTopics = topic.Tuples(muted)
	if r.StreamNames {
		into.MutedTopics = topic.NamedTuples(muted, r.who.Role)
	}
	return err
}

func readPresences(ctx context.Context, r *reading, into *State) (err error) {
	want := presence.LegacyListing
	if r.SlimPresence {
		want = presence.SlimListing
	}
	into.Presences, err = r.Statuses.Listing(ctx, r.tx, want)
	return err
}

func readUserStatus(ctx context.Context, r *reading, into *State) (err error) {
	into.UserStatus, err = presence.All(ctx, r.tx)
	return err
}

package event

import "chatserver.dev/pkg/id"

// RealmEmoji is sent to everybody when an emoji of the organization is new, or can't be used any more (events.md, section
// 3.15).
type RealmEmoji struct {
	everyone

	Emoji map[string]CustomEmoji `json:"realm_emoji"` // all of the organization's, by their IDs
}

// CustomEmoji is an organization's own emoji (rest-api.md, section 5.6).
type CustomEmoji struct {
	ID        string `json:"id"`         // unique on the server
	Name      string `json:"name"`       // what is typed between colons
	SourceURL string `json:"source_url"` // where its image is
	// Deactivated emoji are shown where they were used, and can't be used any more.
	Deactivated bool    `json:"deactivated"`
	AuthorID    id.User `json:"author_id"` // who added it
}

// Kind implements [Event].
func (RealmEmoji) Kind() Kind { return Kind{"realm_emoji", "update"} }

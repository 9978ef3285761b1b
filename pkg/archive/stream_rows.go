package archive

import (
	"encoding/json"
)

// Stream is a stream.
type Stream struct {
	ID            int64  `json:"id"`
	Realm         int64  `json:"realm"`
	Recipient     *int64 `json:"recipient"`
	Name          string `json:"name"`
	Description   string `json:"description"`
	InviteOnly    bool   `json:"invite_only"`
	WebPublic     bool   `json:"is_web_public"`
	HistoryPublic *bool  `json:"history_public_to_subscribers"`
	PostPolicy    int    `json:"stream_post_policy"` // 3: the reference lets new members not send; 0: the archive has none
	RetentionDays *int   `json:"message_retention_days"`
	Deactivated   bool   `json:"deactivated"`
	Created       Time   `json:"date_created"`
	// Senders is in newer archives the group that may send there, in place of PostPolicy; nil: everybody may, or PostPolicy says who.
	Senders json.RawMessage `json:"can_send_message_group,omitempty"`
	// NewMembersOnly says that new members and administrators alone may send there, which only this server has. PostPolicy is then that
	// of administrators.
	NewMembersOnly bool `json:"only_new_members_send,omitempty"`
}

// DefaultStream is a stream that newcomers are subscribed to.
type DefaultStream struct {
	ID     int64 `json:"id"`
	Realm  int64 `json:"realm"`
	Stream int64 `json:"stream"`
}

// StreamGroup is a group of streams that newcomers can choose.
type StreamGroup struct {
	ID          int64   `json:"id"`
	Realm       int64   `json:"realm"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Streams     []int64 `json:"streams"`
}

// Kinds of recipients.
const (
	ToUser   = 1
	ToStream = 2
	ToHuddle = 3 // a private conversation of more than two
)

// Recipient is where messages go.
type Recipient struct {
	ID     int64 `json:"id"`
	Type   int   `json:"type"`
	TypeID int64 `json:"type_id"` // of the account, the stream or the huddle
}

// Huddle is a private conversation; its members are the subscriptions to its recipient.
type Huddle struct {
	ID   int64  `json:"id"`
	Hash string `json:"huddle_hash"` // SHA-1 of the members' ids, ascending, with commas
}

// Subscription is somebody's to a recipient.
type Subscription struct {
	ID        int64  `json:"id"`
	User      int64  `json:"user_profile"`
	Recipient int64  `json:"recipient"`
	Active    bool   `json:"active"`
	Color     string `json:"color"`
	Muted     bool   `json:"is_muted"`
	Pinned    bool   `json:"pin_to_top"`
	Desktop   *bool  `json:"desktop_notifications"`
	Audible   *bool  `json:"audible_notifications"`
	Push      *bool  `json:"push_notifications"`
	Email     *bool  `json:"email_notifications"`
	Wildcard  *bool  `json:"wildcard_mentions_notify"`
}

// Kinds of [Audit] after which somebody is subscribed.
const (
	Subscribed      = "301"
	SubscribedAgain = "302"
)

// Audit is a change that the reference has noted. Its kind is a number; in early versions it was a text.
type Audit struct {
	Kind        json.RawMessage `json:"event_type"`
	User        *int64          `json:"modified_user"`
	Stream      *int64          `json:"modified_stream"`
	LastMessage *int64          `json:"event_last_message_id"` // the newest one at that time
}

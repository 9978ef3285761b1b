package archive

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"
)

// Time is a time as archives have it: seconds since 1970.
type Time struct{ time.Time }

// MarshalJSON implements [json.Marshaler], exact to a microsecond. The zero time is 1970.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("0"), nil
	}
	return strconv.AppendFloat(nil, float64(t.UnixMicro())/1e6, 'f', 6, 64), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It takes times from 1970 to 9999; null is 1970.
func (t *Time) UnmarshalJSON(text []byte) error {
	seconds := 0.0
	if err := json.Unmarshal(text, &seconds); err != nil {
		return err
	}
	const last = 253402300799
	if seconds < 0 || seconds > last {
		return fmt.Errorf("%s isn't a time between 1970 and 9999", text)
	}
	t.Time = time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC()
	return nil
}

// Realm is the organization.
type Realm struct {
	ID          int64  `json:"id"`
	Subdomain   string `json:"string_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Created     Time   `json:"date_created"`
	// Streams for notices; nil: none.
	NotificationsStream *int64          `json:"notifications_stream"`
	SignupStream        *int64          `json:"signup_notifications_stream"`
	Methods             json.RawMessage `json:"authentication_methods"` // of signing in: [["Email", true], …]
	// What newer archives have in place of NotificationsStream and SignupStream.
	NewStreamsStream *int64 `json:"new_stream_announcements_stream,omitempty"`
	NewPeopleStream  *int64 `json:"signup_announcements_stream,omitempty"`
	// AllMethods says that nobody has chosen any of them: all that a server has are open. The reference has no such member.
	AllMethods      bool   `json:"all_authentication_methods,omitempty"`
	QuotaGB         *int64 `json:"upload_quota_gb"`
	IconSource      string `json:"icon_source"` // G: drawn by a service, U: uploaded
	LogoSource      string `json:"logo_source"` // D: the product's, U: uploaded
	NightLogoSource string `json:"night_logo_source"`
	// Settings are all other members, by name.
	Settings map[string]json.RawMessage `json:"-"`
}

// Method is a way to sign in that is open.
type Method struct {
	Realm int64  `json:"realm"`
	Name  string `json:"name"`
}

// User is an account.
type User struct {
	ID            int64  `json:"id"`
	Realm         int64  `json:"realm"`
	Email         string `json:"email"` // as others see it
	DeliveryEmail string `json:"delivery_email"`
	FullName      string `json:"full_name"`
	Role          int    `json:"role"` // 0: the archive is older than roles
	IsAdmin       bool   `json:"is_realm_admin,omitempty"`
	IsGuest       bool   `json:"is_guest,omitempty"`
	Active        bool   `json:"is_active"`
	IsBot         bool   `json:"is_bot"`
	BotType       *int   `json:"bot_type"`
	BotOwner      *int64 `json:"bot_owner"`
	Recipient     *int64 `json:"recipient,omitempty"` // of messages to the account alone
	// Idle says that the reference keeps no rows of the account's for messages in streams after LastMessage, though it received them.
	Idle          bool   `json:"long_term_idle,omitempty"`
	LastMessage   *int64 `json:"last_active_message_id,omitempty"`
	Joined        Time   `json:"date_joined"`
	Timezone      string `json:"timezone"`
	AvatarSource  string `json:"avatar_source"` // G: drawn by a service, U: uploaded
	AvatarVersion int    `json:"avatar_version"`
	// What a bot sends to and registers for when it doesn't say.
	SendingStream *int64 `json:"default_sending_stream"`
	EventsStream  *int64 `json:"default_events_register_stream"`
	AllStreams    bool   `json:"default_all_public_streams"`
	// SCIM is what an identity provider calls the account; nil: none does. The reference has no such member.
	SCIM *SCIM `json:"scim,omitempty"`
	// Settings are all other members, by name.
	Settings map[string]json.RawMessage `json:"-"`
}

// Visibility is of an account, or of new ones, who sees their real addresses. Older archives have that in [Realm.Settings] alone.
type Visibility struct {
	Policy json.RawMessage `json:"email_address_visibility"`
}

// SCIM is an account as an identity provider knows it.
type SCIM struct {
	UserName   string  `json:"user_name"`
	ExternalID *string `json:"external_id"`
	Removed    bool    `json:"removed"` // by the provider
}

// SystemUser is a bot of the server itself.
type SystemUser struct {
	ID        int64  `json:"id"`
	Email     string `json:"email"`
	Recipient *int64 `json:"recipient_id,omitempty"` // of messages to the bot alone
}

// MarshalJSON implements [json.Marshaler].
func (r Realm) MarshalJSON() ([]byte, error) {
	type plain Realm
	return merged(plain(r), r.Settings)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Realm) UnmarshalJSON(text []byte) error {
	type plain Realm
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	return json.Unmarshal(text, &r.Settings)
}

// MarshalJSON implements [json.Marshaler].
func (u User) MarshalJSON() ([]byte, error) {
	type plain User
	return merged(plain(u), u.Settings)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (u *User) UnmarshalJSON(text []byte) error {
	type plain User
	if err := json.Unmarshal(text, (*plain)(u)); err != nil {
		return err
	}
	return json.Unmarshal(text, &u.Settings)
}

// merged is the object of a row, with further members that it doesn't have.
func merged(row any, further map[string]json.RawMessage) ([]byte, error) {
	encoded, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(further)
	if all == nil {
		return encoded, nil
	}
	if err := json.Unmarshal(encoded, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// Domain is one that new addresses may belong to.
type Domain struct {
	ID              int64  `json:"id"`
	Realm           int64  `json:"realm"`
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

// RealmEmoji is an emoji of the organization; its image is in [EmojiFolder].
type RealmEmoji struct {
	ID          int64  `json:"id"`
	Realm       int64  `json:"realm"`
	Author      *int64 `json:"author"`
	Name        string `json:"name"`
	FileName    string `json:"file_name"`
	Deactivated bool   `json:"deactivated"`
}

// Linkifier is a pattern of text that becomes a link.
type Linkifier struct {
	ID        int64  `json:"id"`
	Realm     int64  `json:"realm"`
	Pattern   string `json:"pattern"`
	URLFormat string `json:"url_format_string"`
	// URLTemplate is what newer archives have in place of URLFormat (RFC 6570).
	URLTemplate string `json:"url_template,omitempty"`
}

// ProfileField is a question to all people.
type ProfileField struct {
	ID    int64  `json:"id"`
	Realm int64  `json:"realm"`
	Name  string `json:"name"`
	Hint  string `json:"hint"`
	Order int64  `json:"order"`
	Type  int    `json:"field_type"`
	Data  string `json:"field_data"`
}

// ProfileValue is somebody's answer.
type ProfileValue struct {
	ID    int64  `json:"id"`
	User  int64  `json:"user_profile"`
	Field int64  `json:"field"`
	Value string `json:"value"`
}

// Group is a user group.
type Group struct {
	ID          int64  `json:"id"`
	Realm       int64  `json:"realm"`
	Name        string `json:"name"`
	Description string `json:"description"`
	System      bool   `json:"is_system_group,omitempty"` // one that the reference makes in every organization, for a role
	// ExternalID is what an identity provider calls the group; empty: none does. The reference has no such member.
	ExternalID string `json:"external_id,omitempty"`
}

// NamedGroup is what newer archives say of a user group.
type NamedGroup struct {
	ID          int64  `json:"usergroup_ptr"`
	Realm       int64  `json:"realm"`
	Name        string `json:"name"`
	Description string `json:"description"`
	System      bool   `json:"is_system_group"` // as of [Group]
	Deactivated bool   `json:"deactivated"`
}

// GroupGroup is a group in a group.
type GroupGroup struct {
	Outer int64 `json:"supergroup"`
	Inner int64 `json:"subgroup"`
}

// GroupMember is a member of a group.
type GroupMember struct {
	ID    int64 `json:"id"`
	Group int64 `json:"user_group"`
	User  int64 `json:"user_profile"`
}

// Client is a program that messages were sent from.
type Client struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// MutedTopic is a topic that somebody muted.
type MutedTopic struct {
	ID        int64  `json:"id"`
	User      int64  `json:"user_profile"`
	Stream    int64  `json:"stream"`
	Recipient int64  `json:"recipient"`
	Topic     string `json:"topic_name"`
	Muted     Time   `json:"date_muted"`
}

// UserTopic is what somebody wants of a topic. Newer archives have these in place of muted topics.
type UserTopic struct {
	User    int64  `json:"user_profile"`
	Stream  int64  `json:"stream"`
	Topic   string `json:"topic_name"`
	Policy  int    `json:"visibility_policy"`
	Changed Time   `json:"last_updated"`
}

// TopicMuted is the policy of a muted topic.
const TopicMuted = 1

// AlertWord is a word that somebody is alerted by.
type AlertWord struct {
	ID    int64  `json:"id"`
	Realm int64  `json:"realm"`
	User  int64  `json:"user_profile"`
	Word  string `json:"word"`
}

// Status is what somebody says of themselves.
type Status struct {
	ID        int64  `json:"id"`
	User      int64  `json:"user_profile"`
	Client    int64  `json:"client"`
	Timestamp Time   `json:"timestamp"`
	Away      int    `json:"status"` // 1: away
	Text      string `json:"status_text"`
}

// Service is where an outgoing webhook bot sends what concerns it.
type Service struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	User      int64  `json:"user_profile"`
	URL       string `json:"base_url"`
	Interface int    `json:"interface"` // 1: generic, 2: as Slack does
}

// BotDatum is something that a bot is configured with or keeps.
type BotDatum struct {
	ID    int64  `json:"id"`
	Bot   int64  `json:"bot_profile"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

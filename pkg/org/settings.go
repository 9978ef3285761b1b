package org

import "chatserver.dev/pkg/permit"

// The values of Settings.EmailAddressVisibility: who sees the real addresses of people (rest-api.md, section 8.7).
const (
	EmailsForEveryone = 1
	EmailsForAdmins   = 3
	EmailsForNobody   = 4
)

// NoStream is the value of settings with the id of a stream for "none".
const NoStream = -1

// PlanType is the plan of every organization: self-hosted.
const PlanType = 1

// maxQuota is the maximum quota of uploaded files, in bytes. Numbers in JavaScript are exact up to this one.
const maxQuota = 1 << 53

// Quota returns the maximum total size of uploaded files in bytes; nil: no limit.
func (s Settings) Quota() *int64 {
	if s.UploadQuota == 0 {
		return nil
	}
	return &s.UploadQuota
}

// Settings are the settings of an organization (rest-api.md, section 8.1). The JSON names are those of events and
// parameters. The state of a registration has them with the prefix "realm_". In fields with a limit or a
// delay in seconds, 0 is none.
type Settings struct {
	AddEmojiByAdminsOnly             bool                `json:"add_emoji_by_admins_only"`
	AllowCommunityTopicEditing       bool                `json:"allow_community_topic_editing"`
	AllowEditHistory                 bool                `json:"allow_edit_history"`
	AllowMessageDeleting             bool                `json:"allow_message_deleting"`
	AllowMessageEditing              bool                `json:"allow_message_editing"`
	AuthenticationMethods            map[string]bool     `json:"authentication_methods"` // by name, "Email"
	AvatarChangesDisabled            bool                `json:"avatar_changes_disabled"`
	BotCreationPolicy                int                 `json:"bot_creation_policy"` // section 8.6
	CreateStreamPolicy               permit.StreamPolicy `json:"create_stream_policy"`
	DefaultCodeBlockLanguage         *string             `json:"default_code_block_language"` // nil: none
	DefaultLanguage                  string              `json:"default_language"`
	DefaultTwentyFourHourTime        bool                `json:"default_twenty_four_hour_time"`
	DigestEmailsEnabled              bool                `json:"digest_emails_enabled"`
	DigestWeekday                    int                 `json:"digest_weekday"` // 0: Monday
	DisallowDisposableEmailAddresses bool                `json:"disallow_disposable_email_addresses"`
	EmailAddressVisibility           int                 `json:"email_address_visibility"`
	EmailChangesDisabled             bool                `json:"email_changes_disabled"`
	EmailsRestrictedToDomains        bool                `json:"emails_restricted_to_domains"`
	InlineImagePreview               bool                `json:"inline_image_preview"`
	InlineURLEmbedPreview            bool                `json:"inline_url_embed_preview"`
	InviteByAdminsOnly               bool                `json:"invite_by_admins_only"`
	InviteRequired                   bool                `json:"invite_required"`
	InviteToStreamPolicy             permit.StreamPolicy `json:"invite_to_stream_policy"`
	MandatoryTopics                  bool                `json:"mandatory_topics"`
	MessageContentAllowedInEmail     bool                `json:"message_content_allowed_in_email_notifications"`
	MessageContentDeleteLimitSeconds int                 `json:"message_content_delete_limit_seconds"`
	MessageContentEditLimitSeconds   int                 `json:"message_content_edit_limit_seconds"`
	MessageRetentionDays             int                 `json:"message_retention_days"` // -1: forever
	MaxStreams                       int                 `json:"max_streams"`            // active ones, for streams that people make
	MaxStreamsPerDay                 int                 `json:"max_streams_per_day"`    // that one account makes in 24 hours
	UploadQuota                      int64               `json:"upload_quota"`           // bytes of all uploaded files; 0: no limit
	NameChangesDisabled              bool                `json:"name_changes_disabled"`
	NotificationsStreamID            int64               `json:"notifications_stream_id"` // NoStream: none
	PrivateMessagePolicy             int                 `json:"private_message_policy"`  // 1: allowed, 2: not
	SendWelcomeEmails                bool                `json:"send_welcome_emails"`
	SignupNotificationsStreamID      int64               `json:"signup_notifications_stream_id"` // NoStream: none
	// ThirdPartyAvatars shows people without an uploaded picture by one of a public service, found by a hash of
	// their address, instead of a generated one.
	ThirdPartyAvatars      bool `json:"third_party_avatars"`
	UserGroupEditPolicy    int  `json:"user_group_edit_policy"`   // 1: members, 2: administrators
	VideoChatProvider      int  `json:"video_chat_provider"`      // 0: none, 1: Jitsi
	WaitingPeriodThreshold int  `json:"waiting_period_threshold"` // days until an account becomes a full member
}

// Defaults returns the default settings of an organization.
func Defaults() Settings {
	return Settings{
		AllowCommunityTopicEditing:       true,
		AllowEditHistory:                 true,
		AllowMessageEditing:              true,
		BotCreationPolicy:                1,
		CreateStreamPolicy:               permit.ByMembers,
		DefaultLanguage:                  "en",
		DigestWeekday:                    1,
		DisallowDisposableEmailAddresses: true,
		EmailAddressVisibility:           EmailsForEveryone,
		InlineImagePreview:               true,
		InviteRequired:                   true,
		InviteToStreamPolicy:             permit.ByMembers,
		MessageContentAllowedInEmail:     true,
		MessageContentDeleteLimitSeconds: 600,
		MessageContentEditLimitSeconds:   600,
		MaxStreams:                       5000,
		MaxStreamsPerDay:                 500,
		MessageRetentionDays:             -1,
		NotificationsStreamID:            NoStream,
		PrivateMessagePolicy:             1,
		SendWelcomeEmails:                true,
		SignupNotificationsStreamID:      NoStream,
		UserGroupEditPolicy:              1,
		VideoChatProvider:                1,
	}
}

package state

import (
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/profile"
)

// RealmCapabilities are the features of the server that the organization can use.
type RealmCapabilities struct {
	EmailAuthEnabled    bool `json:"realm_email_auth_enabled"`    // whether people can log in with an email address and a password
	PasswordAuthEnabled bool `json:"realm_password_auth_enabled"` // whether people can log in with a password of any kind
	// TopicEditingLimitSeconds is how long members may edit the topics of messages of others.
	TopicEditingLimitSeconds *int `json:"realm_community_topic_editing_limit_seconds"` // null: no limit
	PlanType                 int  `json:"realm_plan_type"`                             // 1: the organization's own server
	// PlanIsNotLimited has the name that clients of the reference server use.
	PlanIsNotLimited bool   `json:"zulip_plan_is_not_limited"`
	UploadQuota      *int64 `json:"realm_upload_quota"` // bytes; null: unlimited
	// VideoProviders are the possible values of realm_video_chat_provider.
	VideoProviders           map[string]VideoProvider           `json:"realm_available_video_chat_providers"`
	JitsiServerURL           string                             `json:"jitsi_server_url"`                        // server for calls by Jitsi
	PresenceDisabled         bool                               `json:"realm_presence_disabled"`                 // whether presence is disabled
	IsZephyrMirror           bool                               `json:"realm_is_zephyr_mirror_realm"`            // always false
	PushNotificationsEnabled bool                               `json:"realm_push_notifications_enabled"`        // whether mobile devices are notified
	ExternalAccounts         map[string]profile.ExternalAccount `json:"realm_default_external_accounts"`         // kinds of accounts elsewhere by their names
	UpgradeText              string                             `json:"upgrade_text_for_wide_organization_logo"` // always empty
	SendDigestEmails         bool                               `json:"settings_send_digest_emails"`             // whether the server mails digests
	MaxIconFileSize          int                                `json:"max_icon_file_size"`                      // MiB
	MaxLogoFileSize          int                                `json:"max_logo_file_size"`                      // MiB
	MaxFileUploadSize        int                                `json:"max_file_upload_size_mib"`                // MiB; 0: uploads are disabled
	MaxAvatarFileSize        int                                `json:"max_avatar_file_size_mib"`                // MiB
	DevelopmentEnvironment   bool                               `json:"development_environment"`                 // whether this is a server for development
	ServerGeneration         int64                              `json:"server_generation"`                       // when the server started, in Unix seconds
	PasswordMinLength        int                                `json:"password_min_length"`                     // characters
	PasswordMinGuesses       int                                `json:"password_min_guesses"`                    // minimum number of guesses that a password withstands
	InlineImagePreviews      bool                               `json:"server_inline_image_preview"`             // whether the server shows pictures that messages link to
	InlineURLEmbedPreviews   bool                               `json:"server_inline_url_embed_preview"`         // whether the server shows previews of pages
	AvatarChangesOff         bool                               `json:"server_avatar_changes_disabled"`          // whether the server disables changes of pictures
	NameChangesOff           bool                               `json:"server_name_changes_disabled"`            // whether the server disables changes of names
}

// VideoProvider is a way to make video calls.
type VideoProvider struct {
	Name string `json:"name"` // for people
	ID   int    `json:"id"`   // value of realm_video_chat_provider
}

// maxUpload returns the maximum size of an upload in MiB; 0: uploads are disabled.
func (r *reading) maxUpload() int {
	if !r.Uploads {
		return 0
	}
	return attachment.MaxBytes >> 20
}

func (r *reading) capabilities() RealmCapabilities {
	methods := r.org.Settings.AuthenticationMethods
	topicEditing := 24 * 60 * 60
	return RealmCapabilities{
		EmailAuthEnabled: methods["Email"], PasswordAuthEnabled: methods["Email"],
		TopicEditingLimitSeconds: &topicEditing,
		PlanType:                 org.PlanType, PlanIsNotLimited: true, UploadQuota: r.org.Settings.Quota(),
		VideoProviders:   map[string]VideoProvider{"disabled": {"None", 0}, "jitsi_meet": {"Jitsi Meet", 1}},
		JitsiServerURL:   r.Orgs.Config().JitsiServerURL,
		ExternalAccounts: profile.ExternalAccounts(),
		SendDigestEmails: true,
		MaxIconFileSize:  5, MaxLogoFileSize: 5, MaxFileUploadSize: r.maxUpload(), MaxAvatarFileSize: 5,
		ServerGeneration:  r.generation,
		PasswordMinLength: 6, PasswordMinGuesses: 10000,
		InlineImagePreviews: true,
	}
}

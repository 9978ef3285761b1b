package org

// Switches are the settings of an organization that are booleans or numbers; nil: not set. They are parameters and
// members of replies. The caller has checked the numbers.
type Switches struct {
	// Whether only administrators add custom emoji.
	AddEmojiByAdminsOnly *bool `param:"add_emoji_by_admins_only" json:"add_emoji_by_admins_only,omitempty"`
	// Whether everybody may edit the topics of others' messages.
	AllowCommunityTopicEditing *bool `param:"allow_community_topic_editing" json:"allow_community_topic_editing,omitempty"`
	// Whether older versions of edited messages can be read.
	AllowEditHistory *bool `param:"allow_edit_history" json:"allow_edit_history,omitempty"`
	// Whether people may delete their messages.
	AllowMessageDeleting *bool `param:"allow_message_deleting" json:"allow_message_deleting,omitempty"`
	// Whether messages can be edited.
	AllowMessageEditing *bool `param:"allow_message_editing" json:"allow_message_editing,omitempty"`
	// Whether only administrators change their pictures.
	AvatarChangesDisabled *bool `param:"avatar_changes_disabled" json:"avatar_changes_disabled,omitempty"`
	// Who creates bots: 1 everybody, 2 everybody but generic ones, 3 administrators.
	BotCreationPolicy *int `param:"bot_creation_policy" json:"bot_creation_policy,omitempty" enum:"1,2,3"`
	// Who creates streams: 1 members, 2 administrators, 3 full members.
	CreateStreamPolicy *int `param:"create_stream_policy" json:"create_stream_policy,omitempty" enum:"1,2,3"`
	// Whether new accounts see times as 17:00 instead of 5:00 PM.
	DefaultTwentyFourHourTime *bool `param:"default_twenty_four_hour_time" json:"default_twenty_four_hour_time,omitempty"`
	// Whether digests are mailed to those who were away.
	DigestEmailsEnabled *bool `param:"digest_emails_enabled" json:"digest_emails_enabled,omitempty"`
	// When digests are mailed: 0 Monday to 6 Sunday.
	DigestWeekday *int `param:"digest_weekday" json:"digest_weekday,omitempty" enum:"0,1,2,3,4,5,6"`
	// Whether disposable addresses are refused for new accounts, if addresses aren't restricted to domains.
	DisallowDisposableEmailAddresses *bool `param:"disallow_disposable_email_addresses" json:"disallow_disposable_email_addresses,omitempty"`
	// Who sees real addresses: 1 everybody, 3 administrators, 4 nobody.
	EmailAddressVisibility *int `param:"email_address_visibility" json:"email_address_visibility,omitempty" enum:"1,3,4"`
	// Whether only administrators change their addresses.
	EmailChangesDisabled *bool `param:"email_changes_disabled" json:"email_changes_disabled,omitempty"`
	// Whether new addresses must be of the organization's domains.
	EmailsRestrictedToDomains *bool `param:"emails_restricted_to_domains" json:"emails_restricted_to_domains,omitempty"`
	// Whether messages show the images that they link to.
	InlineImagePreview *bool `param:"inline_image_preview" json:"inline_image_preview,omitempty"`
	// Whether messages show previews of pages that they link to. The server makes none.
	InlineURLEmbedPreview *bool `param:"inline_url_embed_preview" json:"inline_url_embed_preview,omitempty"`
	// Whether only administrators invite.
	InviteByAdminsOnly *bool `param:"invite_by_admins_only" json:"invite_by_admins_only,omitempty"`
	// Whether nobody joins without an invitation.
	InviteRequired *bool `param:"invite_required" json:"invite_required,omitempty"`
	// Who subscribes others to streams: 1 members, 2 administrators, 3 full members.
	InviteToStreamPolicy *int `param:"invite_to_stream_policy" json:"invite_to_stream_policy,omitempty" enum:"1,2,3"`
	// Whether clients require a topic.
	MandatoryTopics *bool `param:"mandatory_topics" json:"mandatory_topics,omitempty"`
	// Whether mails contain the content of messages.
	MessageContentAllowedInEmail *bool `param:"message_content_allowed_in_email_notifications" json:"message_content_allowed_in_email_notifications,omitempty"`
	// Whether only administrators change their names.
	NameChangesDisabled *bool `param:"name_changes_disabled" json:"name_changes_disabled,omitempty"`
	// Stream for announcements of new streams, which the caller has access to; -1: none.
	NotificationsStreamID *int64 `param:"notifications_stream_id" json:"notifications_stream_id,omitempty"`
	// Private messages: 1 allowed, 2 to bots only.
	PrivateMessagePolicy *int `param:"private_message_policy" json:"private_message_policy,omitempty" enum:"1,2"`
	// Whether new members receive welcome mails.
	SendWelcomeEmails *bool `param:"send_welcome_emails" json:"send_welcome_emails,omitempty"`
	// Stream for notes on new accounts, which the caller has access to; -1: none.
	SignupNotificationsStreamID *int64 `param:"signup_notifications_stream_id" json:"signup_notifications_stream_id,omitempty"`
	// Who edits user groups: 1 members, 2 administrators.
	UserGroupEditPolicy *int `param:"user_group_edit_policy" json:"user_group_edit_policy,omitempty" enum:"1,2"`
	// Where video calls are made: an id of realm_available_video_chat_providers.
	VideoChatProvider *int `param:"video_chat_provider" json:"video_chat_provider,omitempty"`
}

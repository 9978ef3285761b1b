package state

import (
	"context"
	"reflect"
	"sync"

	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

// Realm has the settings of an organization, its address and pictures, and the capabilities of the server (events.md,
// section 1.6.4).
type Realm struct {
	RealmChoices
	RealmPlace
	RealmCapabilities
}

// RealmChoices are the settings of the organization (rest-api.md, section 8.1).
type RealmChoices struct {
	AddEmojiByAdminsOnly             bool                `json:"realm_add_emoji_by_admins_only"`                       // whether only administrators add emoji
	AllowCommunityTopicEditing       bool                `json:"realm_allow_community_topic_editing"`                  // whether members edit the topics of others' messages
	AllowEditHistory                 bool                `json:"realm_allow_edit_history"`                             // whether older versions of messages can be read
	AllowMessageDeleting             bool                `json:"realm_allow_message_deleting"`                         // whether members delete their messages
	AllowMessageEditing              bool                `json:"realm_allow_message_editing"`                          // whether messages can be edited
	AuthenticationMethods            map[string]bool     `json:"realm_authentication_methods"`                         // ways to log in, and whether they are enabled
	AvatarChangesDisabled            bool                `json:"realm_avatar_changes_disabled"`                        // whether only administrators change pictures
	BotCreationPolicy                int                 `json:"realm_bot_creation_policy"`                            // 1 everyone, 2 no generic bots, 3 administrators
	CreateStreamPolicy               permit.StreamPolicy `json:"realm_create_stream_policy"`                           // who creates streams: 1 members, 2 administrators, 3 full members
	DefaultCodeBlockLanguage         *string             `json:"realm_default_code_block_language"`                    // null: none
	RealmDefaultLanguage             string              `json:"realm_default_language"`                               // of new accounts and of notices
	DefaultTwentyFourHourTime        bool                `json:"realm_default_twenty_four_hour_time"`                  // for new accounts
	Description                      string              `json:"realm_description"`                                    // Markdown
	DigestEmailsEnabled              bool                `json:"realm_digest_emails_enabled"`                          // whether digests are mailed
	DigestWeekday                    int                 `json:"realm_digest_weekday"`                                 // 0: Monday
	DisallowDisposableEmailAddresses bool                `json:"realm_disallow_disposable_email_addresses"`            // whether new accounts need a lasting address
	EmailAddressVisibility           int                 `json:"realm_email_address_visibility"`                       // 1 everyone, 3 administrators, 4 nobody
	EmailChangesDisabled             bool                `json:"realm_email_changes_disabled"`                         // whether only administrators change addresses
	EmailsRestrictedToDomains        bool                `json:"realm_emails_restricted_to_domains"`                   // whether addresses must belong to realm_domains
	InlineImagePreview               bool                `json:"realm_inline_image_preview"`                           // whether messages show pictures that they link to
	InlineURLEmbedPreview            bool                `json:"realm_inline_url_embed_preview"`                       // whether messages show previews of pages
	InviteByAdminsOnly               bool                `json:"realm_invite_by_admins_only"`                          // whether only administrators invite
	InviteRequired                   bool                `json:"realm_invite_required"`                                // whether joining requires an invitation
	InviteToStreamPolicy             permit.StreamPolicy `json:"realm_invite_to_stream_policy"`                        // who subscribes others: 1 members, 2 administrators, 3 full members
	MandatoryTopics                  bool                `json:"realm_mandatory_topics"`                               // whether clients ask for a topic
	MessageContentAllowedInEmail     bool                `json:"realm_message_content_allowed_in_email_notifications"` // whether mails contain the content of messages
	MessageContentDeleteLimitSeconds int                 `json:"realm_message_content_delete_limit_seconds"`           // 0: none
	MessageContentEditLimitSeconds   int                 `json:"realm_message_content_edit_limit_seconds"`             // 0: none
	MessageRetentionDays             int                 `json:"realm_message_retention_days"`                         // -1: forever
	Name                             string              `json:"realm_name"`                                           // of the organization
	NameChangesDisabled              bool                `json:"realm_name_changes_disabled"`                          // whether only administrators change names
	NotificationsStreamID            int64               `json:"realm_notifications_stream_id"`                        // -1: none
	PrivateMessagePolicy             int                 `json:"realm_private_message_policy"`                         // 1 allowed, 2 not
	SendWelcomeEmails                bool                `json:"realm_send_welcome_emails"`                            // whether new members get welcome mails
	SignupNotificationsStreamID      int64               `json:"realm_signup_notifications_stream_id"`                 // -1: none
	UserGroupEditPolicy              int                 `json:"realm_user_group_edit_policy"`                         // 1 members, 2 administrators
	VideoChatProvider                int                 `json:"realm_video_chat_provider"`                            // an id of realm_available_video_chat_providers
	WaitingPeriodThreshold           int                 `json:"realm_waiting_period_threshold"`                       // days
}

// RealmPlace has the address of the organization and its pictures.
type RealmPlace struct {
	URI             string `json:"realm_uri"`               // without a trailing slash
	BotDomain       string `json:"realm_bot_domain"`        // domain of the addresses of bots
	IconURL         string `json:"realm_icon_url"`          // address of the picture
	IconSource      string `json:"realm_icon_source"`       // G: generated, U: uploaded
	LogoURL         string `json:"realm_logo_url"`          // address of the wide picture
	LogoSource      string `json:"realm_logo_source"`       // D: the default, U: uploaded
	NightLogoURL    string `json:"realm_night_logo_url"`    // address of the wide picture for dark backgrounds
	NightLogoSource string `json:"realm_night_logo_source"` // D: the default, U: uploaded
}

func readRealm(ctx context.Context, r *reading, into *State) error {
	choices := choices(r.org)
	active, err := r.streamNames(ctx, choices.NotificationsStreamID, choices.SignupNotificationsStreamID)
	if err != nil {
		return err
	}
	for _, stream := range [...]*int64{&choices.NotificationsStreamID, &choices.SignupNotificationsStreamID} {
		if active[id.Stream(*stream)] == nil {
			*stream = org.NoStream
		}
	}
	into.Realm = &Realm{
		RealmChoices: choices,
		RealmPlace: RealmPlace{
			URI: r.org.URI, BotDomain: r.org.Domain, IconURL: r.org.PictureURL(org.Icon), IconSource: r.org.PictureSource(org.Icon),
			LogoURL: r.org.PictureURL(org.Logo), LogoSource: r.org.PictureSource(org.Logo),
			NightLogoURL: r.org.PictureURL(org.NightLogo), NightLogoSource: r.org.PictureSource(org.NightLogo),
		},
		RealmCapabilities: r.capabilities(),
	}
	return nil
}

func readEmoji(ctx context.Context, r *reading, into *State) (err error) {
	into.RealmEmoji, err = customemoji.All(ctx, r.tx)
	return err
}

// choices copies the settings of an organization to the fields with the same JSON names, prefixed by "realm_".
func choices(o org.Org) RealmChoices {
	c := RealmChoices{Name: o.Name, Description: o.Description}
	into, from := reflect.ValueOf(&c).Elem(), reflect.ValueOf(o.Settings)
	for choice, setting := range settingOf() {
		into.Field(choice).Set(from.Field(setting))
	}
	return c
}

// settingOf returns the indexes of the fields of [org.Settings] by those of [RealmChoices].
//
//nolint:gochecknoglobals // values that don't change; finding them takes longer than the rest of a registration's settings
var settingOf = sync.OnceValue(func() map[int]int {
	settings := map[string]int{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[org.Settings]()) {
		settings["realm_"+field.Tag.Get("json")] = i
	}
	found := map[int]int{}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[RealmChoices]()) {
		if setting, ok := settings[field.Tag.Get("json")]; ok {
			found[i] = setting
		}
	}
	return found
})

func readDomains(ctx context.Context, r *reading, into *State) (err error) {
	into.RealmDomains, err = org.DomainsIn(ctx, r.tx)
	return err
}

func readLinkifiers(ctx context.Context, r *reading, into *State) (err error) {
	into.RealmFilters, err = linkifier.ListIn(ctx, r.tx)
	return err
}

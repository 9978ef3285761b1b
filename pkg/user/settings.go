package user

import (
	"encoding/json"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// Settings are an account's personal settings.
type Settings struct {
	Notifications
	Display
	// EnterSends makes the return key send a message instead of beginning a new line.
	EnterSends bool `json:"enter_sends"`
	// SeenHotspots are the hints for newcomers that the account has read, by name.
	SeenHotspots []string `json:"seen_hotspots"`
	// TutorialFinished ends all hints.
	TutorialFinished bool `json:"tutorial_finished"`
}

// Notifications are the notification settings (rest-api.md, section 4.6). The JSON names are those
// of parameters, of the state of a registration and of events.
type Notifications struct {
	EnableStreamDesktopNotifications   bool   `json:"enable_stream_desktop_notifications"`    // whether messages in streams show up on the desktop
	EnableStreamEmailNotifications     bool   `json:"enable_stream_email_notifications"`      // whether messages in streams are mailed
	EnableStreamPushNotifications      bool   `json:"enable_stream_push_notifications"`       // whether messages in streams are sent to mobile devices
	EnableStreamAudibleNotifications   bool   `json:"enable_stream_audible_notifications"`    // whether messages in streams make a sound
	WildcardMentionsNotify             bool   `json:"wildcard_mentions_notify"`               // whether mentions of everybody count as mentions
	NotificationSound                  string `json:"notification_sound"`                     // one of Sounds
	EnableDesktopNotifications         bool   `json:"enable_desktop_notifications"`           // whether private messages and mentions show up on the desktop
	EnableSounds                       bool   `json:"enable_sounds"`                          // whether private messages and mentions make a sound
	EnableOfflineEmailNotifications    bool   `json:"enable_offline_email_notifications"`     // whether private messages and mentions are mailed to those who are away
	EnableOfflinePushNotifications     bool   `json:"enable_offline_push_notifications"`      // whether they are sent to mobile devices of those who are away
	EnableOnlinePushNotifications      bool   `json:"enable_online_push_notifications"`       // whether they are sent to mobile devices of those who aren't, too
	EnableDigestEmails                 bool   `json:"enable_digest_emails"`                   // whether a digest is mailed to those who were away for long
	EnableLoginEmails                  bool   `json:"enable_login_emails"`                    // whether logins from new devices are mailed
	MessageContentInEmailNotifications bool   `json:"message_content_in_email_notifications"` // whether mails say what the messages say
	PMContentInDesktopNotifications    bool   `json:"pm_content_in_desktop_notifications"`    // whether the desktop shows what private messages say
	DesktopIconCountDisplay            int    `json:"desktop_icon_count_display"`             // 1: all unread, 2: private and mentions, 3: none
	RealmNameInNotifications           bool   `json:"realm_name_in_notifications"`            // whether mails name the organization
	PresenceEnabled                    bool   `json:"presence_enabled"`                       // whether others see that the account is online
}

// Display are the display settings without the time zone, which everybody sees and which is
// therefore part of the account (rest-api.md, section 4.5).
type Display struct {
	TwentyFourHourTime    bool   `json:"twenty_four_hour_time"`   // 17:00 instead of 5:00 PM
	DenseMode             bool   `json:"dense_mode"`              // less space between messages
	StarredMessageCounts  bool   `json:"starred_message_counts"`  // whether to show how many messages are starred
	FluidLayoutWidth      bool   `json:"fluid_layout_width"`      // as wide as the window
	HighContrastMode      bool   `json:"high_contrast_mode"`      // stronger colors
	ColorScheme           int    `json:"color_scheme"`            // 1: automatic, 2: night, 3: day
	TranslateEmoticons    bool   `json:"translate_emoticons"`     // whether :) becomes an emoji
	DefaultLanguage       string `json:"default_language"`        // code of the language, as in de
	LeftSideUserlist      bool   `json:"left_side_userlist"`      // whether people are listed on the left in narrow windows
	Emojiset              string `json:"emojiset"`                // google, google-blob, twitter or text
	DemoteInactiveStreams int    `json:"demote_inactive_streams"` // 1: automatic, 2: always, 3: never
}

// Texts returns the server's texts in the account's language, or else in English.
func (d Display) Texts() catalogue.Texts { return catalogue.Best(d.DefaultLanguage) }

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Notifications: Notifications{
			WildcardMentionsNotify:             true,
			NotificationSound:                  "ding",
			EnableDesktopNotifications:         true,
			EnableSounds:                       true,
			EnableOfflineEmailNotifications:    true,
			EnableOfflinePushNotifications:     true,
			EnableOnlinePushNotifications:      true,
			EnableDigestEmails:                 true,
			EnableLoginEmails:                  true,
			MessageContentInEmailNotifications: true,
			PMContentInDesktopNotifications:    true,
			DesktopIconCountDisplay:            1,
			PresenceEnabled:                    true,
		},
		Display: Display{
			DenseMode:             true,
			ColorScheme:           1,
			DefaultLanguage:       "en",
			Emojiset:              "google-blob",
			DemoteInactiveStreams: 1,
		},
	}
}

// Sounds returns the values of Notifications.NotificationSound.
func Sounds() []string { return []string{"ding", "chime"} }

// initial returns the settings of a new account, which include defaults of its organization.
func initial(o org.Settings) Settings {
	settings := Defaults()
	settings.DefaultLanguage = o.DefaultLanguage
	settings.TwentyFourHourTime = o.DefaultTwentyFourHourTime
	return settings
}

// DecodeSettings decodes stored settings.
func DecodeSettings(stored json.RawMessage) (Settings, error) {
	return store.DecodeSettings(stored, Defaults())
}

// EncodeSettings encodes settings for storage.
func EncodeSettings(settings Settings) (json.RawMessage, error) {
	return store.EncodeSettings(settings, Defaults())
}

package user

import (
	"context"
	"maps"
	"slices"
	"time"
	_ "time/tzdata" // so that time zones work on every machine

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/store"
)

// The errors of invalid settings (rest-api.md, sections 4.5 and 4.6).
var (
	ErrSound    = fault.Bad("Invalid notification sound '%s'")
	ErrLanguage = fault.Bad("Invalid default_language")
	ErrTimezone = fault.Bad("Invalid timezone")
)

// NotificationsChange is a change of notification settings: those that aren't nil.
type NotificationsChange struct {
	NotificationSwitches
	NotificationSound *string `json:"notification_sound,omitempty"` // one of [Sounds]
}

// NotificationSwitches are the settings of [NotificationsChange] that aren't strings, as in parameters and in replies. The
// caller has checked the numbers.
type NotificationSwitches struct {
	// Visual desktop notifications for stream messages.
	EnableStreamDesktopNotifications *bool `param:"enable_stream_desktop_notifications" json:"enable_stream_desktop_notifications,omitempty"`
	// Email notifications for stream messages.
	EnableStreamEmailNotifications *bool `param:"enable_stream_email_notifications" json:"enable_stream_email_notifications,omitempty"`
	// Mobile notifications for stream messages.
	EnableStreamPushNotifications *bool `param:"enable_stream_push_notifications" json:"enable_stream_push_notifications,omitempty"`
	// Audible desktop notifications for stream messages.
	EnableStreamAudibleNotifications *bool `param:"enable_stream_audible_notifications" json:"enable_stream_audible_notifications,omitempty"`
	// Visual desktop notifications for private messages and mentions.
	EnableDesktopNotifications *bool `param:"enable_desktop_notifications" json:"enable_desktop_notifications,omitempty"`
	// Audible notifications for private messages and mentions.
	EnableSounds *bool `param:"enable_sounds" json:"enable_sounds,omitempty"`
	// Email for private messages and mentions that arrive while the user is offline.
	EnableOfflineEmailNotifications *bool `param:"enable_offline_email_notifications" json:"enable_offline_email_notifications,omitempty"`
	// Mobile notifications for private messages and mentions that arrive while the user is offline.
	EnableOfflinePushNotifications *bool `param:"enable_offline_push_notifications" json:"enable_offline_push_notifications,omitempty"`
	// Mobile notifications for private messages and mentions that arrive while the user is online.
	EnableOnlinePushNotifications *bool `param:"enable_online_push_notifications" json:"enable_online_push_notifications,omitempty"`
	// Digest emails while the user is away.
	EnableDigestEmails *bool `param:"enable_digest_emails" json:"enable_digest_emails,omitempty"`
	// Email for new logins.
	EnableLoginEmails *bool `param:"enable_login_emails" json:"enable_login_emails,omitempty"`
	// Whether emails about missed messages contain the messages.
	MessageContentInEmailNotifications *bool `param:"message_content_in_email_notifications" json:"message_content_in_email_notifications,omitempty"`
	// Whether desktop notifications show the text of private messages.
	PMContentInDesktopNotifications *bool `param:"pm_content_in_desktop_notifications" json:"pm_content_in_desktop_notifications,omitempty"`
	// Whether wildcard mentions notify like personal mentions.
	WildcardMentionsNotify *bool `param:"wildcard_mentions_notify" json:"wildcard_mentions_notify,omitempty"`
	// What the desktop icon counts: 1 all unread messages, 2 private messages and mentions, 3 nothing.
	DesktopIconCountDisplay *int `param:"desktop_icon_count_display" json:"desktop_icon_count_display,omitempty" enum:"1,2,3"`
	// Whether the subject of emails about missed messages names the organization.
	RealmNameInNotifications *bool `param:"realm_name_in_notifications" json:"realm_name_in_notifications,omitempty"`
	// Whether other users see that the user is online.
	PresenceEnabled *bool `param:"presence_enabled" json:"presence_enabled,omitempty"`
}

// DisplayChange is a change of display settings: those that aren't nil.
type DisplayChange struct {
	DisplaySwitches
	DefaultLanguage *string `json:"default_language,omitempty"` // one of [Languages]
	Emojiset        *string `json:"emojiset,omitempty"`         // one of the sets of emoji
	Timezone        *string `json:"timezone,omitempty"`         // IANA name
}

// DisplaySwitches are the settings of [DisplayChange] that aren't strings, as in parameters and in replies. The caller has
// checked the numbers.
type DisplaySwitches struct {
	// Whether times are shown as 17:00 instead of 5:00 PM.
	TwentyFourHourTime *bool `param:"twenty_four_hour_time" json:"twenty_four_hour_time,omitempty"`
	// Less space between messages.
	DenseMode *bool `param:"dense_mode" json:"dense_mode,omitempty"`
	// Whether to show how many messages are starred.
	StarredMessageCounts *bool `param:"starred_message_counts" json:"starred_message_counts,omitempty"`
	// As wide as the window.
	FluidLayoutWidth *bool `param:"fluid_layout_width" json:"fluid_layout_width,omitempty"`
	// Stronger colors.
	HighContrastMode *bool `param:"high_contrast_mode" json:"high_contrast_mode,omitempty"`
	// 1 automatic, 2 night, 3 day.
	ColorScheme *int `param:"color_scheme" json:"color_scheme,omitempty" enum:"1,2,3"`
	// Whether emoticons in the user's messages become emoji.
	TranslateEmoticons *bool `param:"translate_emoticons" json:"translate_emoticons,omitempty"`
	// Whether people are listed on the left in narrow windows.
	LeftSideUserlist *bool `param:"left_side_userlist" json:"left_side_userlist,omitempty"`
	// Whether inactive streams are listed last: 1 automatic, 2 always, 3 never.
	DemoteInactiveStreams *int `param:"demote_inactive_streams" json:"demote_inactive_streams,omitempty" enum:"1,2,3"`
}

// SetNotifications changes notification settings of the caller and returns those that actually changed.
// It fails with [ErrSound].
func (s *Service) SetNotifications(ctx context.Context, who actor.Actor, change NotificationsChange) (NotificationsChange, error) {
	if sound := change.NotificationSound; sound != nil && !slices.Contains(Sounds(), *sound) {
		return NotificationsChange{}, ErrSound.Format(*sound)
	}
	return set(ctx, s.db, who, change, func(tx *store.Tx, name string, value any) error {
		return tx.Emit(ctx, event.NotificationSetting{User: who.User, Email: who.Email, Name: name, Value: value})
	})
}

// SetDisplay changes display settings of the caller and returns those that actually changed. It fails
// with [ErrLanguage] or [ErrTimezone].
func (s *Service) SetDisplay(ctx context.Context, who actor.Actor, change DisplayChange) (DisplayChange, error) {
	languages := Languages()
	if language := change.DefaultLanguage; language != nil && languages[*language] == "" {
		return DisplayChange{}, ErrLanguage
	}
	if change.Timezone != nil && !isTimezone(*change.Timezone) {
		return DisplayChange{}, ErrTimezone
	}
	return set(ctx, s.db, who, change, func(tx *store.Tx, name string, value any) error {
		e := event.DisplaySetting{User: who.User, Email: who.Email, Name: name, Value: value}
		if language, ok := value.(string); ok && name == "default_language" {
			e.Language = languages[language]
		}
		if err := tx.Emit(ctx, e); err != nil || name != "timezone" {
			return err
		}
		return tx.Emit(ctx, toAll(event.ChangedAccount{UserID: who.User, Timezone: change.Timezone}))
	})
}

// isTimezone reports whether name is the IANA name of a time zone.
func isTimezone(name string) bool {
	_, err := Zone(name)
	return err == nil
}

// Zone returns the time zone with an IANA name, or [ErrTimezone]. IANA names begin with a capital letter; other names can
// be other files in a system's directory of time zones.
func Zone(name string) (*time.Location, error) {
	if name == "" || name[0] < 'A' || name[0] > 'Z' || name == "Local" {
		return nil, ErrTimezone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, ErrTimezone.Wrap(err)
	}
	return zone, nil
}

// ownSettings are the settings that an account can change itself, by their JSON names.
type ownSettings struct {
	Settings
	Timezone string `json:"timezone"`
}

// set changes the settings of the caller that are set in change. It calls emit for each that actually changes, by name,
// and returns those.
func set[C any](ctx context.Context, db *store.DB, who actor.Actor, change C, emit func(tx *store.Tx, name string, value any) error) (C, error) {
	changed := *new(C)
	err := db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		changed = *new(C)
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		before, err := read(tx.UserForUpdate(ctx, who.User))
		if err != nil {
			return err
		}
		settings := ownSettings{before.Settings, before.Timezone}
		news, err := jsonmembers.Differing(change, settings)
		if err != nil || len(news) == 0 {
			return err
		}
		if err := jsonmembers.Copy(news, &settings); err != nil {
			return err
		}
		encoded, err := EncodeSettings(settings.Settings)
		if err != nil {
			return err
		}
		if err := tx.SaveUserSettings(ctx, encoded, settings.Timezone, who.User); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(news)) {
			if err := emit(tx, name, news[name]); err != nil {
				return err
			}
		}
		return jsonmembers.Copy(news, &changed)
	})
	return changed, err
}

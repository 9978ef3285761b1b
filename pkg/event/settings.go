package event

import "chatserver.dev/pkg/id"

// NotificationSetting tells a user's own clients that a notification setting changed (events.md,
// section 3.19).
type NotificationSetting struct {
	User  id.User `json:"-"`
	Email string  `json:"user"`              // the user's, as others see it
	Name  string  `json:"notification_name"` // as the parameter
	Value any     `json:"setting"`           // the new one
}

// EventType is update_global_notifications.
func (NotificationSetting) EventType() string { return "update_global_notifications" }

// Audience is the user alone.
func (e NotificationSetting) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change is none.
func (NotificationSetting) Change() *Change { return nil }

// DisplaySetting tells a user's own clients that a display setting changed (events.md, section 3.19).
type DisplaySetting struct {
	User  id.User `json:"-"`
	Email string  `json:"user"`         // the user's, as others see it
	Name  string  `json:"setting_name"` // as the parameter
	Value any     `json:"setting"`      // the new one
	// Language is the name of the language where that is what changed.
	Language string `json:"language_name,omitempty"`
}

// EventType is update_display_settings.
func (DisplaySetting) EventType() string { return "update_display_settings" }

// Audience is the user alone.
func (e DisplaySetting) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change is none.
func (DisplaySetting) Change() *Change { return nil }

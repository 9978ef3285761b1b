package event

import "chatserver.dev/pkg/id"

// NotificationSetting is sent to a user's own clients when a notification setting changed (events.md, section
// 3.19).
type NotificationSetting struct {
	User  id.User `json:"-"`
	Email string  `json:"user"`              // the user's, as others see it
	Name  string  `json:"notification_name"` // as the parameter
	Value any     `json:"setting"`           // the new one
}

// Kind implements [Event].
func (NotificationSetting) Kind() Kind { return Kind{Type: "update_global_notifications"} }

// Audience is the user alone.
func (e NotificationSetting) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// DisplaySetting is sent to a user's own clients when a display setting changed (events.md, section 3.19).
type DisplaySetting struct {
	User  id.User `json:"-"`
	Email string  `json:"user"`         // the user's, as others see it
	Name  string  `json:"setting_name"` // as the parameter
	Value any     `json:"setting"`      // the new one
	// Language is the name of the language where that is what changed.
	Language string `json:"language_name,omitempty"`
}

// Kind implements [Event].
func (DisplaySetting) Kind() Kind { return Kind{Type: "update_display_settings"} }

// Audience is the user alone.
func (e DisplaySetting) Audience() Audience { return Audience{Users: []id.User{e.User}} }

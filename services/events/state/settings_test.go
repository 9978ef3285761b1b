package state_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	exec(t, w, `update users set timezone = 'Europe/Vienna', settings = '{"emojiset": "text", "color_scheme": 2, "dense_mode": false,
		"enable_sounds": false, "notification_sound": "chime", "desktop_icon_count_display": 3}' where user_id = $1`, ann.ID)
	display := map[string]any{
		"color_scheme": 1.0, "default_language": "en", "demote_inactive_streams": 1.0, "dense_mode": true, "emojiset": "google-blob",
		"fluid_layout_width": false, "high_contrast_mode": false, "left_side_userlist": false, "starred_message_counts": false,
		"timezone": "", "translate_emoticons": false, "twenty_four_hour_time": false,
	}
	notifications := map[string]any{
		"enable_stream_desktop_notifications": false, "enable_stream_email_notifications": false, "enable_stream_push_notifications": false,
		"enable_stream_audible_notifications": false, "notification_sound": "ding", "wildcard_mentions_notify": true,
		"enable_desktop_notifications": true, "enable_sounds": true, "enable_offline_email_notifications": true,
		"enable_offline_push_notifications": true, "enable_online_push_notifications": true, "enable_digest_emails": true,
		"enable_login_emails": true, "message_content_in_email_notifications": true, "pm_content_in_desktop_notifications": true,
		"desktop_icon_count_display": 1.0, "realm_name_in_notifications": false, "presence_enabled": true,
		"available_notification_sounds": []any{"ding", "chime"},
	}
	check := func(a servicetest.Account) {
		t.Helper()
		for selector, want := range map[string]map[string]any{"update_display_settings": display, "update_global_notifications": notifications} {
			got := fetch(a, selector)
			for key, value := range want {
				servicetest.Same(t, a.FullName+": "+key, value, got[key])
			}
		}
	}
	check(bob)
	display["timezone"], display["emojiset"], display["color_scheme"], display["dense_mode"] = "Europe/Vienna", "text", 2.0, false
	notifications["enable_sounds"], notifications["notification_sound"], notifications["desktop_icon_count_display"] = false, "chime", 3.0
	check(ann)
	choices := list(fetch(bob, "update_display_settings")["emojiset_choices"], "key")
	servicetest.Same(t, "emojiset_choices", []any{"google", "google-blob", "twitter", "text"}, choices)
}

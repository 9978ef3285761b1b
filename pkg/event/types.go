package event

import "slices"

// Types returns the types of events that queues can be for (events.md, section 3), in the order of their
// names: those that occur, and those that clients may know and that don't occur yet. A heartbeat is none of
// them, since every queue gets it.
func Types() []string {
	return []string{
		"alert_words", "attachment", "custom_profile_fields", "default_stream_groups", "default_streams", "delete_message",
		"has_zoom_token", "hotspots", "invites_changed", "message", "muted_topics", "presence", "reaction", "realm", "realm_bot",
		"realm_domains", "realm_emoji", "realm_export", "realm_filters", "realm_user", "restart", "stream", "submessage",
		"subscription", "typing", "update_display_settings", "update_global_notifications", "update_message",
		"update_message_flags", "user_group", "user_status",
	}
}

// Known returns those of the names that are types of events, each once; it is never nil.
func Known(names []string) []string {
	known := []string{}
	for _, name := range Types() {
		if slices.Contains(names, name) {
			known = append(known, name)
		}
	}
	return known
}

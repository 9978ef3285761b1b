package state_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
	"chatserver.dev/services/webhook"
)

// keysOf returns the keys of the state for each selector (events.md, section 1.5).
func keysOf() map[string][]string {
	return map[string][]string{
		"alert_words":           {"alert_words"},
		"custom_profile_fields": {"custom_profile_fields", "custom_profile_field_types"},
		"hotspots":              {"hotspots"},
		"message":               {"max_message_id"},
		"muted_topics":          {"muted_topics"},
		"presence":              {"presences"},
		"realm":                 slices.Collect(maps.Keys(newRealm())),
		"realm_domains":         {"realm_domains"},
		"realm_emoji":           {"realm_emoji"},
		"realm_filters":         {"realm_filters"},
		"realm_user_groups":     {"realm_user_groups"},
		"realm_user": {
			"realm_users", "realm_non_active_users", "cross_realm_bots", "avatar_source", "avatar_url", "avatar_url_medium",
			"can_create_streams", "can_subscribe_other_users", "is_admin", "is_owner", "is_guest", "user_id", "email", "delivery_email",
			"full_name", "enter_sends",
		},
		"realm_bot":                    {"realm_bots"},
		"realm_embedded_bots":          {"realm_embedded_bots"},
		"realm_incoming_webhook_bots":  {"realm_incoming_webhook_bots"},
		"recent_private_conversations": {"recent_private_conversations"},
		"subscription":                 {"subscriptions", "unsubscribed", "never_subscribed"},
		"update_message_flags":         {},
		"starred_messages":             {"starred_messages"},
		"stream":                       {"streams", "stream_name_max_length", "stream_description_max_length"},
		"default_streams":              {"realm_default_streams"},
		"default_stream_groups":        {"realm_default_stream_groups"},
		"stop_words":                   {"stop_words"},
		"update_display_settings": {
			"color_scheme", "default_language", "demote_inactive_streams", "dense_mode", "emojiset", "fluid_layout_width",
			"high_contrast_mode", "left_side_userlist", "starred_message_counts", "timezone", "translate_emoticons",
			"twenty_four_hour_time", "emojiset_choices",
		},
		"update_global_notifications": {
			"enable_stream_desktop_notifications", "enable_stream_email_notifications", "enable_stream_push_notifications",
			"enable_stream_audible_notifications", "notification_sound", "wildcard_mentions_notify", "enable_desktop_notifications",
			"enable_sounds", "enable_offline_email_notifications", "enable_offline_push_notifications", "enable_online_push_notifications",
			"enable_digest_emails", "enable_login_emails", "message_content_in_email_notifications", "pm_content_in_desktop_notifications",
			"desktop_icon_count_display", "realm_name_in_notifications", "presence_enabled", "available_notification_sounds",
		},
		"user_status": {"user_status"},
		"video_calls": {"has_zoom_token"},
		// Selectors without state, and unknown ones.
		"reaction": {}, "typing": {}, "user_group": {}, "has_zoom_token": {}, "pointer": {},
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	sorted := func(keys []string) []string { return slices.Sorted(slices.Values(keys)) }
	all := append(always(), "unread_msgs")
	for selector, keys := range keysOf() {
		got := slices.Sorted(maps.Keys(fetch(ann, selector)))
		servicetest.Same(t, selector, sorted(append(always(), keys...)), got)
		all = append(all, keys...)
	}
	everything := register(ann, nil)
	servicetest.Same(t, "everything", sorted(all), slices.Sorted(maps.Keys(everything)))

	nothing := register(ann, servicetest.Params{"event_types": []string{}})
	servicetest.Same(t, "nothing", sorted(always()), slices.Sorted(maps.Keys(nothing)))
	servicetest.Same(t, "last_event_id", any(-1.0), nothing["last_event_id"])

	both := fetch(ann, "update_message_flags", "message")
	servicetest.Same(t, "unread", []string{"count", "huddles", "mentions", "pms", "streams"}, slices.Sorted(maps.Keys(both["unread_msgs"].(map[string]any))))
	types := register(ann, servicetest.Params{"event_types": []string{"stop_words"}})
	servicetest.Same(t, "event_types", sorted(append(always(), "stop_words")), slices.Sorted(maps.Keys(types)))
	ignored := register(ann, servicetest.Params{"event_types": []string{"stop_words"}, "fetch_event_types": []string{"hotspots"}})
	servicetest.Same(t, "fetch_event_types", sorted(append(always(), "hotspots")), slices.Sorted(maps.Keys(ignored)))
}

// TestStopWords: they are those of PostgreSQL, which ignores them in searches.
func TestStopWords(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	conn, err := pgx.Connect(t.Context(), w.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var words []string
	if err := conn.QueryRow(t.Context(), `select regexp_split_to_array(trim(e'\n' from pg_read_file(setting || '/tsearch_data/english.stop')), e'\n')
		from pg_config where name = 'SHAREDIR'`).Scan(&words); err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, word := range fetch(w.Person("Ann", actor.Member), "stop_words")["stop_words"].([]any) {
		got = append(got, word.(string))
	}
	servicetest.Same(t, "stop words", words, got)
}

// Lists and objects without elements are empty, not null or absent.
func TestEmpty(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	got := register(w.Person("Ann", actor.Member), nil)
	want := map[string]any{"has_zoom_token": false, "max_message_id": -1.0, "unread_msgs": map[string]any{
		"pms": []any{}, "streams": []any{}, "huddles": []any{}, "mentions": []any{}, "count": 0.0,
	}}
	for _, key := range []string{
		"alert_words", "custom_profile_fields", "muted_topics", "realm_domains", "realm_filters", "realm_user_groups",
		"realm_bots", "realm_embedded_bots", "recent_private_conversations", "subscriptions", "unsubscribed", "never_subscribed",
		"starred_messages", "streams", "realm_default_streams", "realm_default_stream_groups", "realm_non_active_users",
	} {
		want[key] = []any{}
	}
	for _, key := range []string{"presences", "realm_emoji", "user_status"} {
		want[key] = map[string]any{}
	}
	servicetest.Same(t, "the first hint", any("intro_reply"), list(got["hotspots"], "name")[0])
	servicetest.Same(t, "state", want, only(got, slices.Collect(maps.Keys(want))...))
	servicetest.Same(t, "lengths", map[string]any{"stream_name_max_length": 60.0, "stream_description_max_length": 1024.0},
		only(got, "stream_name_max_length", "stream_description_max_length"))
	integrations := []any{}
	for _, name := range webhook.Names() {
		integrations = append(integrations, map[string]any{"name": name, "config": map[string]any{}})
	}
	servicetest.Same(t, "integrations", any(integrations), got["realm_incoming_webhook_bots"])
	servicetest.Same(t, "kind of field", any(map[string]any{"id": 7.0, "name": "Account elsewhere"}),
		got["custom_profile_field_types"].(map[string]any)["EXTERNAL_ACCOUNT"])
}

func TestRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	for _, refused := range []struct {
		params servicetest.Params
		msg    string
	}{
		{servicetest.Params{"client_capabilities": map[string]bool{}}, "notification_settings_null key is missing from client_capabilities"},
		{servicetest.Params{"narrow": [][]string{{"has", "link"}}}, "Operator has not supported."},
	} {
		ann.Do(http.MethodPost, "/register", refused.params).Fails(http.StatusBadRequest, "BAD_REQUEST", refused.msg)
	}
}

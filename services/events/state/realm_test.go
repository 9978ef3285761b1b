package state_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/servicetest"
)

// newRealm returns the organization's part of the state, for one with default settings (events.md, section 1.6.4).
// Values that depend on the test are nil.
func newRealm() map[string]any {
	return map[string]any{
		"realm_add_emoji_by_admins_only": false, "realm_allow_edit_history": true, "realm_allow_message_deleting": false,
		"realm_bot_creation_policy": 1.0, "realm_create_stream_policy": 1.0, "realm_invite_to_stream_policy": 1.0,
		"realm_default_language": "en", "realm_default_twenty_four_hour_time": false, "realm_description": "",
		"realm_digest_emails_enabled": false, "realm_digest_weekday": 1.0, "realm_disallow_disposable_email_addresses": true,
		"realm_email_address_visibility": 1.0, "realm_email_changes_disabled": false, "realm_invite_required": true,
		"realm_invite_by_admins_only": false, "realm_inline_image_preview": true, "realm_inline_url_embed_preview": false,
		"realm_mandatory_topics": false, "realm_message_retention_days": -1.0, "realm_name": "Plant", "realm_name_changes_disabled": false,
		"realm_avatar_changes_disabled": false, "realm_emails_restricted_to_domains": false, "realm_send_welcome_emails": true,
		"realm_message_content_allowed_in_email_notifications": true, "realm_video_chat_provider": 1.0, "realm_waiting_period_threshold": 0.0,
		"realm_private_message_policy": 1.0, "realm_user_group_edit_policy": 1.0, "realm_default_code_block_language": nil,
		"realm_message_content_delete_limit_seconds": 600.0, "realm_allow_message_editing": true,
		"realm_message_content_edit_limit_seconds": 600.0, "realm_allow_community_topic_editing": true,
		"realm_community_topic_editing_limit_seconds": 86400.0, "realm_authentication_methods": map[string]any{"Email": true},
		"realm_email_auth_enabled": true, "realm_password_auth_enabled": true, "realm_icon_url": nil, "realm_icon_source": "G",
		"realm_logo_url": nil, "realm_logo_source": "D", "realm_night_logo_url": nil, "realm_night_logo_source": "D",
		"realm_notifications_stream_id": -1.0, "realm_signup_notifications_stream_id": -1.0, "realm_plan_type": 1.0,
		"zulip_plan_is_not_limited": true, "realm_upload_quota": nil, "realm_bot_domain": servicetest.Host, "realm_uri": "https://" + servicetest.Host,
		"realm_available_video_chat_providers": map[string]any{
			"disabled": map[string]any{"id": 0.0, "name": "None"}, "jitsi_meet": map[string]any{"id": 1.0, "name": "Jitsi Meet"},
		},
		"realm_presence_disabled": false, "realm_is_zephyr_mirror_realm": false, "realm_push_notifications_enabled": false,
		"realm_default_external_accounts": map[string]any{
			"github": map[string]any{
				"text": "GitHub", "url_pattern": "https://github.com/%(username)s", "name": "GitHub username",
				"hint": "Without the address in front of it",
			},
			"twitter": map[string]any{
				"text": "Twitter", "url_pattern": "https://twitter.com/%(username)s", "name": "Twitter username",
				"hint": "Without the @ in front of it",
			},
		},
		"upgrade_text_for_wide_organization_logo": "", "settings_send_digest_emails": true, "max_icon_file_size": 5.0, "max_logo_file_size": 5.0,
		"max_file_upload_size_mib": 25.0, "max_avatar_file_size_mib": 5.0, "jitsi_server_url": "https://calls.example/jitsi",
		"development_environment": false, "server_generation": nil, "password_min_length": 6.0, "password_min_guesses": 10000.0,
		"server_inline_image_preview": true, "server_inline_url_embed_preview": false, "server_avatar_changes_disabled": false,
		"server_name_changes_disabled": false,
	}
}

func TestRealm(t *testing.T) {
	t.Parallel()
	started := time.Now().Unix()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	want := newRealm()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[org.Switches]()) {
		if _, known := want["realm_"+field.Tag.Get("param")]; !known {
			t.Errorf("RealmChoices lacks %s: clients don't learn what PATCH /realm changes", field.Name)
		}
	}
	for _, key := range always() {
		want[key] = nil
	}
	got := fetch(ann, "realm")
	if generation := got["server_generation"].(float64); int64(generation) < started || int64(generation) > time.Now().Unix() {
		t.Errorf("generation %v", generation)
	}
	icon := "/icon/" + strconv.FormatInt(int64(w.Org.ID), 10) + "?v=1"
	for _, key := range []string{"realm_icon_url", "realm_logo_url", "realm_night_logo_url"} {
		want[key] = icon
	}
	for _, key := range append(always(), "server_generation") {
		want[key] = got[key]
	}
	servicetest.Same(t, "realm", want, got)
}

// Each setting is under its own key.
func TestRealmChosen(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t, org.Method{Name: "idp_1"})
	ann := w.Person("Ann", actor.Member)
	exec(t, w, `insert into streams (org_id, stream_id, name, deactivated) values ($1, 9001, 'here', false), ($1, 9002, 'gone', true)`, w.Org.ID)
	exec(t, w, `update organizations set description = 'Makes **steam**' where org_id = $1`, w.Org.ID)
	numbers := map[string]any{
		"bot_creation_policy": 2.0, "create_stream_policy": 3.0, "invite_to_stream_policy": 2.0, "digest_weekday": 4.0,
		"email_address_visibility": 3.0, "message_content_delete_limit_seconds": 11.0, "message_content_edit_limit_seconds": 12.0,
		"message_retention_days": 13.0, "private_message_policy": 2.0, "user_group_edit_policy": 2.0, "video_chat_provider": 0.0,
		"waiting_period_threshold": 14.0, "default_language": "de", "default_code_block_language": "go",
	}
	want := map[string]any{
		"realm_description": "Makes **steam**", "realm_notifications_stream_id": 9001.0, "realm_signup_notifications_stream_id": -1.0,
		"realm_email_auth_enabled": false, "realm_password_auth_enabled": false,
		"realm_authentication_methods": map[string]any{"Email": false, "idp_1": true},
	}
	choose(t, w, `{"notifications_stream_id": 9001, "signup_notifications_stream_id": 9002, "authentication_methods": {"Email": false, "idp_1": true}}`)
	for name, value := range numbers {
		want["realm_"+name] = value
		exec(t, w, `update organizations set settings = jsonb_set(settings, array[$2::text], $3::jsonb) where org_id = $1`, w.Org.ID, name, jsonValue(value))
	}
	got := fetch(ann, "realm")
	for key, value := range want {
		servicetest.Same(t, key, value, got[key])
	}
	// Each boolean setting changes only its own key.
	before := newRealm()
	for key, value := range before {
		setting, isSwitch := value.(bool)
		if !isSwitch || !isSetting(key) {
			continue
		}
		name := key[len("realm_"):]
		exec(t, w, `update organizations set settings = jsonb_build_object($2::text, $3::boolean) where org_id = $1`, w.Org.ID, name, !setting)
		flipped := fetch(ann, "realm")
		for other, usual := range before {
			if isSwitchValue, ok := usual.(bool); ok && isSetting(other) && flipped[other] != (isSwitchValue != (other == key)) {
				t.Errorf("with %s, %s is %v", name, other, flipped[other])
			}
		}
	}
}

// isSetting reports whether a key is that of an organization's setting.
func isSetting(key string) bool {
	switch key {
	case "realm_presence_disabled", "realm_is_zephyr_mirror_realm", "realm_push_notifications_enabled", "realm_email_auth_enabled",
		"realm_password_auth_enabled", "zulip_plan_is_not_limited", "settings_send_digest_emails", "development_environment":
		return false
	}
	return key[:len("realm_")] == "realm_"
}

// jsonValue is the JSON of a text or a number.
func jsonValue(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return strconv.FormatFloat(value.(float64), 'f', -1, 64)
}

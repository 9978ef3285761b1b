package transfer

import (
	"maps"
	"slices"
	"testing"

	"chatserver.dev/pkg/org"
)

// Every setting is either a restriction or listed here: it permits nothing, or is a number of the same meaning in all archives.
func TestSettingsThatRestrict(t *testing.T) {
	t.Parallel()
	others := []string{
		"authentication_methods", // chosenMethods
		"default_code_block_language", "default_language", "default_twenty_four_hour_time", "digest_emails_enabled", "digest_weekday",
		"inline_image_preview", "inline_url_embed_preview", "mandatory_topics",
		"max_streams", "max_streams_per_day", "message_content_delete_limit_seconds", "message_content_edit_limit_seconds",
		"message_retention_days", "notifications_stream_id", "send_welcome_emails", "signup_notifications_stream_id",
		"third_party_avatars", "upload_quota", "video_chat_provider", "waiting_period_threshold",
	}
	all, err := org.Defaults().Values()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range restrictions() {
		if _, ok := all[r.setting]; !ok || slices.Contains(others, r.setting) {
			t.Errorf("%s is no setting, or is listed twice", r.setting)
		}
		delete(all, r.setting)
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, others) {
		t.Errorf("settings that aren't restrictions: %q\nwant %q", got, others)
	}
}

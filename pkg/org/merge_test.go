package org_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"chatserver.dev/pkg/org"
)

// A language is a short text that can be stored.
func TestMergeLanguages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"default_language", "default_code_block_language"} {
		for value, want := range map[string]error{
			`"de"`: nil, `"` + strings.Repeat("é", 100) + `"`: nil,
			`"` + strings.Repeat("é", 101) + `"`: org.ErrSetting, `"d\u0000e"`: org.ErrSetting,
		} {
			if _, _, err := org.MergeSettings(org.Settings{}, map[string]json.RawMessage{name: json.RawMessage(value)}); !errors.Is(err, want) {
				t.Errorf("%s, %s: %v, want %v", name, value, err, want)
			}
		}
	}
}

// Programs may choose only what people can choose by PATCH /realm, and limits for which that has no parameter.
func TestMergeNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ valid, invalid string }{
		"bot_creation_policy": {"3", "4"}, "create_stream_policy": {"1", "0"}, "digest_weekday": {"0", "7"}, "email_address_visibility": {"4", "2"},
		"private_message_policy": {"2", "1.0"}, "max_streams": {"0", "-1"}, "message_retention_days": {"-1", "0"}, "video_chat_provider": {"1", "2"},
	} {
		for value, want := range map[string]error{c.valid: nil, c.invalid: org.ErrSetting, "null": org.ErrSetting, `"1"`: org.ErrSetting} {
			if _, _, err := org.MergeSettings(org.Settings{}, map[string]json.RawMessage{name: json.RawMessage(value)}); !errors.Is(err, want) {
				t.Errorf("%s, %s: %v, want %v", name, value, err, want)
			}
		}
	}
}

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

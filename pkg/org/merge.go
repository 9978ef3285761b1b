package org

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/jsonmembers"
)

// The errors of [MergeSettings].
var (
	ErrUnknownSetting = fault.Bad("There is no setting '%s'.")
	ErrSetting        = fault.Bad("The setting '%s' has the invalid value %s.")
)

// MergeSettings returns settings with the wanted values, by JSON name, and the names of
// the settings that changed. It fails with [ErrUnknownSetting] or [ErrSetting] (rest-api.md, section 8.1).
func MergeSettings(settings Settings, wanted map[string]json.RawMessage) (merged Settings, changed []string, err error) {
	known, err := jsonmembers.Of(settings)
	if err != nil {
		return Settings{}, nil, err
	}
	if err := jsonmembers.Copy(settings, &merged); err != nil { // so that they share nothing
		return Settings{}, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		value := bytes.TrimSpace(wanted[name])
		if _, ok := known[name]; !ok {
			return Settings{}, nil, ErrUnknownSetting.Format(name)
		}
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			return Settings{}, nil, ErrSetting.Format(name, value).Wrap(err)
		}
		if name == "authentication_methods" {
			merged.AuthenticationMethods = nil // replaced as a whole: methods that aren't in the value are closed
		}
		isNull := string(value) == "null" && name != "default_code_block_language"
		err = json.Unmarshal(one, &merged)
		merged.AuthenticationMethods = among(settings.AuthenticationMethods, merged.AuthenticationMethods)
		if err != nil || isNull || !allowed(merged, name, value) {
			return Settings{}, nil, ErrSetting.Format(name, value)
		}
	}
	if l := merged.DefaultCodeBlockLanguage; l != nil && *l == "" {
		merged.DefaultCodeBlockLanguage = nil
	}
	differing, err := jsonmembers.Differing(merged, settings)
	return merged, slices.Sorted(maps.Keys(differing)), err
}

// among returns which of all ways to sign in are open after a choice. Unknown ways are ignored.
func among(all, chosen map[string]bool) map[string]bool {
	if all == nil {
		return nil
	}
	open := map[string]bool{}
	for name := range all {
		open[name] = chosen[name]
	}
	return open
}

// enums returns the values of settings that may have few, by JSON name.
//
//nolint:gochecknoglobals // values that don't change
var enums = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Switches]()) {
		if values, ok := field.Tag.Lookup("enum"); ok {
			all[field.Tag.Get("param")] = strings.Split(values, ",")
		}
	}
	return all
})

// allowed reports whether a setting may have a value, which has the right type.
func allowed(s Settings, name string, value []byte) bool {
	type bounds struct{ min, max int }
	const maxUint32, maxInt32 = 1<<32 - 1, 1<<31 - 1
	ranges := map[string]bounds{
		"message_content_delete_limit_seconds": {0, maxUint32},
		"message_content_edit_limit_seconds":   {0, maxUint32},
		"max_streams":                          {0, maxInt32},
		"max_streams_per_day":                  {0, maxInt32},
		"message_retention_days":               {-1, maxInt32},
		"upload_quota":                         {0, maxQuota},
		"video_chat_provider":                  {0, 1},
		"waiting_period_threshold":             {0, maxUint32},
	}
	if in, ok := ranges[name]; ok {
		n, err := strconv.Atoi(string(value))
		return err == nil && in.min <= n && n <= in.max && (n != 0 || name != "message_retention_days")
	}
	if values, ok := enums()[name]; ok {
		return slices.Contains(values, string(value))
	}
	switch name {
	case "default_language":
		return isCode(s.DefaultLanguage)
	case "default_code_block_language":
		return s.DefaultCodeBlockLanguage == nil || isCode(*s.DefaultCodeBlockLanguage)
	case "authentication_methods":
		return anyOpen(s.AuthenticationMethods)
	default:
		return true
	}
}

// isCode reports whether a text can be the code of a language: every registration has it, and PostgreSQL refuses null characters.
func isCode(text string) bool {
	const maxLength = 100 // characters
	return utf8.RuneCountInString(text) <= maxLength && !strings.ContainsRune(text, 0)
}

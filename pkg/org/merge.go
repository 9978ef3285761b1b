package org

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"chatserver.dev/pkg/fault"
)

// What settings can't be.
var (
	ErrUnknownSetting = fault.Bad("There is no setting '%s'.")
	ErrSetting        = fault.Bad("The setting '%s' has the invalid value %s.")
)

// MergeSettings returns settings with some replaced, by their JSON names, and the names of
// those that changed. It fails with [ErrUnknownSetting] or [ErrSetting] (rest-api.md, section 8.1).
func MergeSettings(settings Settings, wanted map[string]json.RawMessage) (merged Settings, changed []string, err error) {
	known := map[string]json.RawMessage{}
	encoded, err := json.Marshal(settings)
	if err != nil {
		return Settings{}, nil, err
	}
	if err := json.Unmarshal(encoded, &known); err != nil {
		return Settings{}, nil, err
	}
	if err := json.Unmarshal(encoded, &merged); err != nil { // a copy that shares nothing
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
			merged.AuthenticationMethods = nil // what isn't named isn't there, rather than as before
		}
		isNull := string(value) == "null" && name != "default_code_block_language"
		if err := json.Unmarshal(one, &merged); err != nil || isNull || !allowed(merged, name) {
			return Settings{}, nil, ErrSetting.Format(name, value)
		}
	}
	if l := merged.DefaultCodeBlockLanguage; l != nil && *l == "" {
		merged.DefaultCodeBlockLanguage = nil
	}
	changed, err = differing(settings, merged)
	return merged, changed, err
}

// allowed reports whether a setting may have the value that it has.
func allowed(s Settings, name string) bool {
	between := func(n, least, most int) bool { return least <= n && n <= most }
	const most = 1<<31 - 1
	switch name {
	case "authentication_methods":
		return slices.Contains(slices.Collect(maps.Values(s.AuthenticationMethods)), true)
	case "bot_creation_policy":
		return between(s.BotCreationPolicy, 1, 3)
	case "create_stream_policy":
		return between(int(s.CreateStreamPolicy), 1, 3)
	case "invite_to_stream_policy":
		return between(int(s.InviteToStreamPolicy), 1, 3)
	case "digest_weekday":
		return between(s.DigestWeekday, 0, 6)
	case "email_address_visibility":
		return slices.Contains([]int{EmailsForEveryone, EmailsForAdmins, EmailsForNobody}, s.EmailAddressVisibility)
	case "message_content_delete_limit_seconds":
		return between(s.MessageContentDeleteLimitSeconds, 0, most)
	case "message_content_edit_limit_seconds":
		return between(s.MessageContentEditLimitSeconds, 0, most)
	case "max_streams":
		return between(s.MaxStreams, 0, most)
	case "max_streams_per_day":
		return between(s.MaxStreamsPerDay, 0, most)
	case "message_retention_days":
		return s.MessageRetentionDays == -1 || between(s.MessageRetentionDays, 1, most)
	case "private_message_policy":
		return between(s.PrivateMessagePolicy, 1, 2)
	case "user_group_edit_policy":
		return between(s.UserGroupEditPolicy, 1, 2)
	case "video_chat_provider":
		return between(s.VideoChatProvider, 0, 1)
	case "waiting_period_threshold":
		return between(s.WaitingPeriodThreshold, 0, most)
	default:
		return true
	}
}

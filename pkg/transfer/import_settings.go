package transfer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// mergeable returns the settings of an archive's organization, as far as they exist here and their values are valid.
func mergeable(settings org.Settings, realm archive.Realm, further scattered, report *Report) (org.Settings, error) {
	known, err := settings.Values()
	if err != nil {
		return org.Settings{}, err
	}
	wanted := maps.Clone(realm.Settings)
	if wanted == nil {
		wanted = map[string]json.RawMessage{}
	}
	if hidden := visibility().setting; wanted[hidden] == nil && further.visibility != nil {
		wanted[hidden] = further.visibility
	}
	for _, r := range restrictions() {
		if value := r.value(wanted, further.groups, report); value != nil {
			wanted[r.setting] = value
		}
	}
	delete(wanted, "authentication_methods") // see chosenMethods
	if realm.QuotaGB != nil && *realm.QuotaGB > 0 && *realm.QuotaGB < 1<<20 && wanted["upload_quota"] == nil {
		wanted["upload_quota"] = strconv.AppendInt(nil, *realm.QuotaGB<<30, 10)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		value := wanted[name]
		if _, ok := known[name]; !ok || strings.HasSuffix(name, "_stream_id") || value == nil {
			continue // the reference has dozens of further settings
		}
		merged, _, err := org.MergeSettings(settings, map[string]json.RawMessage{name: value})
		switch {
		case err != nil && string(value) == "null":
			continue // the reference's default
		case err != nil:
			report.leave("settings of the organization with invalid values", name)
			continue
		}
		settings = merged
	}
	return settings, nil
}

// finalSettings returns the settings of the complete organization, as they are stored.
func (m *importing) finalSettings() (json.RawMessage, error) {
	settings := m.chosen
	settings.AuthenticationMethods = m.ways
	for _, place := range []struct {
		source *int64
		to     *int64
	}{
		{cmp.Or(m.realm.NotificationsStream, m.realm.NewStreamsStream), &settings.NotificationsStreamID},
		{cmp.Or(m.realm.SignupStream, m.realm.NewPeopleStream), &settings.SignupNotificationsStreamID},
	} {
		if place.source != nil && m.streams[*place.source] != 0 {
			*place.to = int64(m.streams[*place.source])
		}
	}
	return store.EncodeSettings(settings, m.Orgs.Config().Defaults())
}

// accountSettings returns the settings of an archive's account, as far as they exist here and their values are valid.
func accountSettings(row archive.User) (json.RawMessage, error) {
	settings := user.Defaults()
	known, err := jsonmembers.Of(settings)
	if err != nil {
		return nil, err
	}
	for name := range known {
		value, ok := row.Settings[name]
		if !ok || string(value) == "null" {
			continue
		}
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			return nil, err
		}
		with := settings
		if json.Unmarshal(one, &with) == nil && plausible(with) {
			settings = with
		}
	}
	return user.EncodeSettings(settings)
}

// cut returns a text without null characters and as [spelling.Clean] does, truncated to limit characters.
func cut(text string, limit int) string {
	text = spelling.Clean(strings.ReplaceAll(text, "\x00", ""))
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// plausible reports whether the values of an account's settings are valid.
func plausible(s user.Settings) bool {
	among := func(n, limit int) bool { return 1 <= n && n <= limit }
	return among(s.ColorScheme, 3) && among(s.DesktopIconCountDisplay, 3) && among(s.DemoteInactiveStreams, 3) &&
		slices.Contains([]string{"google", "google-blob", "twitter", "text"}, s.Emojiset) && slices.Contains(user.Sounds(), s.NotificationSound) &&
		len(s.DefaultLanguage) <= 50 && !strings.ContainsRune(s.DefaultLanguage, 0) && len(s.SeenHotspots) <= 100 &&
		!slices.ContainsFunc(s.SeenHotspots, func(name string) bool { return len(name) > 100 || strings.ContainsRune(name, 0) })
}

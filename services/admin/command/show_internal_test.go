package command

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/adminapi"
)

func TestShow(t *testing.T) {
	t.Parallel()
	ends := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	bot := adminapi.Bot{Account: adminapi.Account{ID: 7, Key: "b", FullName: "A bot"}, Owner: "ada@corp.example", Subscriptions: []string{"a", "b c"}}
	for _, c := range []struct {
		response any
		want     string
	}{
		{adminapi.Deletion{Done: true, Rows: 3}, "done true, rows 3"},
		{
			adminapi.Ensured[adminapi.Bot]{State: bot, Changed: []string{"owner", "role"}},
			`changed: owner, role, id 7, key b, email, full_name A bot, role 0, active false, issued false, owner ada@corp.example, subscriptions ["a","b c"]`,
		},
		{
			adminapi.Ensured[adminapi.Stream]{Created: true, State: adminapi.Stream{Name: "<alerts>"}, Secret: &adminapi.Secret{APIKey: "k", PreviousEnds: &ends}},
			"created, id 0, key, name <alerts>, description, private false, history_public false, post_policy 0, retention_days 0, default false, active false, " +
				"api_key k, previous_ends 2026-11-20T12:00:00Z",
		},
		{adminapi.Issued{Changed: true, Secret: adminapi.Secret{APIKey: "k", URL: "https://x?a=1&b=2"}}, "changed true, api_key k, url https://x?a=1&b=2"},
		{adminapi.Health{Cache: "full"}, "database works, cache full"},
	} {
		out := &strings.Builder{}
		if err := show(out, c.response, false); err != nil {
			t.Fatal(err)
		}
		lines := []string(nil)
		for line := range strings.Lines(out.String()) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		if got := strings.Join(lines, ", "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

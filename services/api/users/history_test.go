package users_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A new account has received the newest messages of the last week in its public streams (events.md, section 4.8): up
// to 1,000, of which the newest 20 are unread.
func TestHistoryOfNewcomers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	admin := w.Person("Ann", actor.Administrator)
	stream := func(name string) int64 { return admin.NewStream(name, nil) }
	hall, yard, vault, elsewhere := stream("hall"), stream("yard"), stream("vault"), stream("elsewhere")
	sql.Exec("update streams set is_default = stream_id <> $1, invite_only = stream_id = $2", elsewhere, vault)
	sql.Exec("delete from messages")
	send := func(messages int, age string, streams ...int64) []int64 {
		return storetest.Values[int64](sql, storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, s as stream_id, 'valve' as topic,
			now() - $5::text::interval as sent_at from generate_series(1, $3::int) n, unnest($4::bigint[]) s`)+" returning message_id", w.Org.ID, admin.ID, messages, streams, age)
	}
	create := func(name string) servicetest.Account {
		email := name + "@corp.example"
		admin.Do(http.MethodPost, "/users", params{"email": email, "full_name": name, "password": secret}).OK()
		return signIn(admin, email)
	}
	has := func(a servicetest.Account, received, unread []int64) {
		t.Helper()
		state := struct {
			Unread struct {
				Streams []struct {
					Messages []int64 `json:"unread_message_ids"`
				} `json:"streams"`
			} `json:"unread_msgs"`
		}{}
		a.RegisterInto(params{"fetch_event_types": []string{"message", "update_message_flags"}}, &state)
		got := []int64{}
		for _, in := range state.Unread.Streams {
			got = append(got, in.Messages...)
		}
		slices.Sort(got)
		if diff := cmp.Diff(unread, got); diff != "" {
			t.Errorf("unread (-want +got):\n%s", diff)
		}
		history := struct{ Messages []struct{ ID int64 } }{}
		a.Do(http.MethodGet, "/messages", params{"anchor": "newest", "num_before": 3000, "num_after": 0}).OK().Decode(&history)
		got = []int64{}
		for _, m := range history.Messages {
			got = append(got, m.ID)
		}
		if diff := cmp.Diff(received, got[:len(received)]); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	}

	send(30, "8 days", hall, yard)
	few := send(8, "6 days", hall, yard)
	send(5, "1 hour", vault, elsewhere)
	has(create("few"), few, few)

	many := send(600, "1 hour", yard, hall)
	has(create("many"), many[200:], many[1180:])
}

package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
)

// What parameters make of new streams (http-api.md, POST /users/me/subscriptions), and that they mean
// nothing for those that exist.
func TestSettingsOfNewStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name string
		p    params
		want string // invite_only, history_public, post_policy, retention_days
	}{
		{"plain", nil, "false true 1 null"},
		{"closed history", params{"history_public_to_subscribers": false}, "false true 1 null"},
		{"private", params{"invite_only": true}, "true false 1 null"},
		{"private, open history", params{"invite_only": true, "history_public_to_subscribers": true}, "true true 1 null"},
		{"private, closed history", params{"invite_only": true, "history_public_to_subscribers": false}, "true false 1 null"},
		{"null for an option", params{"invite_only": true, "message_retention_days": "realm_default"}, "true false 1 null"},
		{"administrators", params{"stream_post_policy": 2}, "false true 2 null"},
		{"new members", params{"stream_post_policy": 3}, "false true 3 null"},
		{"a week", params{"message_retention_days": 7}, "false true 1 7"},
		{"forever", params{"message_retention_days": "forever"}, "false true 1 -1"},
		{"forever, quoted", params{"message_retention_days": `"forever"`}, "false true 1 -1"},
		{"as the organization", params{"message_retention_days": `"realm_default"`}, "false true 1 null"},
	} {
		look := func(stream int64) string {
			return storetest.Values[string](w.db, `select concat_ws(' ', invite_only::text, history_public::text, post_policy,
				coalesce(retention_days::text, 'null')) from streams where stream_id = $1`, stream)[0]
		}
		stream := w.make(w.owner, test.name, test.p)
		same(t, test.name, test.want, look(stream))
		w.make(w.owner, test.name, params{"invite_only": true, "stream_post_policy": 2, "message_retention_days": 9})
		same(t, test.name+", when it exists", test.want, look(stream))
	}
	description := storetest.Values[string]
	w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"lines","description":"a\nb\r\nc"}]`}).OK()
	same(t, "a description of several lines", []string{"a b c"}, description(w.db, "select description from streams where name = 'lines'"))
	w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Lines","description":"new"}]`}).OK()
	same(t, "the description of a stream that exists", []string{"a b c"}, description(w.db, "select description from streams where name = 'lines'"))
	for _, value := range []string{"true", "1.5", "null", "[7]"} {
		w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"never"}]`, "message_retention_days": value}).
			Fails(400, "BAD_REQUEST", "message_retention_days is not a string or integer")
	}
}

// Who may make streams and subscribe others (rest-api.md, section 8.4), and that naming oneself counts as
// subscribing others.
func TestPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Exec(`update organizations set settings = settings || '{"create_stream_policy": 2, "invite_to_stream_policy": 2}' where org_id = $1`, w.Org.ID)
	fresh, hall := `[{"name":"fresh"}]`, `[{"name":"Hall"}]`
	for _, who := range []struct{ bot bool }{{false}, {true}} {
		a := w.bob
		if who.bot {
			a = w.robot
		}
		a.Do(http.MethodPost, own, params{"subscriptions": fresh}).Fails(400, "BAD_REQUEST", "User cannot create streams.")
		a.Do(http.MethodPost, own, params{"subscriptions": hall, "principals": ids(a)}).
			Fails(400, "", "Only administrators can modify other users' subscriptions.")
		a.Do(http.MethodPost, own, params{"subscriptions": hall}).OK()
	}
	w.admin.Do(http.MethodPost, own, params{"subscriptions": fresh, "principals": ids(w.bob)}).OK()
	same(t, "Bob's streams", "Hall fresh", w.subscribed(w.bob))
}

package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// The effect of parameters on new streams (http-api.md, POST /users/me/subscriptions). They have no effect on
// existing ones.
func TestSettingsOfNewStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name string
		p    params
		want string
	}{
		{"plain", nil, "private f, open t, policy 1, days "},
		{"closed history", params{"history_public_to_subscribers": false}, "private f, open t, policy 1, days "},
		{"private", params{"invite_only": true}, "private t, open f, policy 1, days "},
		{"private, open history", params{"invite_only": true, "history_public_to_subscribers": true}, "private t, open t, policy 1, days "},
		{"private, closed history", params{"invite_only": true, "history_public_to_subscribers": false}, "private t, open f, policy 1, days "},
		{"as the organization, unquoted", params{"invite_only": true, "message_retention_days": "realm_default"}, "private t, open f, policy 1, days "},
		{"administrators", params{"stream_post_policy": 2}, "private f, open t, policy 2, days "},
		{"new members", params{"stream_post_policy": 3}, "private f, open t, policy 3, days "},
		{"a week", params{"message_retention_days": 7}, "private f, open t, policy 1, days 7"},
		{"forever", params{"message_retention_days": "forever"}, "private f, open t, policy 1, days -1"},
		{"forever, quoted", params{"message_retention_days": `"forever"`}, "private f, open t, policy 1, days -1"},
		{"as the organization", params{"message_retention_days": `"realm_default"`}, "private f, open t, policy 1, days "},
	} {
		look := func(stream int64) string {
			return storetest.Values[string](w.db, `select format('private %s, open %s, policy %s, days %s',
				invite_only, history_public, post_policy, retention_days) from streams where stream_id = $1`, stream)[0]
		}
		stream := w.owner.NewStream(test.name, test.p)
		servicetest.Same(t, test.name, test.want, look(stream))
		w.owner.NewStream(test.name, params{"invite_only": true, "stream_post_policy": 2, "message_retention_days": 9})
		servicetest.Same(t, test.name+", when it exists", test.want, look(stream))
	}
	description := storetest.Values[string]
	w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"lines","description":"a\nb\r\nc"}]`}).OK()
	servicetest.Same(t, "a description of several lines", []string{"a b c"}, description(w.db, "select description from streams where name = 'lines'"))
	w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Lines","description":"new"}]`}).OK()
	servicetest.Same(t, "the description of a stream that exists", []string{"a b c"}, description(w.db, "select description from streams where name = 'lines'"))
	for _, value := range []string{"true", "1.5", "null", "[7]"} {
		w.owner.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"never"}]`, "message_retention_days": value}).
			Fails(400, "BAD_REQUEST", "message_retention_days is not a string or integer")
	}
}

// Who may create streams and subscribe others (rest-api.md, section 8.4). Naming oneself counts as subscribing
// others.
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
		a.Do(http.MethodPost, own, params{"subscriptions": hall, "principals": servicetest.IDs(a)}).
			Fails(400, "", "Only administrators can modify other users' subscriptions.")
		a.Do(http.MethodPost, own, params{"subscriptions": hall}).OK()
	}
	w.admin.Do(http.MethodPost, own, params{"subscriptions": fresh, "principals": servicetest.IDs(w.bob)}).OK()
	servicetest.Same(t, "Bob's streams", "Hall fresh", w.subscribed(w.bob))
}

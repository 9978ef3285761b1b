package subscriptions_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/services/servicetest"
)

func TestSubscribe(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const ok = `200 {"result":"success","msg":"",`
	s.want(t, ok+`"subscribed":{"ann@acme.example":["Pumps"]},"already_subscribed":{}}`,
		"ann", "POST", "subscriptions", `[{"name":" Pumps "}]`)
	s.want(t, ok+`"subscribed":{},"already_subscribed":{"ann@acme.example":["Pumps"]},"unauthorized":[]}`,
		"ann", "POST", "subscriptions", `[{"name":"pumps","description":"x","color":"#abc"}]`, "authorization_errors_fatal", "false")
	s.want(t, ok+`"subscribed":{"robot@acme.example":["Pumps"]},"already_subscribed":{"ann@acme.example":["Pumps"]}}`,
		"ann", "POST", "subscriptions", `[{"name":"Pumps"}]`, "principals", `["Robot@acme.example","ann@acme.example"]`)
	s.want(t, ok+`"subscribed":{"admin@acme.example":["Pumps"],"guest@acme.example":["Pumps"]},"already_subscribed":{}}`,
		"robot", "POST", "subscriptions", `[{"name":"Pumps"}]`, "principals", `[5,3]`)
	s.want(t, ok+`"subscribed":{"owner@acme.example":["vault"]},"already_subscribed":{}}`,
		"owner", "POST", "subscriptions", `[{"name":"vault"}]`, "invite_only", "true", "announce", "true",
		"history_public_to_subscribers", "true", "stream_post_policy", "2", "message_retention_days", "30")
	s.want(t, ok+`"subscribed":{"owner@acme.example":["forever"]},"already_subscribed":{}}`,
		"owner", "POST", "subscriptions", `[{"name":"forever","description":"*d*"}]`, "message_retention_days", `"forever"`)

	owners := s.call(t, "owner", "GET")
	for _, part := range []string{
		`"name":"vault","description":"","rendered_description":"","invite_only":true,"is_web_public":false,"stream_post_policy":2,` +
			`"history_public_to_subscribers":true,"first_message_id":null,"message_retention_days":30,"is_announcement_only":true,`,
		`"name":"forever","description":"*d*","rendered_description":"<p><em>d</em></p>","invite_only":false,"is_web_public":false,` +
			`"stream_post_policy":1,"history_public_to_subscribers":true,"first_message_id":null,"message_retention_days":-1,`,
	} {
		if !strings.Contains(owners, part) {
			t.Errorf("%s\nlacks\n%s", owners, part)
		}
	}
	s.want(t, ok+`"subscribed":{},"already_subscribed":{},"unauthorized":["vault"]}`,
		"admin", "POST", "subscriptions", `[{"name":"Vault"}]`, "authorization_errors_fatal", "false")
}

func TestSubscribeRefuses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.call(t, "owner", "POST", "subscriptions", `[{"name":"vault"}]`, "invite_only", "true", "principals", `["owner@acme.example","ann@acme.example"]`)
	if left := s.call(t, "ann", "DELETE", "subscriptions", `["vault"]`); !strings.HasPrefix(left, "200 ") {
		t.Fatal(left)
	}
	bad := func(msg string) string {
		return `400 {"result":"error","msg":"` + strings.ReplaceAll(msg, `"`, `\"`) + `","code":"BAD_REQUEST"}`
	}
	value := func(v string) string {
		return `400 {"result":"error","msg":"Bad value for 'message_retention_days': ` + v +
			`","code":"REQUEST_VARIABLE_INVALID","bad_value":"` + v + `","var_name":"message_retention_days"}`
	}
	const one = `[{"name":"beta"}]`
	for _, test := range []struct {
		who    string
		want   string
		params []string
	}{
		{"guest", bad("Not allowed for guest users"), []string{"subscriptions", one}},
		{
			"hook", `401 {"result":"error","msg":"This API is not available to incoming webhook bots.","code":"UNAUTHORIZED"}`,
			[]string{"subscriptions", one},
		},
		{
			"ann", `400 {"result":"error","msg":"Missing 'subscriptions' argument","code":"REQUEST_VARIABLE_MISSING","var_name":"subscriptions"}`,
			nil,
		},
		{"ann", bad("Unexpected arguments: x"), []string{"subscriptions", `[{"name":"beta","x":1}]`}},
		{"ann", bad(`name key is missing from subscriptions[0]`), []string{"subscriptions", `[{}]`}},
		{
			"ann", bad(`subscriptions[0]["description"] is too long (limit: 1024 characters)`),
			[]string{"subscriptions", `[{"name":"beta","description":"` + strings.Repeat("x", 1025) + `"}]`},
		},
		{
			"ann", bad(`subscriptions[1]["color"] is not a valid hex color code`),
			[]string{"subscriptions", `[{"name":"beta"},{"name":"gamma","color":"red"}]`},
		},
		{"ann", bad("Stream name 'a\\u0000b' contains NULL (0x00) characters."), []string{"subscriptions", `[{"name":"a\u0000b"}]`}},
		{"ann", bad("Stream name too long (limit: 60 characters)."), []string{"subscriptions", `[{"name":"` + strings.Repeat("é", 61) + `"}]`}},
		{"ann", bad("Invalid stream name ''"), []string{"subscriptions", `[{"name":" "}]`}},
		{"ann", bad("principals is not an allowed_type"), []string{"subscriptions", one, "principals", `[1,"a"]`}},
		{"ann", bad("Invalid stream_post_policy"), []string{"subscriptions", one, "stream_post_policy", "4"}},
		{"ann", value("0"), []string{"subscriptions", one, "message_retention_days", "0"}},
		{"ann", value("-1"), []string{"subscriptions", one, "message_retention_days", "-1"}},
		{"ann", value("never"), []string{"subscriptions", `[{"name":" "}]`, "message_retention_days", `"never"`}},
		{"admin", bad("User cannot create stream with this settings."), []string{"subscriptions", one, "message_retention_days", "1"}},
		{
			"admin", `400 {"result":"error","msg":"Unable to access stream (vault)."}`,
			[]string{"subscriptions", `[{"name":"beta"},{"name":"VAULT"}]`},
		},
		{
			"ann", `400 {"result":"error","msg":"Unable to access stream (vault)."}`, // which she has left
			[]string{"subscriptions", `[{"name":"vault"}]`},
		},
		{
			"ann", `403 {"result":"error","msg":"User not authorized to execute queries on behalf of '99'","code":"UNAUTHORIZED_PRINCIPAL","principal":99}`,
			[]string{"subscriptions", one, "principals", "[99]"},
		},
	} {
		s.want(t, test.want, test.who, "POST", test.params...)
	}
	s.want(t, `200 {"result":"success","msg":"","subscriptions":[]}`, "ann", "GET")
}

// Actions that the organization's settings restrict to administrators or to full members.
func TestSubscribeObeysSettings(t *testing.T) {
	t.Parallel()
	const one, ok = `[{"name":"beta"}]`, `200 {"result":"success"`
	for _, test := range []struct {
		what    string
		change  func(*org.Settings)
		params  []string
		refused string
	}{
		{
			"create, administrators", func(s *org.Settings) { s.CreateStreamPolicy = permit.ByAdmins },
			[]string{"subscriptions", one},
			`400 {"result":"error","msg":"User cannot create streams.","code":"BAD_REQUEST"}`,
		},
		{
			"subscribe others, administrators", func(s *org.Settings) { s.InviteToStreamPolicy = permit.ByAdmins },
			[]string{"subscriptions", one, "principals", "[2]"},
			`400 {"result":"error","msg":"Only administrators can modify other users' subscriptions."}`,
		},
		{
			"subscribe others, full members", func(s *org.Settings) {
				s.InviteToStreamPolicy, s.WaitingPeriodThreshold = permit.ByFullMembers, 3
			},
			[]string{"subscriptions", one, "principals", "[2]"},
			`400 {"result":"error","msg":"Your account is too new to modify other users' subscriptions."}`,
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			s := newServerWith(t, test.change)
			s.want(t, test.refused, "ann", "POST", test.params...)
			s.want(t, `200 {"result":"success","msg":"","subscriptions":[]}`, "ann", "GET")
			if got := s.call(t, "admin", "POST", test.params...); !strings.HasPrefix(got, ok) {
				t.Errorf("an administrator: %s", got)
			}
		})
	}
}

// Somebody who is deactivated while a long request goes on isn't subscribed by the rest of it.
func TestSubscribeDeactivatedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	crowd := []servicetest.Account{}
	for i := range 45 {
		crowd = append(crowd, w.Person(fmt.Sprint("P", i), actor.Member))
	}
	gone := crowd[len(crowd)-1]
	w.db.Exec(fmt.Sprintf(`create function leave() returns trigger language plpgsql security definer as $$
		begin update users set active = false where user_id = %d; return null; end $$`, gone.ID))
	w.db.Exec(fmt.Sprintf("create trigger leave after insert on subscriptions for each row when (new.user_id = %d) execute function leave()", crowd[0].ID))
	w.ann.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Hall"}]`, "principals": servicetest.IDs(crowd...)}).OK()
	if now := w.subscribed(crowd[len(crowd)-2]); now != "Hall" {
		t.Errorf("the last but one is subscribed to %q", now)
	}
	if now := w.subscribed(gone); now != "" {
		t.Errorf("who was deactivated is subscribed to %q", now)
	}
}

// Rights that end while a long request goes on aren't used by the rest of it.
func TestRightsEndMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	crowd := []servicetest.Account{}
	for i := range 45 {
		crowd = append(crowd, w.Person(fmt.Sprint("P", i), actor.Member))
	}
	first, last := crowd[0], crowd[len(crowd)-1]
	w.db.Exec("create function meanwhile() returns trigger language plpgsql as $$ begin return null; end $$")
	w.db.Exec(fmt.Sprintf("create trigger meanwhile after insert or update on subscriptions for each row when (new.user_id = %d) execute function meanwhile()", first.ID))
	for what, test := range map[string]struct {
		then   string // a statement, when the request changes its first people; $1 is the caller
		status int
	}{
		"subscribes":          {"perform from users", 200},
		"leaves":              {"update subscriptions set active = false", 400},
		"becomes guest":       {"update users set role = 600", 400},
		"is deactivated":      {"update users set active = false", 401},
		"has another key":     {"update users set api_key_hash = null", 401},
		"removes all":         {"perform from users", 200},
		"removes as member":   {"update users set role = 400", 400},
		"removes deactivated": {"update users set active = false", 401},
	} {
		removes := strings.HasPrefix(what, "removes")
		role, method, list := actor.Member, http.MethodPost, `[{"name":"`+what+`"}]`
		whom := params{"principals": servicetest.IDs(crowd...)}
		if removes {
			role, method, list = actor.Administrator, http.MethodDelete, `["`+what+`"]`
		}
		caller := w.Person(what, role)
		if removes {
			caller.NewStream(what, params{"principals": servicetest.IDs(append(crowd, caller)...)})
		} else {
			caller.NewStream(what, params{"invite_only": true})
		}
		w.db.Exec(fmt.Sprintf("create or replace function meanwhile() returns trigger language plpgsql security definer as $$ begin "+
			"%s where user_id = %d; return null; end $$", test.then, caller.ID))
		whom["subscriptions"] = list
		if answer := caller.Do(method, own, whom); answer.Status != test.status {
			t.Errorf("%s: %d %s, want %d", what, answer.Status, answer.Body, test.status)
		}
		w.db.Exec("create or replace function meanwhile() returns trigger language plpgsql as $$ begin return null; end $$")
		changed := strings.Contains(w.subscribed(last), what) != removes
		if changed != (test.status == 200) {
			t.Errorf("%s: the last is subscribed to %q", what, w.subscribed(last))
		}
	}
}

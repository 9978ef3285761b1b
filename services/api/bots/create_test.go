package bots_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member, other := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	member.Subscribe("Hall")
	watching := map[string]*servicetest.Watch{
		"admin": admin.Watch("realm_user", "realm_bot"), "owner": member.Watch("realm_user", "realm_bot"), "other": other.Watch("realm_user", "realm_bot"),
	}
	reply := map[string]any{}
	member.Do(http.MethodPost, "/bots", params{
		"full_name": " Echo ", "short_name": "Echo", "default_sending_stream": "hall", "default_events_register_stream": "Hall", "default_all_public_streams": true,
	}).OK().Decode(&reply)
	key, _ := reply["api_key"].(string)
	number := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select user_id from users where email = 'Echo-bot@chat.example'")[0]
	echo := w.Existing(w.Org, member.ID, key)
	echo.RealEmail = "Echo-bot@chat.example"
	n := text(number)
	want := map[string]any{
		"result": "success", "msg": "", "api_key": key, "avatar_url": "/avatar/" + n + "?v=1", "default_sending_stream": "Hall",
		"default_events_register_stream": "Hall", "default_all_public_streams": true,
	}
	if diff := cmp.Diff(want, reply); diff != "" || len(key) != 32 {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	me := struct {
		FullName string `json:"full_name"`
		BotType  int    `json:"bot_type"`
		IsAdmin  bool   `json:"is_admin"`
	}{}
	echo.Do(http.MethodGet, "/users/me", nil).OK().Decode(&me)
	if me.FullName != "Echo" || me.BotType != 1 || me.IsAdmin {
		t.Errorf("%+v", me)
	}
	// The default is the bot's own stream.
	echo.Do(http.MethodPost, "/messages", params{"type": "stream", "topic": "t", "content": "text"}).OK()

	added := `{"type":"realm_user","op":"add","person":`
	bot := `{"type":"realm_bot","op":"add","bot":{"user_id":` + n + `,"bot_type":1,"email":"Echo-bot@chat.example","full_name":"Echo","is_active":true,` +
		`"default_sending_stream":"Hall","default_events_register_stream":"Hall","default_all_public_streams":true,"avatar_url":"/avatar/` + n + `?v=1",` +
		`"owner_id":` + member.ID.String() + `,"services":[]}}`
	for name, q := range watching {
		events := q.Events()
		for i, e := range events {
			if strings.HasPrefix(e, added) {
				events[i] = added
			}
		}
		want := []string{added, bot}
		if name == "other" {
			want = want[:1]
		}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Errorf("events of %s (-want +got):\n%s", name, diff)
		}
	}
}

// Only the owner gets the events of a bot with a private default stream.
func TestCreatePrivate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	member.NewStream("den", params{"invite_only": true})
	forAdmin, forOwner := admin.Watch("realm_bot"), member.Watch("realm_bot")
	bot := made(w, member, "echo", params{"default_events_register_stream": "den"})
	member.Do(http.MethodPatch, at(bot), params{"full_name": "Echo Two"}).OK()
	member.Do(http.MethodDelete, at(bot), nil).OK()
	if events := forAdmin.Events(); len(events) != 0 {
		t.Errorf("an administrator got %v", events)
	}
	if events := forOwner.Events(); len(events) != 3 {
		t.Errorf("the owner got %v", events)
	}
}

func TestCreateOutgoing(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	bot := made(w, member, "out", params{
		"bot_type": 3, "payload_url": `"https://bots.example/hook"`, "interface_type": 2, "default_all_public_streams": false,
	})
	state := struct {
		Bots []struct {
			AllPublicStreams bool `json:"default_all_public_streams"`
			Services         []struct {
				URL       string `json:"base_url"`
				Interface int    `json:"interface"`
				Token     string `json:"token"`
			} `json:"services"`
		} `json:"realm_bots"`
	}{}
	member.RegisterInto(params{"fetch_event_types": []string{"realm_bot"}}, &state)
	if len(state.Bots) != 1 || state.Bots[0].AllPublicStreams || len(state.Bots[0].Services) != 1 {
		t.Fatalf("%+v", state)
	}
	if s := state.Bots[0].Services[0]; s.URL != "https://bots.example/hook" || s.Interface != 2 || len(s.Token) < 20 || s.Token == bot.Key {
		t.Errorf("%+v", s)
	}
	for _, address := range []string{"", "bots.example", "ftp://bots.example/", "javascript:alert(1)", "http://", "http:///x", "http://" + strings.Repeat("x", 2048)} {
		p := params{"full_name": "Other", "short_name": "other", "bot_type": 3, "payload_url": `"` + address + `"`}
		if address == "" {
			member.Do(http.MethodPost, "/bots", p).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'payload_url' argument")
			continue
		}
		member.Do(http.MethodPost, "/bots", p).Fails(400, "BAD_REQUEST", "payload_url is not a URL")
	}
}

// Checks are in the order of the interface: each request below also has all mistakes of those after it.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	member, guest := w.Person("Mia", actor.Member), w.Person("Gil", actor.Guest)
	w.Person("Bob", actor.Member).NewStream("den", params{"invite_only": true})
	first := made(w, member, "echo", nil)
	create := func(p params) servicetest.Answer {
		all := params{"full_name": "Bot echo", "short_name": "ECHO", "bot_type": 9, "interface_type": 3, "default_sending_stream": "den", "service_name": "x"}
		for name, value := range p {
			all[name] = value
		}
		return member.Do(http.MethodPost, "/bots", all)
	}
	watching := member.Watch("realm_user", "realm_bot")
	create(params{"short_name": "  ", "full_name": "X"}).Fails(400, "BAD_REQUEST", "Bad name or username")
	create(params{"full_name": "X", "short_name": "a b"}).Fails(400, "BAD_REQUEST", "Name too short!")
	create(params{"full_name": strings.Repeat("x", 101)}).Fails(400, "BAD_REQUEST", "Name too long!")
	create(params{"full_name": "@ll"}).Fails(400, "BAD_REQUEST", "Invalid characters in name!")
	create(params{"full_name": "Bot|7"}).Fails(400, "BAD_REQUEST", "Invalid format!")
	create(params{"bot_type": 4, "short_name": "a b"}).Fails(400, "", "Embedded bots are not enabled.")
	for _, short := range []string{"a b", "a@b", "ä", "-a", strings.Repeat("x", 51), `a"b`} {
		create(params{"short_name": short}).Fails(400, "", "Bad name or username")
	}
	create(nil).Fails(400, "", "Username already in use")
	create(params{"short_name": "new", "full_name": "bot ECHO"}).Fails(400, "BAD_REQUEST", "Name is already in use!")
	create(params{"short_name": "new", "full_name": "New"}).Fails(400, "BAD_REQUEST", "Invalid bot type")
	create(params{"short_name": "new", "full_name": "New", "bot_type": 2}).Fails(400, "BAD_REQUEST", "Invalid interface type")
	good := params{"short_name": "new", "full_name": "New", "bot_type": 2, "interface_type": 1}
	create(good).Fails(400, "BAD_REQUEST", "Invalid stream name 'den'")
	good["default_sending_stream"] = ""
	create(good).Fails(400, "BAD_REQUEST", "Invalid integration 'x'.")
	good["service_name"], good["config_data"] = "", map[string]string{"key": strings.Repeat("ü", 9_998)}
	create(good).Fails(400, "BAD_REQUEST", "The configuration has 10001 characters: the limit is 10000.")
	if events := watching.Events(); len(events) != 0 {
		t.Errorf("events of refused requests: %v", events)
	}
	guest.Do(http.MethodPost, "/bots", params{"full_name": "New", "short_name": "new"}).Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	first.Do(http.MethodPost, "/bots", params{"full_name": "New", "short_name": "new"}).Fails(400, "", "This endpoint does not accept bot requests.")
}

func TestCreatePolicy(t *testing.T) {
	t.Parallel()
	for policy, refused := range map[int][]int{1: {}, 2: {1}, 3: {1, 2}} {
		w := servicetest.New(t)
		admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
		exec(t, w, `update organizations set settings = settings || jsonb_build_object('bot_creation_policy', $1::int)`, policy)
		made(w, admin, "admins", nil)
		for kind := 1; kind <= 2; kind++ {
			p := params{"full_name": "New " + text(kind), "short_name": "new" + text(kind), "bot_type": kind}
			answer := member.Do(http.MethodPost, "/bots", p)
			if slices.Contains(refused, kind) {
				answer.Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
			} else {
				answer.OK()
			}
		}
	}
}

// The numbers of bots are limited in every way of creating them.
func TestCreateLimits(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member, other := w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	fill := func(owner servicetest.Account, bots int, active bool, hours int) {
		t.Helper()
		exec(t, w, `insert into users (org_id, email, full_name, bot_type, owner_id, active, joined_at)
			select $1, gen_random_uuid() || '@chat.example', 'x' || gen_random_uuid(), 1, $2, $4, now() - make_interval(hours => $5) from generate_series(1, $3)`,
			w.Org.ID, owner.ID, bots, active, hours)
	}
	create := func(by servicetest.Account) servicetest.Answer {
		return by.Do(http.MethodPost, "/bots", params{"full_name": "New", "short_name": "new"})
	}
	fill(member, 50, false, 23)
	create(member).Fails(400, "BAD_REQUEST", "Too many bots: in the last 24 hours the owner has made 50, the limit is 50.")
	exec(t, w, `update users set joined_at = now() - interval '25 hours' where owner_id = $1`, member.ID)
	last := made(w, member, "last", nil)
	member.Do(http.MethodDelete, at(last), nil).OK()
	fill(member, 100, true, 25)
	create(member).Fails(400, "BAD_REQUEST", "Too many bots: the owner has 100, the limit is 100.")
	member.Do(http.MethodPost, "/users/"+last.ID.String()+"/reactivate", nil).Fails(400, "BAD_REQUEST", "Too many bots: the owner has 100, the limit is 100.")
	others := made(w, other, "others", nil)
	other.Do(http.MethodPatch, at(others), params{"bot_owner_id": member.ID}).Fails(400, "BAD_REQUEST", "Too many bots: the owner has 100, the limit is 100.")
	fill(w.Person("Cas", actor.Member), 1899, true, 25)
	create(other).Fails(400, "BAD_REQUEST", "Too many bots: the organization has 2000, the limit is 2000.")
	create(abroad(w)).OK()
}

// Of concurrent calls that create a bot with the same name, one succeeds.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	people := []servicetest.Account{}
	for i := range 6 {
		people = append(people, w.Person("Mia "+text(i), actor.Member))
	}
	results := make(chan int, len(people))
	for i, p := range people {
		go func() {
			results <- p.Do(http.MethodPost, "/bots", params{"full_name": "Same", "short_name": "new" + text(i)}).Status
		}()
	}
	succeeded := 0
	for range people {
		if <-results == http.StatusOK {
			succeeded++
		}
	}
	if succeeded != 1 {
		t.Errorf("%d bots have one name", succeeded)
	}
}

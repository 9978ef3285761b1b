package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Member, RealEmail: "bob@corp.example"})
	ada.Subscribe("alerts", "hall")
	must(w.Streams(key).Put(t.Context(), "vault", adminapi.StreamSpec{Name: new("vault"), Private: new(true)}))(t)
	spec := adminapi.BotSpec{
		ShortName: new("deploy"), FullName: new("Deploy bot"), Owner: new("bob@corp.example"), Role: new(400), Subscriptions: []string{"Alerts", "vault"},
	}
	ensured := must(w.Bots(key).Put(t.Context(), "b", spec))(t)
	if !ensured.Created || ensured.Secret == nil || len(ensured.Secret.APIKey) != 32 {
		t.Fatalf("created %+v", ensured)
	}
	want := adminapi.Bot{
		Account: adminapi.Account{ID: ensured.State.ID, Key: "b", Email: "deploy-bot@chat.example", FullName: "Deploy bot", Role: 400, Active: true, Issued: true},
		Owner:   "bob@corp.example", Subscriptions: []string{"alerts", "vault"},
	}
	if diff := cmp.Diff(want, ensured.State); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	w.account(want.ID, ensured.Secret.APIKey).SendStream("vault", "t", "hello") // it can be used at once

	queues := map[string]*servicetest.Queue{"ada": ada.Everything(nil), "bob": bob.Everything(nil)}
	again := must(w.Bots(key).Put(t.Context(), "b", spec))(t)
	if again.Created || len(again.Changed) > 0 || again.Secret != nil {
		t.Errorf("the same again: %+v", again)
	}
	if events := w.EventsOf(queues); len(events) > 0 {
		t.Errorf("the same again sent %v", events)
	}

	// Name, role and owner.
	state := changed(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{FullName: new("Ship bot"), Role: new(200), Owner: new("ada@corp.example")}))(t,
		"full_name", "role", "owner")
	if diff := cmp.Diff(want.Subscriptions, state.Subscriptions); diff != "" {
		t.Errorf("subscriptions: %s", diff)
	}
	person := func(group ...any) map[string]any {
		members := map[string]any{"user_id": float64(want.ID)}
		for i := 0; i < len(group); i += 2 {
			members[group[i].(string)] = group[i+1]
		}
		return map[string]any{"type": "realm_user", "op": "update", "person": members}
	}
	bot := func(op string, group ...any) map[string]any {
		return map[string]any{"type": "realm_bot", "op": op, "bot": person(group...)["person"]}
	}
	events := w.EventsOf(queues)
	if diff := cmp.Diff(map[string][]map[string]any{
		"ada": {
			person("full_name", "Ship bot"), bot("update", "full_name", "Ship bot"), person("role", 200.0), bot("update", "owner_id", float64(ada.ID)),
			person("bot_owner_id", float64(ada.ID)),
		},
		"bob": {person("full_name", "Ship bot"), person("role", 200.0), bot("delete"), person("bot_owner_id", float64(ada.ID))},
	}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}

	// The bot is subscribed to exactly the named streams.
	state = changed(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{Subscriptions: []string{"hall"}}))(t, "subscriptions")
	if diff := cmp.Diff([]string{"hall"}, state.Subscriptions); diff != "" {
		t.Errorf("subscriptions: %s", diff)
	}
	changed(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{Subscriptions: []string{}}))(t, "subscriptions")

	// A removed bot isn't visible to people, and its API key is invalid. Ensured again under another key, it is the
	// same account.
	w.EventsOf(queues)
	if !must(w.Bots(key).Delete(t.Context(), "b"))(t).Removed || must(w.Bots(key).Delete(t.Context(), "b"))(t).Removed {
		t.Error("the bot wasn't removed exactly once")
	}
	gone := map[string]any{"user_id": float64(want.ID), "full_name": "Ship bot"}
	removed := map[string]any{"type": "realm_user", "op": "remove", "person": gone}
	if diff := cmp.Diff(map[string][]map[string]any{
		"ada": {removed, {"type": "realm_bot", "op": "remove", "bot": gone}}, "bob": {removed},
	}, w.EventsOf(queues)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if w.works(ensured.Secret.APIKey) {
		t.Error("the key of a removed bot works")
	}
	revived := must(w.Bots(key).Put(t.Context(), "b2", adminapi.BotSpec{ShortName: new("deploy")}))(t)
	if revived.Created || revived.State.ID != want.ID || revived.Secret == nil || !w.works(revived.Secret.APIKey) ||
		!cmp.Equal([]string{"active", "api_key", "key"}, revived.Changed) {
		t.Errorf("revived %+v", revived)
	}
}

func TestBotRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	w.Account(w.org(), user.Draft{FullName: "Old bot", Bot: actor.GenericBot, Role: actor.Member, Owner: ada.ID, RealEmail: "old-bot@chat.example"})
	good := func() adminapi.BotSpec {
		return adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy bot")}
	}
	must(w.Bots(key).Put(t.Context(), "kept", good()))(t)
	for _, test := range []struct {
		change    func(s *adminapi.BotSpec)
		code, msg string
	}{
		{func(s *adminapi.BotSpec) { s.ShortName = nil }, "REQUEST_VARIABLE_MISSING", "Missing 'short_name' argument"},
		{func(s *adminapi.BotSpec) { s.ShortName, s.FullName = new("x"), nil }, "REQUEST_VARIABLE_MISSING", "Missing 'full_name' argument"},
		{
			func(s *adminapi.BotSpec) { s.ShortName = new("X") }, "BAD_REQUEST",
			"A short name has 1 to 50 lower-case letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.",
		},
		{func(s *adminapi.BotSpec) { s.ShortName = new("x") }, "BAD_REQUEST", "The full name 'Deploy bot' is invalid: Name is already in use!"},
		{func(s *adminapi.BotSpec) { s.ShortName, s.FullName = new("x"), new("x") }, "BAD_REQUEST", "The full name 'x' is invalid: Name too short!"},
		{func(s *adminapi.BotSpec) { s.Role = new(300) }, "BAD_REQUEST", "The role must be 100 (owner), 200 (administrator), 400 (member) or 600 (guest)."},
		{func(s *adminapi.BotSpec) { s.Owner = new("nobody@corp.example") }, "BAD_REQUEST", "There is no active person with the address 'nobody@corp.example'."},
		{func(s *adminapi.BotSpec) { s.Owner = new("old-bot@chat.example") }, "BAD_REQUEST", "There is no active person with the address 'old-bot@chat.example'."},
		{func(s *adminapi.BotSpec) { s.APIKey = ada.Key[1:] }, "BAD_REQUEST", "An API key must have 32 letters and digits."},
		{func(s *adminapi.BotSpec) { s.APIKey = ada.Key + "x" }, "BAD_REQUEST", "An API key must have 32 letters and digits."},
		{func(s *adminapi.BotSpec) { s.APIKey = ada.Key[1:] + "-" }, "BAD_REQUEST", "An API key must have 32 letters and digits."},
		{func(s *adminapi.BotSpec) { s.APIKey, s.ShortName, s.FullName = ada.Key, new("x"), new("X bot") }, "BAD_REQUEST", "Another account has this API key."},
		{func(s *adminapi.BotSpec) { s.GraceSeconds = new(-1) }, "BAD_REQUEST", "grace_seconds must be between 0 and 2592000."},
		{func(s *adminapi.BotSpec) { s.KeepKey = true }, "BAD_REQUEST", "keep_key is for a PUT with an api_key."},
		{func(*adminapi.BotSpec) {}, "ALREADY_KEPT", "The bot 'deploy-bot@chat.example' is managed under the key 'kept'."},
		{func(s *adminapi.BotSpec) { s.Adopt = true }, "ALREADY_KEPT", "The bot 'deploy-bot@chat.example' is managed under the key 'kept'."},
	} {
		spec := good()
		test.change(&spec)
		fails(w.Bots(key).Put(t.Context(), "new", spec))(t, 400, test.code, test.msg)
	}
	fails(w.Bots(key).Put(t.Context(), "kept", adminapi.BotSpec{FullName: new("y")}))(t, 400, "BAD_REQUEST", "The full name 'y' is invalid: Name too short!")
	fails(w.Bots(key).Put(t.Context(), "kept", adminapi.BotSpec{ShortName: new("other")}))(t, 400, "BAD_REQUEST", "The short_name can't be changed.")
	fails(w.Bots(key).Put(t.Context(), "kept", adminapi.BotSpec{Subscriptions: []string{"x", "y"}}))(t, 400, "BAD_REQUEST", "Stream(s) (x, y) do not exist")
	adopted := changed(w.Bots(key).Put(t.Context(), "old", adminapi.BotSpec{ShortName: new("old"), Adopt: true}))(t, "key")
	if adopted.FullName != "Old bot" || adopted.Owner != "ada@corp.example" {
		t.Errorf("adopted %+v", adopted)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	first := must(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy bot")}))(t).Secret.APIKey
	check := func(when string, want map[string]bool) {
		t.Helper()
		for apiKey, works := range want {
			if w.works(apiKey) != works {
				t.Errorf("%s: the key %s works: %v", when, apiKey, !works)
			}
		}
	}
	const second, third = "secondKey01234567890123456789012", "thirdKey012345678901234567890123"
	named := adminapi.BotSpec{KeySpec: adminapi.KeySpec{APIKey: second, GraceSeconds: new(3600)}}
	check("at first", map[string]bool{first: true, second: false})
	w.clock.Advance(time.Hour) // what was remembered is old
	ensured := must(w.Bots(key).Put(t.Context(), "b", named))(t)
	ends := w.clock.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	if diff := cmp.Diff(&adminapi.Secret{APIKey: second, PreviousEnds: &ends}, ensured.Secret); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
	check("in the grace", map[string]bool{first: true, second: true})
	if again := must(w.Bots(key).Put(t.Context(), "b", named))(t); again.Secret != nil || len(again.Changed) > 0 || !again.State.PreviousEnds.Equal(ends) {
		t.Errorf("the same again: %+v", again)
	}
	w.clock.Advance(time.Hour - time.Second)
	check("a second before its end", map[string]bool{first: true, second: true})
	w.clock.Advance(time.Second) // sooner than anything remembered is looked up again
	check("at its end", map[string]bool{first: false, second: true})
	if got := must(w.Bots(key).Get(t.Context(), "b"))(t); got.PreviousEnds != nil {
		t.Errorf("the end is shown still: %v", got.PreviousEnds)
	}

	issued := must(w.Bots(key).RotateKey(t.Context(), "b", adminapi.KeySpec{APIKey: third, GraceSeconds: new(0)}))(t)
	w.clock.Advance(time.Minute)
	check("without grace", map[string]bool{second: false, third: true})
	if !issued.Changed || issued.Secret.APIKey != third || issued.Secret.PreviousEnds != nil {
		t.Errorf("issued %+v", issued)
	}
	if again := must(w.Bots(key).RotateKey(t.Context(), "b", adminapi.KeySpec{APIKey: third}))(t); again.Changed || again.Secret.APIKey != third {
		t.Errorf("the same again: %+v", again)
	}
	fourth := must(w.Bots(key).RotateKey(t.Context(), "b", adminapi.KeySpec{}))(t).Secret.APIKey
	w.clock.Advance(time.Minute)
	check("with the usual grace", map[string]bool{third: true, fourth: true})
	if !must(w.Bots(key).RevokeKey(t.Context(), "b"))(t).Removed || must(w.Bots(key).RevokeKey(t.Context(), "b"))(t).Removed {
		t.Error("the keys weren't revoked just once")
	}
	w.clock.Advance(time.Minute)
	check("revoked", map[string]bool{third: false, fourth: false})
	fails(w.Bots(key).RotateKey(t.Context(), "x", adminapi.KeySpec{}))(t, 404, "NOT_FOUND", "There is no bot with the key 'x'.")
}

// A key that was replaced or revoked is reported, and not made valid by comparing it.
func TestKeyIsOnlyCompared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	const first, second = "firstKey012345678901234567890123", "secondKey01234567890123456789012"
	spec := adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy bot"), KeySpec: adminapi.KeySpec{APIKey: first, KeepKey: true}}
	if made := must(w.Bots(key).Put(t.Context(), "b", spec))(t); !made.Created || made.Secret.APIKey != first || !w.works(first) {
		t.Errorf("a new account: %+v", made)
	}
	if same := must(w.Bots(key).Put(t.Context(), "b", spec))(t); len(same.Changed) > 0 || same.Secret != nil {
		t.Errorf("the same key: %+v", same)
	}
	fails(w.Bots(key).RotateKey(t.Context(), "b", adminapi.KeySpec{APIKey: second, KeepKey: true}))(t, 400, "BAD_REQUEST", "keep_key is for a PUT with an api_key.")

	must(w.Bots(key).RotateKey(t.Context(), "b", adminapi.KeySpec{APIKey: second, GraceSeconds: new(0)}))(t)
	w.clock.Advance(time.Minute)
	spec.FullName = new("Other bot")
	for _, want := range [][]string{{"full_name", "api_key"}, {"api_key"}} {
		got := must(w.Bots(key).Put(t.Context(), "b", spec))(t)
		if diff := cmp.Diff(want, got.Changed); diff != "" || got.Secret != nil {
			t.Errorf("another key: %+v", got)
		}
	}
	if w.works(first) || !w.works(second) {
		t.Error("the account has another key than before")
	}
	must(w.Bots(key).RevokeKey(t.Context(), "b"))(t)
	changed(w.Bots(key).Put(t.Context(), "b", spec))(t, "api_key")
	if got := must(w.Bots(key).Get(t.Context(), "b"))(t); got.Issued {
		t.Error("a revoked key was replaced")
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	must(w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("fire alarms"), Private: new(true)}))(t)
	spec := adminapi.WebhookSpec{
		ShortName: new("hello"), FullName: new("Hello"), Integration: new("helloworld"), Owner: new("ada@corp.example"),
		Stream: new("fire alarms"), Topic: new("a & b"),
	}
	ensured := must(w.Webhooks(key).Put(t.Context(), "h", spec))(t)
	const base = "https://eng.chat.example/api/v1/external/helloworld"
	if ensured.State.URL != base+"?stream=fire+alarms&topic=a+%26+b" || !ensured.Created || ensured.State.Integration != "helloworld" {
		t.Errorf("made %+v", ensured)
	}
	if want := base + "?api_key=" + ensured.Secret.APIKey + "&stream=fire+alarms&topic=a+%26+b"; ensured.Secret.URL != want {
		t.Errorf("address %q, want %q", ensured.Secret.URL, want)
	}
	if again := must(w.Webhooks(key).Put(t.Context(), "h", spec))(t); again.Created || again.Secret != nil || len(again.Changed) > 0 {
		t.Errorf("the same again: %+v", again)
	}

	// The address works as it is.
	must(w.Bots(key).Put(t.Context(), "reader", adminapi.BotSpec{ShortName: new("r"), FullName: new("Reader"), Subscriptions: []string{"fire alarms"}}))(t)
	reader := must(w.Bots(key).RotateKey(t.Context(), "reader", adminapi.KeySpec{}))(t).Secret.APIKey
	queue := w.account(must(w.Bots(key).Get(t.Context(), "reader"))(t).ID, reader).Register(params{"event_types": []string{"message"}})
	w.post(ensured.Secret.URL)
	if got := queue.Poll()[0].Message; got["subject"] != "a & b" || got["sender_full_name"] != "Hello" || got["display_recipient"] != "fire alarms" {
		t.Errorf("it sent %v", got)
	}

	changed(w.Webhooks(key).Put(t.Context(), "h", adminapi.WebhookSpec{Topic: new("")}))(t, "topic")
	ada.Subscribe("hall")
	state := changed(w.Webhooks(key).Put(t.Context(), "h", adminapi.WebhookSpec{Stream: new("hall")}))(t, "stream")
	if state.URL != base+"?stream=hall" {
		t.Errorf("address %q", state.URL)
	}
	issued := must(w.Webhooks(key).RotateKey(t.Context(), "h", adminapi.KeySpec{}))(t)
	if issued.Secret.URL != base+"?api_key="+issued.Secret.APIKey+"&stream=hall" {
		t.Errorf("address %q", issued.Secret.URL)
	}
	state = changed(w.Webhooks(key).Put(t.Context(), "h", adminapi.WebhookSpec{Stream: new("")}))(t, "stream")
	if state.URL != base || state.Stream != "" {
		t.Errorf("without a stream: %+v", state)
	}
	fails(w.Webhooks(key).Put(t.Context(), "h", adminapi.WebhookSpec{Stream: new("nowhere")}))(t, 400, "BAD_REQUEST", "Invalid stream name 'nowhere'")
	fails(w.Webhooks(key).Put(t.Context(), "h", adminapi.WebhookSpec{Integration: new("none")}))(t, 400, "BAD_REQUEST", "There is no integration 'none'.")
	fails(w.Webhooks(key).Put(t.Context(), "h2", adminapi.WebhookSpec{ShortName: new("h2"), FullName: new("H2")}))(t, 400,
		"REQUEST_VARIABLE_MISSING", "Missing 'integration' argument")
	fails(w.Bots(key).Get(t.Context(), "h"))(t, 404, "NOT_FOUND", "There is no bot with the key 'h'.")
	if !must(w.Webhooks(key).Delete(t.Context(), "h"))(t).Removed {
		t.Error("it wasn't removed")
	}
}

// post sends a request of the integration helloworld to an address.
func (w *world) post(address string) {
	w.t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	body := `{"featured_title": "Tides", "featured_url": "https://tides.example/"}`
	request := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, parsed.RequestURI(), strings.NewReader(body))
	request.Host = parsed.Host
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		w.t.Errorf("posting returns %d %s", recorder.Code, recorder.Body)
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.made()
	must(w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("hall"), Default: new(true)}))(t)
	bob := w.Account(w.org(), user.Draft{FullName: "Bob", Role: actor.Guest, RealEmail: "Bob@corp.example"})
	queue := map[string]*servicetest.Queue{"ada": ada.Everything(nil)}
	state := changed(w.Owners(key).Put(t.Context(), "bob@corp.example", adminapi.OwnerSpec{}))(t, "role")
	if state.ID != int64(bob.ID) || state.Role != 100 || state.FullName != "Bob" {
		t.Errorf("it is %+v", state)
	}
	want := []map[string]any{{"type": "realm_user", "op": "update", "person": map[string]any{"user_id": float64(bob.ID), "role": 100.0}}}
	if diff := cmp.Diff(want, w.EventsOf(queue)["ada"]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	changed(w.Owners(key).Put(t.Context(), "bob@corp.example", adminapi.OwnerSpec{}))(t)
	made := must(w.Owners(key).Put(t.Context(), "eve@corp.example", adminapi.OwnerSpec{FullName: new("Eve")}))(t)
	if !made.Created || !w.works(made.Secret.APIKey) {
		t.Fatalf("made %+v", made)
	}
	subscriptions := struct{ Subscriptions []struct{ Name string } }{}
	w.account(made.State.ID, made.Secret.APIKey).Do(http.MethodGet, "/users/me/subscriptions", nil).OK().Decode(&subscriptions)
	if diff := cmp.Diff([]struct{ Name string }{{"general"}, {"hall"}}, subscriptions.Subscriptions); diff != "" {
		t.Errorf("a new owner is subscribed to (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ada@corp.example", "Bob@corp.example", "eve@corp.example"}, must(w.Organization(t.Context(), key))(t).Owners); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	fails(w.Owners(key).Get(t.Context(), "nobody@corp.example"))(t, 404, "NOT_FOUND", "There is no owner with the key 'nobody@corp.example'.")
	fails(w.Owners(key).Put(t.Context(), "f@corp.example", adminapi.OwnerSpec{}))(t, 400, "BAD_REQUEST", "The full name 'f' is invalid: Name too short!")
	fails(w.Owners(key).Put(t.Context(), "eve@corp.example", adminapi.OwnerSpec{FullName: new("E*e")}))(t, 400, "BAD_REQUEST",
		"The full name 'E*e' is invalid: Invalid characters in name!")
	fails(w.Owners(key).Put(t.Context(), "nobody", adminapi.OwnerSpec{}))(t, 400, "BAD_REQUEST", "'nobody' is not a valid email address.")
	must(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{ShortName: new("x"), FullName: new("Xx")}))(t)
	fails(w.Owners(key).Put(t.Context(), "x-bot@chat.example", adminapi.OwnerSpec{}))(t, 400, "BAD_REQUEST",
		"The account with the address 'x-bot@chat.example' isn't a person's.")
}

// Only owners can be read, and get other API keys, as owners: no other person, and no bot, even one with that role.
func TestOnlyOwnersAreOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, mia := w.made(), w.Account(w.org(), user.Draft{FullName: "Mia", Role: actor.Member, RealEmail: "mia@corp.example"})
	bot := must(w.Bots(key).Put(t.Context(), "b", adminapi.BotSpec{ShortName: new("x"), FullName: new("Xx"), Role: new(100)}))(t)
	owners := w.Owners(key)
	for _, email := range []string{mia.RealEmail, bot.State.Email} {
		refusal := "There is no owner with the key '" + email + "'."
		fails(owners.Get(t.Context(), email))(t, 404, "NOT_FOUND", refusal)
		fails(owners.RotateKey(t.Context(), email, adminapi.KeySpec{}))(t, 404, "NOT_FOUND", refusal)
		fails(owners.RevokeKey(t.Context(), email))(t, 404, "NOT_FOUND", refusal)
	}
	if !w.works(mia.Key) || !w.works(bot.Secret.APIKey) {
		t.Error("a key ended")
	}
	if got := must(owners.Get(t.Context(), ada.RealEmail))(t); got.ID != int64(ada.ID) || got.Role != 100 {
		t.Errorf("%+v", got)
	}
	if rotated := must(owners.RotateKey(t.Context(), ada.RealEmail, adminapi.KeySpec{}))(t); !w.works(rotated.Secret.APIKey) {
		t.Errorf("%+v", rotated)
	}
}

package streams_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/streams"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	now := testbed.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)).Now
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}
	orgs := org.New(db, config, now)
	users := user.New(db, orgs, now)
	made, err := orgs.Create(t.Context(), org.Draft{Subdomain: "acme", Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	err = db.Write(t.Context(), made.ID, func(tx *store.Tx) error {
		ann := id.User(0)
		for _, draft := range []user.Draft{
			{FullName: "owner", Role: actor.Owner},
			{FullName: "admin", Role: actor.Administrator},
			{FullName: "ann", Role: actor.Member},
			{FullName: "guest", Role: actor.Guest},
			{FullName: "robot", Role: actor.Member, Bot: actor.GenericBot},
		} {
			draft.RealEmail = draft.FullName + "@acme.example"
			if draft.Bot != actor.Human {
				draft.Owner = ann
			}
			u, key, err := users.Create(t.Context(), tx, made, draft)
			if err != nil {
				return err
			}
			keys[draft.FullName] = key
			if draft.FullName == "ann" {
				ann = u.ID
			}
		}
		create := func(private bool, names ...string) error {
			drafts := []stream.Draft{}
			for _, name := range names {
				drafts = append(drafts, stream.Draft{Name: name})
			}
			settings := stream.Settings{InviteOnly: private, PostPolicy: permit.PostAdmins}
			_, err := stream.Create(t.Context(), tx, markdown.New(markdown.Config{}), markdown.Context{}, drafts, settings)
			return err
		}
		if err := create(false, "b", "A"); err != nil {
			return err
		}
		if err := create(true, "mine", "vault"); err != nil {
			return err
		}
		if _, err := tx.Subscribe(t.Context(), []int64{3}, []int64{int64(ann)}, []string{"#fff"}); err != nil {
			return err
		}
		return tx.SetDefaultStream(t.Context(), true, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	router := endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(db, config, now, testbed.Logger(t)), Limiter: servicetest.Unlimited{}, Logger: testbed.Logger(t), Now: now, Failed: servicetest.Declared(t),
	}, []endpoint.Endpoint{streams.List(stream.New(db, orgs, markdown.New(markdown.Config{}), nil, time.Now))})
	call := func(who, query string) string {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/streams?"+query, nil)
		r.Host = "acme.chat.example"
		r.SetBasicAuth(who+"@acme.example", keys[who])
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		servicetest.KeepsContract(t, r, w)
		return w.Result().Status[:4] + strings.TrimSpace(w.Body.String())
	}

	object := func(number, name string, private bool, more string) string {
		yes, no := "true", "false"
		if private {
			yes, no = no, yes
		}
		return `{"stream_id":` + number + `,"name":"` + name + `","description":"","rendered_description":"","invite_only":` + no +
			`,"is_web_public":false,"stream_post_policy":2,"history_public_to_subscribers":` + yes +
			`,"first_message_id":null,"message_retention_days":null,"is_announcement_only":true` + more + `}`
	}
	a, b, mine, vault := object("2", "A", false, ""), object("1", "b", false, ""), object("3", "mine", true, ""), object("4", "vault", true, "")
	const refused = `400 {"result":"error","msg":"User not authorized for this query","code":"BAD_REQUEST"}`
	ok := func(objects ...string) string {
		return `200 {"result":"success","msg":"","streams":[` + strings.Join(objects, ",") + `]}`
	}
	for _, test := range []struct{ who, query, want string }{
		{"ann", "", ok(a, b, mine)},
		{"ann", "include_public=false", ok(mine)},
		{"ann", "include_subscribed=false", ok(a, b)},
		{"ann", "include_public=false&include_subscribed=false", ok()},
		{"ann", "include_public=false&include_subscribed=false&include_web_public=true", ok()},
		{"ann", "include_default=true", ok(
			object("2", "A", false, `,"is_default":true`), object("1", "b", false, `,"is_default":false`), object("3", "mine", true, `,"is_default":false`),
		)},
		{"ann", "include_all_active=true", refused},
		{"guest", "", ok()},
		{"robot", "", ok(a, b)},
		{"robot", "include_public=false&include_owner_subscribed=true", ok(mine)},
		{"admin", "", ok(a, b)},
		{"admin", "include_all_active=true", ok(a, b, mine, vault)},
		{"owner", "include_all_active=true", ok(a, b, mine, vault)},
		{"ann", "include_public=1", `400 {"result":"error","msg":"include_public is not a boolean","code":"BAD_REQUEST"}`},
	} {
		if diff := cmp.Diff(test.want, call(test.who, test.query)); diff != "" {
			t.Errorf("%s, %q (-want +got):\n%s", test.who, test.query, diff)
		}
	}
}

package provision_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/provision"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// world contains two organizations.
type world struct {
	*provision.Service
	t           *testing.T
	sql         *storetest.Session
	users       *user.Service
	acme, other org.Org
	owner, ann  user.User // of acme
	robot       user.User
	stranger    user.User // of the other organization
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, url := storetest.OpenURL(t)
	options, err := redis.ParseURL(testbed.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	orgs := org.New(db, org.Config{}, time.Now)
	users := user.New(db, orgs, time.Now)
	w := &world{t: t, sql: storetest.Connect(t, url), users: users, Service: provision.New(provision.Deps{
		DB: db, Orgs: orgs, UserGroups: group.New(db, orgs),
		Accounts: account.New(account.Deps{DB: db, Orgs: orgs, Users: users, Presence: presence.NewStore(client), Now: time.Now}),
	})}
	for i, o := range []*org.Org{&w.acme, &w.other} {
		made, err := orgs.Create(t.Context(), org.Draft{Subdomain: []string{"acme", "other"}[i], Name: "Acme", Settings: org.Defaults()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		*o = made
	}
	w.owner = w.account(w.acme, user.Draft{FullName: "Olga", Role: actor.Owner})
	w.ann = w.account(w.acme, user.Draft{FullName: "Ann", Role: actor.Member})
	w.robot = w.account(w.acme, user.Draft{FullName: "Robot", Role: actor.Member, Bot: actor.GenericBot, Owner: w.owner.ID})
	w.stranger = w.account(w.other, user.Draft{FullName: "Eve", Role: actor.Owner})
	return w
}

func (w *world) account(in org.Org, draft user.Draft) (made user.User) {
	w.t.Helper()
	draft.RealEmail = strings.ToLower(draft.FullName) + "@corp.example"
	w.write(in, func(tx *store.Tx) (err error) {
		made, _, err = w.users.Create(w.t.Context(), tx, in, draft)
		return err
	})
	return made
}

func (w *world) write(in org.Org, work func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.DB.Write(w.t.Context(), in.ID, work); err != nil {
		w.t.Fatal(err)
	}
}

// fails reports an error of the test unless err is want; nil: no error.
func (w *world) fails(what string, err, want error) {
	w.t.Helper()
	if !errors.Is(err, want) {
		w.t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// The two newest tokens are valid, only in their organization.
func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tokens := []string{"", strings.Repeat("x", 32)}
	for range 3 {
		w.write(w.acme, func(tx *store.Tx) error {
			token, err := provision.IssueToken(t.Context(), tx)
			tokens = append(tokens, token)
			return err
		})
	}
	admitted := func(in org.Org) (admitted []bool) {
		t.Helper()
		for _, token := range tokens {
			ok, err := w.Admits(t.Context(), in.ID, token)
			if err != nil {
				t.Fatal(err)
			}
			admitted = append(admitted, ok)
		}
		return admitted
	}
	if diff := cmp.Diff([]bool{false, false, false, true, true}, admitted(w.acme)); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(admitted(w.other), true) {
		t.Error("a token of another organization is valid")
	}
	for _, want := range []bool{true, false} {
		w.write(w.acme, func(tx *store.Tx) error {
			ended, err := provision.RevokeTokens(t.Context(), tx)
			if ended != want {
				t.Errorf("tokens ended: %t", ended)
			}
			return err
		})
	}
	if slices.Contains(admitted(w.acme), true) {
		t.Error("a token is valid that was revoked")
	}
}

// A provider manages the people of the organization, but no bots, and no accounts of another organization.
func TestPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, c := range map[string]struct {
		filter      provision.Filter
		skip, limit int
		want        []id.User
		total       int
	}{
		"all":               {provision.Filter{}, 0, 10, []id.User{w.owner.ID, w.ann.ID}, 2},
		"the first":         {provision.Filter{}, 0, 1, []id.User{w.owner.ID}, 2},
		"the second":        {provision.Filter{}, 1, 1, []id.User{w.ann.ID}, 2},
		"an address":        {provision.Filter{Email: new("ANN@corp.example")}, 0, 10, []id.User{w.ann.ID}, 1},
		"a bot's address":   {provision.Filter{Email: new("robot@corp.example")}, 0, 10, nil, 0},
		"a stranger's":      {provision.Filter{Email: new("eve@corp.example")}, 0, 10, nil, 0},
		"a bot":             {provision.Filter{ID: &w.robot.ID}, 0, 10, nil, 0},
		"a stranger":        {provision.Filter{ID: &w.stranger.ID}, 0, 10, nil, 0},
		"an id of somebody": {provision.Filter{ID: &w.ann.ID}, 0, 10, []id.User{w.ann.ID}, 1},
	} {
		people, total, err := w.People(t.Context(), w.acme.ID, c.filter, c.skip, c.limit)
		got := []id.User(nil)
		for _, p := range people {
			got = append(got, p.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || total != c.total && c.want != nil || err != nil {
			t.Errorf("%s: %d in all, %v\n%s", what, total, err, diff)
		}
	}
	_, err := w.Person(t.Context(), w.acme.ID, w.robot.ID)
	w.fails("a bot", err, provision.ErrNoPerson)
}

// However many people there are, a person is found by their name without reading the others, also under row-level security.
func TestNamesAreFoundByIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("insert into users (org_id, email, full_name) select $1, 'p' || n || '@corp.example', 'P' || n from generate_series(1, 20000) n", w.acme.ID)
	w.sql.Exec("insert into scim_users (org_id, user_id, user_name) select org_id, user_id, 'name of ' || email from users where full_name like 'P%' and user_id % 2 = 0")
	w.sql.Exec("analyze users, scim_users")
	w.sql.Exec("set role chatserver_service")
	w.sql.Exec(fmt.Sprintf("set app.org = %d", w.acme.ID))
	text, err := os.ReadFile("../store/query/scim.sql")
	if err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer("sqlc.narg('user_name')", "'P7@corp.example'", "sqlc.narg('user_id')", "null", "sqlc.narg('external_id')", "null",
		"sqlc.narg('email')", "null", "@skip", "0", "@max_rows", "100", "@user_name", "'P7@corp.example'", "@but", "0")
	read := regexp.MustCompile(`(?:actual .*rows=|Rows Removed by .*: )(\d+)`)
	for _, name := range []string{"ScimUsers", "ScimNameTaken"} {
		_, query, _ := strings.Cut(string(text), "-- name: "+name+" :")
		_, query, _ = strings.Cut(query, "\n")
		query, _, _ = strings.Cut(query, ";")
		plan := strings.Join(storetest.Values[string](w.sql, "explain (analyze, timing off) "+values.Replace(query)), "\n")
		for _, rows := range read.FindAllStringSubmatch(plan, -1) {
			if n, err := strconv.Atoi(rows[1]); err != nil || n > 10 {
				t.Fatalf("%s reads %s rows:\n%s", name, rows[1], plan)
			}
		}
		if !read.MatchString(plan) {
			t.Errorf("%s: %s", name, plan)
		}
	}
}

// Names are unique, ignoring letter case. An address is the name of whoever has no other.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := func(of id.User, name string) error {
		_, err := w.Change(t.Context(), w.acme.ID, of, func(d provision.Details) (provision.Details, error) {
			d.UserName = name
			return d, nil
		})
		return err
	}
	w.fails("the other's address", name(w.owner.ID, "Ann@corp.example"), provision.ErrTaken)
	w.fails("a bot's address", name(w.owner.ID, "robot@corp.example"), nil)
	w.fails("a stranger's address", name(w.owner.ID, "eve@corp.example"), nil)
	w.fails("another name", name(w.ann.ID, "ANN"), nil)
	w.fails("the other's name", name(w.owner.ID, "ann"), provision.ErrTaken)
	w.fails("an address that isn't a name anymore", name(w.owner.ID, "ANN@corp.example"), nil)
	w.fails("a former name", name(w.ann.ID, "olga@corp.example"), nil)
	w.fails("what is removed", w.Remove(t.Context(), w.acme.ID, w.ann.ID), nil)
	w.fails("the name of who was removed", name(w.owner.ID, "OLGA@corp.example"), nil)
}

// Operations that a provider isn't allowed.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	change := func(of id.User, how func(d *provision.Details)) error {
		_, err := w.Change(t.Context(), w.acme.ID, of, func(d provision.Details) (provision.Details, error) {
			how(&d)
			return d, nil
		})
		return err
	}
	w.fails("a name of one's own", change(w.ann.ID, func(d *provision.Details) { d.UserName = "Ann" }), nil)
	for what, c := range map[string]struct {
		of   id.User
		how  func(d *provision.Details)
		want error
	}{
		"somebody's name":      {w.owner.ID, func(d *provision.Details) { d.UserName = "ANN" }, provision.ErrTaken},
		"no name":              {w.ann.ID, func(d *provision.Details) { d.UserName = "" }, provision.ErrUserName},
		"a long name":          {w.ann.ID, func(d *provision.Details) { d.UserName = strings.Repeat("x", 1001) }, provision.ErrUserName},
		"a control character":  {w.ann.ID, func(d *provision.Details) { d.UserName = "a\x00" }, provision.ErrUserName},
		"no text":              {w.ann.ID, func(d *provision.Details) { d.UserName = "\xff" }, provision.ErrUserName},
		"an empty id":          {w.ann.ID, func(d *provision.Details) { d.ExternalID = new("") }, provision.ErrUserName},
		"no address":           {w.ann.ID, func(d *provision.Details) { d.Email = "ann" }, provision.ErrEmail},
		"an owner's address":   {w.owner.ID, func(d *provision.Details) { d.Email = "eve@corp.example" }, provision.ErrFixedEmail},
		"no full name":         {w.ann.ID, func(d *provision.Details) { d.FullName = "" }, user.ErrNameTooShort},
		"the only owner's end": {w.owner.ID, func(d *provision.Details) { d.Active = false }, account.ErrOnlyOwnerEnd},
		"a bot":                {w.robot.ID, func(*provision.Details) {}, provision.ErrNoPerson},
		"a stranger":           {w.stranger.ID, func(*provision.Details) {}, provision.ErrNoPerson},
	} {
		w.fails(what, change(c.of, c.how), c.want)
	}
	_, err := w.Create(t.Context(), w.acme.ID, provision.Details{UserName: "new", Email: "ann@corp.example", FullName: "Ann Two", Active: true})
	w.fails("an address that is somebody's", err, provision.ErrTaken)
	_, err = w.Create(t.Context(), w.acme.ID, provision.Details{UserName: "new", Email: "robot@corp.example", FullName: "Ann Two", Active: true})
	w.fails("an address that is a bot's", err, provision.ErrTaken)
}

// A provider doesn't manage people anymore whom it has deleted. When it creates one with the same address, the
// account is activated again.
func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fails("removing", w.Remove(t.Context(), w.acme.ID, w.ann.ID), nil)
	_, err := w.Person(t.Context(), w.acme.ID, w.ann.ID)
	w.fails("whom it has removed", err, provision.ErrNoPerson)
	w.fails("removing again", w.Remove(t.Context(), w.acme.ID, w.ann.ID), provision.ErrNoPerson)
	active := func() (active bool) {
		w.write(w.acme, func(tx *store.Tx) error {
			u, err := user.ByID(t.Context(), tx, w.ann.ID)
			active = u.Active
			return err
		})
		return active
	}
	if active() {
		t.Error("the account is active")
	}
	back, err := w.Create(t.Context(), w.acme.ID, provision.Details{UserName: "ann2", ExternalID: new("7"), Email: "ANN@corp.example", FullName: "Ann Two", Active: true})
	if err != nil || back.ID != w.ann.ID || back.FullName != "Ann Two" || back.UserName != "ann2" || *back.ExternalID != "7" || !active() {
		t.Errorf("%+v, %v", back, err)
	}
}

// A provider can add only people of the organization to a group. Bots in a group remain in it.
func TestGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for what, member := range map[string]id.User{"a bot": w.robot.ID, "a stranger": w.stranger.ID} {
		_, err := w.CreateGroup(t.Context(), w.acme.ID, provision.GroupDetails{Name: "Cranes", Members: []id.User{w.ann.ID, member}})
		w.fails(what, err, provision.ErrMember)
	}
	for what, name := range map[string]string{"no name": " ", "a long one": strings.Repeat("é", 101), "a control character": "a\nb"} {
		_, err := w.CreateGroup(t.Context(), w.acme.ID, provision.GroupDetails{Name: name})
		w.fails(what, err, provision.ErrGroupName)
	}
	made, err := w.CreateGroup(t.Context(), w.acme.ID, provision.GroupDetails{Name: " Cranes ", Members: []id.User{w.ann.ID}})
	if err != nil || made.Name != "Cranes" || !slices.Equal(made.Members, []id.User{w.ann.ID}) {
		t.Fatalf("%+v, %v", made, err)
	}
	_, err = w.CreateGroup(t.Context(), w.acme.ID, provision.GroupDetails{Name: "Cranes"})
	w.fails("a name that is taken", err, provision.ErrGroupTaken)
	members := func() (members []id.User) {
		w.write(w.acme, func(tx *store.Tx) error {
			rows, err := tx.UserGroups(t.Context())
			members = rows[0].Members
			return err
		})
		return members
	}
	owner := actor.New(w.acme.ID, actor.Actor{User: w.owner.ID, Role: actor.Owner})
	if err := w.UserGroups.ChangeMembers(t.Context(), owner, made.ID, []id.User{w.robot.ID}, nil); err != nil {
		t.Fatal(err)
	}
	changed, err := w.ChangeGroup(t.Context(), w.acme.ID, made.ID, func(current provision.GroupDetails) (provision.GroupDetails, error) {
		if !slices.Equal(current.Members, []id.User{w.ann.ID}) {
			t.Errorf("it sees %v", current.Members)
		}
		current.Members = []id.User{w.owner.ID}
		return current, nil
	})
	if err != nil || !slices.Equal(changed.Members, []id.User{w.owner.ID}) {
		t.Errorf("%+v, %v", changed, err)
	}
	if got := members(); len(got) != 2 || !slices.Contains(got, w.owner.ID) || !slices.Contains(got, w.robot.ID) {
		t.Errorf("members %v", got)
	}
	w.fails("another organization's", w.RemoveGroup(t.Context(), w.other.ID, made.ID), provision.ErrNoGroup)
	w.fails("removing", w.RemoveGroup(t.Context(), w.acme.ID, made.ID), nil)
	_, err = w.Group(t.Context(), w.acme.ID, made.ID)
	w.fails("what was removed", err, provision.ErrNoGroup)
}

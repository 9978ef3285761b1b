package isolation_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// rights is a world with an account of each kind. Mia and her bots are the only ones that are in anything private.
type rights struct {
	*servicetest.World
	t       *testing.T
	db      *storetest.Session
	callers []*caller
	mia     *caller
	bob     *caller
	number  int
	hall    int64
	den     int64
	picture string
}

type caller struct {
	servicetest.Account
	name string
}

// act is a call of an endpoint that writes, about a kind of object.
type act struct {
	route string
	on    string // what it is about
	// own says that the call is about the caller's own object, or needs one of its own for another reason.
	own bool
	// once says that the caller is worthless afterwards.
	once bool
	// file says that the call sends a picture.
	file bool
	call calling
}

func newRights(t *testing.T) *rights {
	t.Helper()
	w := &rights{World: servicetest.New(t), t: t, picture: servicetest.PNG(t, 8, 8, color.White)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	add := func(name string, a servicetest.Account) *caller {
		c := &caller{a, name}
		w.callers = append(w.callers, c)
		return c
	}
	add("owner", w.Person("Olga", actor.Owner))
	add("admin", w.Person("Ann", actor.Administrator))
	w.mia = add("mia", w.Person("Mia", actor.Member))
	w.bob = add("bob", w.Person("Bob", actor.Member))
	add("guest", w.Person("Gil", actor.Guest))
	add("bot", w.Bot("Robot", actor.GenericBot, w.mia.Account))
	add("outgoing", w.Bot("Outgoing", actor.OutgoingWebhook, w.mia.Account))
	add("admin-bot", w.Account(w.Org, user.Draft{FullName: "Mighty", Role: actor.Administrator, Bot: actor.GenericBot, Owner: w.bob.ID}))
	add("hook", w.Bot("Hook", actor.IncomingWebhook, w.mia.Account))
	w.hall = w.mia.NewStream("hall", params{"principals": lists(w.mia, w.callers[4])})
	w.den = w.mia.NewStream("den", params{"invite_only": true, "history_public_to_subscribers": true})
	return w
}

func lists(of ...*caller) []int64 {
	ids := []int64{}
	for _, c := range of {
		ids = append(ids, int64(c.ID))
	}
	return ids
}

// fresh returns a name that nothing has.
func (w *rights) fresh() string {
	w.number++
	return fmt.Sprintf("n%d", w.number)
}

// like returns a new account of the kind of a caller.
func (w *rights) like(c *caller) *caller {
	draft := user.Draft{FullName: "Like " + w.fresh(), Role: c.Role, Bot: c.Bot, Owner: c.Owner}
	draft.RealEmail = w.fresh() + "@" + servicetest.Host
	return &caller{w.Account(w.Org, draft), c.name}
}

// do makes a call, and returns the refusal, or "done".
func (w *rights) do(c *caller, a act, object string, p params) string {
	w.t.Helper()
	method, path, _ := strings.Cut(a.route, " ")
	path = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), object)
	var answer servicetest.Answer
	if a.file {
		fields := map[string]string{}
		for name, value := range p {
			fields[name] = fmt.Sprint(value)
		}
		body, kind := servicetest.Form(w.t, fields, "picture.png", w.picture)
		answer = c.Body(method, path, kind, body)
	} else {
		answer = c.Do(method, path, p)
	}
	if answer.Status == http.StatusOK {
		return "done"
	}
	reply := struct{ Msg string }{}
	answer.Decode(&reply)
	if answer.Status >= http.StatusInternalServerError {
		w.t.Errorf("%s as %s: %d %s", a.route, c.name, answer.Status, answer.Body)
	}
	return regexp.MustCompile(`\bn?[0-9]+\b`).ReplaceAllString(reply.Msg, "N")
}

// report writes the outcomes of a call, and the callers who had them.
func (a act) report(to *strings.Builder, by map[string][]string) {
	fmt.Fprintf(to, "%s: %s\n", strings.Replace(a.route, "/api/v1", "", 1), a.on)
	for _, outcome := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(to, "\t%s: %s\n", outcome, strings.Join(by[outcome], ", "))
	}
}

// cached matches effects on what authentication caches: accounts and organizations with another changed_at.
var cached = regexp.MustCompile(`(^|; )(users|organizations)[^;:]*: [^;]*\bchanged_at\b`)

// Who may call each endpoint that writes, about which objects: testdata/rights.txt has the answers, and testdata/effects.txt the rows
// that each successful call changes. Their changes are changes of who may do what, to be compared with docs/ before they are
// committed. A call that is refused changes nothing, and parameters of other endpoints have no effect.
func TestWhoMayWrite(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, report, written, had, changesCallers := newRights(t), strings.Builder{}, strings.Builder{}, map[string]bool{}, map[string]bool{}
	w.db.Exec(watching)
	others := w.others()
	for _, a := range acts() {
		had[a.route] = true
		object, p, used := "", params(nil), true
		by, wrote := map[string][]string{}, map[string][]string{}
		for _, c := range w.callers {
			if a.once {
				c = w.like(c)
			}
			if used || a.own || a.once {
				object, p = a.call(w, c)
			}
			w.db.Exec("delete from row_changes")
			answer := w.do(c, a, object, others(a.route, p))
			effects := w.effects(c)
			used = answer == "done"
			if used {
				wrote[effects] = append(wrote[effects], c.name)
				changesCallers[a.route] = changesCallers[a.route] || cached.MatchString(effects)
			} else if effects != nothing {
				t.Errorf("%s as %s was refused (%s) and changed %s", a.route, c.name, answer, effects)
			}
			if c.name != "hook" || answer != permit.ErrHook.Msg {
				by[answer] = append(by[answer], c.name)
			}
			if a.route == deactivate && used {
				w.db.Exec("update organizations set deactivated = false")
			}
		}
		a.report(&report, by)
		if len(wrote) > 0 {
			a.report(&written, wrote)
		}
	}
	testbed.Golden(t, "rights.txt", []byte(report.String()))
	testbed.Golden(t, "effects.txt", []byte(written.String()))
	for _, e := range w.Endpoints {
		if e.Method() != http.MethodGet && e.Kind() != endpoint.KindHook && e.Kind() != endpoint.KindPublic && !had[e.Route()] {
			t.Errorf("%s isn't called: add it to acts", e.Route())
		}
		if changesCallers[e.Route()] && !e.About().ChangesCallers {
			t.Errorf("%s changes callers: say so in its declaration", e.Route())
		}
	}
}

// Nobody without valid credentials of the organization calls an endpoint that writes, and no page of another host does with its
// visitor's session.
func TestStrangersWriteNothing(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	w.WatchAccounts()
	gone := w.Person("Gil", actor.Member)
	left := w.Bot("Left", actor.GenericBot, gone)
	hook := w.Bot("Hook", actor.IncomingWebhook, gone)
	member := w.Person("Mia", actor.Member)
	w.own.Do(http.MethodDelete, "/users/"+gone.ID.String(), nil).OK()
	w.Forget(gone, left, hook)
	link := storetest.Values[string](w.db, "insert into invitations (org_id, inviter_id, link, role, streams) values ($1, $2, $3, 100, '{}') returning link",
		w.Org.ID, w.own.ID, strings.Repeat("l", 32))[0]
	token := strings.Repeat("t", 32)
	w.db.Exec("insert into scim_tokens (org_id, token_hash) values ($1, sha256($2::bytea))", w.Org.ID, token)
	basic := func(a servicetest.Account, key string) func(r *http.Request) {
		return func(r *http.Request) {
			r.SetBasicAuth(a.RealEmail, key)
			r.Form.Set("api_key", key)
		}
	}
	session := func(headers ...string) func(r *http.Request) {
		return func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "__Host-session", Value: member.Key})
			r.Header.Set(headers[0], headers[1])
		}
	}
	strangers := map[string]func(r *http.Request){
		"nobody": func(*http.Request) {}, "a deactivated person": basic(gone, gone.Key), "their bot": basic(left, left.Key), "their webhook": basic(hook, hook.Key),
		"another organization's owner": basic(w.victim, w.victim.Key), "an address with another's key": basic(w.own, member.Key),
		"an invitation's link": basic(w.own, link), "an identity provider's token": basic(w.own, token),
		"the token as a bearer's": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
		"another website":         session("Sec-Fetch-Site", "cross-site"), "another organization's page": session("Sec-Fetch-Site", "same-site"),
		"an older browser": session("Origin", "https://"+secret+"."+servicetest.Host), "a local file": session("Origin", "null"),
	}
	ofKeys := regexp.MustCompile("HTTP basic authentication|'api_key'|Account is (deactivated|not associated)") // refusals of credentials with 400
	for _, e := range w.Endpoints {
		if e.Method() == http.MethodGet || e.Kind() == endpoint.KindPublic {
			continue
		}
		for who, with := range strangers {
			if e.ByKey() && who == "an address with another's key" {
				continue // the address isn't sent
			}
			path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(e.Path(), "1")
			r := httptest.NewRequestWithContext(t.Context(), e.Method(), "/", http.NoBody)
			r.URL.Path, r.Host, r.Form = path, servicetest.Host, map[string][]string{}
			with(r)
			if e.ByKey() {
				r.URL.RawQuery = r.Form.Encode()
			}
			r.RequestURI, r.Form = r.URL.RequestURI(), nil
			recorder := httptest.NewRecorder()
			w.Handler.ServeHTTP(recorder, r)
			reply := struct {
				Result string `json:"result"`
				Msg    string `json:"msg"`
			}{}
			if err := json.Unmarshal(recorder.Body.Bytes(), &reply); err != nil {
				t.Fatal(err)
			}
			refused := recorder.Code == http.StatusUnauthorized || recorder.Code == http.StatusForbidden ||
				recorder.Code == http.StatusBadRequest && ofKeys.MatchString(reply.Msg)
			if !refused || reply.Result != "error" {
				t.Errorf("%s as %s: %d %s", e.Route(), who, recorder.Code, recorder.Body)
			}
		}
	}
}

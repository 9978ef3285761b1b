package signin_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/signin"
	"chatserver.dev/services/servicetest"
)

// localRun is a world whose server allows signing in to any account.
type localRun struct {
	*servicetest.World
	sql    *storetest.Session
	router *endpoint.Router
}

func newLocalRun(t *testing.T) localRun {
	t.Helper()
	w := servicetest.New(t)
	config := w.Orgs.Config()
	config.Methods = []org.Method{{Name: org.Development}}
	logins := login.New(login.Deps{DB: w.DB, Orgs: org.New(w.DB, config, time.Now), Now: time.Now, Logger: w.Logger})
	router := endpoint.NewRouter(endpoint.Config{Logger: w.Logger, Now: time.Now, Failed: servicetest.Declared(t)},
		[]endpoint.Endpoint{signin.FetchKeyUnchecked(logins), signin.Candidates(logins)})
	return localRun{w, storetest.Connect(t, w.DatabaseURL), router}
}

func (l localRun) do(method, path, host string, query url.Values) (status int, reply map[string]any) {
	l.T.Helper()
	r := httptest.NewRequestWithContext(l.T.Context(), method, "/api/v1"+path+"?"+query.Encode(), nil)
	r.Host = host
	w := httptest.NewRecorder()
	l.router.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		l.T.Fatal(err)
	}
	return w.Code, reply
}

func (l localRun) fetch(host, username string) (status int, reply map[string]any) {
	l.T.Helper()
	return l.do(http.MethodPost, "/dev_fetch_api_key", host, url.Values{"username": {username}})
}

func TestFetchKeyUnchecked(t *testing.T) {
	t.Parallel()
	l := newLocalRun(t)
	ann := l.Person("Ann", actor.Member)
	robot := l.Bot("Robot", actor.GenericBot, ann)
	rival := l.NewOrg("rival")
	stranger := l.Account(rival, user.Draft{FullName: "Sly", RealEmail: "sly@rival.example", Role: actor.Member})

	status, reply := l.fetch(servicetest.Host, " "+strings.ToUpper(ann.RealEmail))
	key, _ := reply["api_key"].(string)
	if status != 200 || reply["email"] != ann.RealEmail || key == "" || key == ann.Key {
		t.Fatalf("%d %v", status, reply)
	}
	ann.Key = key
	ann.Do(http.MethodGet, "/users/me", nil).OK()

	refused := func(host, username string, want int, msg string, reason any) {
		t.Helper()
		if status, reply := l.fetch(host, username); status != want || reply["msg"] != msg || reply["reason"] != reason {
			t.Errorf("%s at %s: %d %v, want %d %q", username, host, status, reply, want, msg)
		}
	}
	refused(servicetest.Host, "Ann", 400, "Enter a valid email address.", nil)
	refused("nobody."+servicetest.Host, ann.RealEmail, 400, "Invalid subdomain", nil)
	refused("evil.test", ann.RealEmail, 400, "Invalid subdomain", nil) // a website whose domain resolves to this server
	refused(servicetest.Host, "nobody@chat.example", 403, "This user is not registered.", "unregistered")
	refused(servicetest.Host, robot.RealEmail, 403, "This user is not registered.", "unregistered")
	refused(servicetest.Host, "notification-bot@chat.example", 403, "This user is not registered.", "unregistered")
	refused(servicetest.Host, stranger.RealEmail, 403, "This user is not registered.", "unregistered")
	l.sql.Exec(`update users set active = false where user_id = $1`, ann.ID)
	refused(servicetest.Host, ann.RealEmail, 403, "Your account has been disabled.", "user disable")
	l.sql.Exec(`update organizations set deactivated = true`)
	refused(servicetest.Host, ann.RealEmail, 403, "This organization has been deactivated.", "realm deactivated")
	l.sql.Exec(`update organizations set settings = '{"authentication_methods": {"Email": true}}'`)
	refused(servicetest.Host, ann.RealEmail, 400, "DevAuthBackend not enabled.", nil)
}

// Only local runs have the endpoint.
func TestNotInProduction(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Do(http.MethodPost, "/dev_fetch_api_key", params{"username": ann.RealEmail}).Fails(404, "NOT_FOUND", "Not Found")
	ann.Do(http.MethodGet, "/dev_list_users", nil).Fails(404, "NOT_FOUND", "Not Found")
	logins := login.New(login.Deps{DB: w.DB, Orgs: w.Orgs, Now: time.Now, Logger: w.Logger})
	if _, err := logins.IssueUnchecked(t.Context(), login.Attempt{Host: servicetest.Host, Email: ann.RealEmail}); !errors.Is(err, login.ErrNoDevelopment) {
		t.Errorf("by the service itself: %v", err)
	}
}

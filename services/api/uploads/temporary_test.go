package uploads_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/keyring"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// temporary returns an address that needs no login.
func temporary(a servicetest.Account, uri string) string {
	reply := struct{ URL string }{}
	a.Do(http.MethodGet, uri, nil).OK().Decode(&reply)
	return reply.URL
}

func TestTemporary(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	nobody := ann
	nobody.RealEmail = ""
	uri, other := ann.Upload("plan.png", png), ann.Upload("other.png", "x")
	url := temporary(ann, uri)
	if a := nobody.Page(url, nil); a.Code != http.StatusOK || a.Body.String() != png || a.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	bob.Do(http.MethodGet, uri, nil).Fails(403, "", "You are not authorized to view this file.")
	for _, path := range []string{
		uri + "x", strings.Replace(uri, "/plan.png", "/", 1), "/user_uploads/1/a", "/user_uploads/1/a/b/c", "/user_uploads/1/a/b/c/d", strings.Replace(uri, "/user_uploads/", "/user_uploads/9", 1),
	} {
		ann.Do(http.MethodGet, path, nil).Fails(404, "NOT_FOUND", "File not found.")
	}
	refused := func(what, path, msg string) {
		t.Helper()
		if a := nobody.Page(path, nil); a.Code != http.StatusBadRequest || !strings.Contains(a.Body.String(), `"msg":"`+msg+`"}`) {
			t.Errorf("%s: %d %s", what, a.Code, a.Body)
		}
	}
	refused("another name", strings.Replace(url, "plan.png", "plan.html", 1), "Invalid filename")
	segments := strings.Split(url, "/")
	token := segments[3]
	content, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	encoded := base64.RawURLEncoding.EncodeToString
	for what, twisted := range map[string]string{
		"no token": "x", "an empty one": "-", "a few bytes": "AAAA",
		"a longer one": encoded(append(content, 0)), "a shorter one": encoded(content[:len(content)-1]), "another file's": temporary(ann, other)[len("/user_uploads/temporary/"):][:11] + token[11:],
		"another time": token[:18] + "zz" + token[20:], "another reader": token[:28] + "zz" + token[30:], "another signature": token[:40] + "zz" + token[42:],
	} {
		refused(what, "/user_uploads/temporary/"+twisted+"/plan.png", "Invalid token")
	}
	rival := nobody
	rival.Org = w.NewOrg("rival")
	if a := rival.Page(url, nil); a.Code != http.StatusBadRequest {
		t.Errorf("at another organization's host: %d %s", a.Code, a.Body)
	}
	ann.Do(http.MethodDelete, fmt.Sprintf("/attachments/%d", files(ann)[0].ID), nil).OK()
	refused("a file that is gone", url, "Invalid token")
}

// An address ends with the account that got it, and with the organization.
func TestTemporaryOfDeactivated(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Member)
	uri := ann.Upload("plan.png", png)
	url, own := temporary(ann, uri), temporary(olga, olga.Upload("own.png", png))
	nobody := ann
	nobody.RealEmail = ""
	status := func(url string) int { return nobody.Page(url, nil).Code }
	if one, other := status(url), status(own); one != http.StatusOK || other != http.StatusOK {
		t.Fatalf("before: %d, %d", one, other)
	}
	olga.Do(http.MethodDelete, fmt.Sprintf("/users/%d", ann.ID), nil).OK()
	if one, other := status(url), status(own); one != http.StatusBadRequest || other != http.StatusOK {
		t.Errorf("of a deactivated account %d, of another %d", one, other)
	}
	olga.Do(http.MethodPost, "/realm/deactivate", nil).OK()
	if got := status(own); got != http.StatusBadRequest {
		t.Errorf("of a deactivated organization: %d", got)
	}
}

// An address ends when the account that got it may not read the file anymore.
func TestTemporaryOfEdited(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	uri := ann.Upload("plan.png", png)
	ann.NewStream("den", servicetest.Params{"invite_only": true, "principals": servicetest.IDs(ann, bob)})
	message := ann.SendStream("den", "plans", "[plan]("+uri+")")
	url := temporary(bob, uri)
	nobody := bob
	nobody.RealEmail = ""
	if a := nobody.Page(url, nil); a.Code != http.StatusOK {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	ann.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), servicetest.Params{"content": "not yet"}).OK()
	if a := nobody.Page(url, nil); a.Code != http.StatusBadRequest || !strings.Contains(a.Body.String(), `"msg":"Invalid token"`) {
		t.Errorf("without the message: %d %s", a.Code, a.Body)
	}
}

// A guest's address ends with their subscription, if that is why they may read the file.
func TestTemporaryOfGuest(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, gus := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest)
	uri := ann.Upload("plan.png", png)
	ann.Subscribe("hall")
	ann.SendStream("hall", "plans", "[plan]("+uri+")")
	ann.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": `[{"name":"hall"}]`, "principals": servicetest.IDs(gus)}).OK()
	url := temporary(gus, uri)
	nobody := gus
	nobody.RealEmail = ""
	if a := nobody.Page(url, nil); a.Code != http.StatusOK {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	gus.Do(http.MethodDelete, "/users/me/subscriptions", servicetest.Params{"subscriptions": `["hall"]`}).OK()
	if a := nobody.Page(url, nil); a.Code != http.StatusBadRequest || !strings.Contains(a.Body.String(), `"msg":"Invalid token"`) {
		t.Errorf("without the subscription: %d %s", a.Code, a.Body)
	}
}

// An address is valid for a minute, and only with the newest key.
func TestTemporaryEnds(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	url := temporary(ann, ann.Upload("plan.png", png))
	segments := strings.Split(url, "/")
	keys, err := keyring.New(t.Context(), w.DB.ImageKeys, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]error{55 * time.Second: nil, 62 * time.Second: attachment.ErrToken} {
		later := attachment.New(attachment.Deps{DB: w.DB, Orgs: w.Orgs, Files: w.Files, Keys: keys, Now: func() time.Time { return time.Now().Add(after) }})
		if _, err := later.FindTemporary(t.Context(), servicetest.Host, segments[3], segments[4]); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("after %v: %v, want %v", after, err, want)
		}
	}
	storetest.Connect(t, w.DatabaseURL).Exec("insert into image_keys default values")
	if keys, err = keyring.New(t.Context(), w.DB.ImageKeys, time.Now); err != nil {
		t.Fatal(err)
	}
	after := attachment.New(attachment.Deps{DB: w.DB, Orgs: w.Orgs, Files: w.Files, Keys: keys, Now: time.Now})
	if _, err := after.FindTemporary(t.Context(), servicetest.Host, segments[3], segments[4]); !errors.Is(err, attachment.ErrToken) {
		t.Errorf("with an older key: %v", err)
	}
}

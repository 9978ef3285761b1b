package admin_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/pkg/storetest"
)

// An object that is managed under a key can be adopted only by a call that names the key, which is free then.
func TestAdoptFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	stream := adminapi.StreamSpec{Name: new("alerts"), Description: new("Alerts")}
	alerts := must(w.Streams(key).Put(t.Context(), "a/old", stream))(t).State
	adopting := adminapi.StreamSpec{Name: new("alerts"), Adopt: true}
	fails(w.Streams(key).Put(t.Context(), "b/new", adopting))(t, 400, "ALREADY_KEPT", "The stream 'alerts' is managed under the key 'a/old'.")
	adopting.AdoptFrom = "a/other"
	fails(w.Streams(key).Put(t.Context(), "b/new", adopting))(t, 404, "NOT_FOUND", "There is no stream with the key 'a/other'.")
	adopting = adminapi.StreamSpec{Description: new("All"), AdoptFrom: "a/old"}
	if is := changed(w.Streams(key).Put(t.Context(), "b/new", adopting))(t, "description", "key"); is.ID != alerts.ID || is.Key != "b/new" {
		t.Errorf("it adopted %+v, not %+v", is, alerts)
	}
	changed(w.Streams(key).Put(t.Context(), "b/new", adopting))(t) // again
	fails(w.Streams(key).Get(t.Context(), "a/old"))(t, 404, "NOT_FOUND", "There is no stream with the key 'a/old'.")
	fails(w.Streams(key).Put(t.Context(), "a/old", stream))(t, 400, "ALREADY_KEPT", "The stream 'alerts' is managed under the key 'b/new'.")

	bot := adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy bot")}
	made := must(w.Bots(key).Put(t.Context(), "old", bot))(t)
	fails(w.Bots(key).Put(t.Context(), "new", adminapi.BotSpec{ShortName: new("x"), AdoptFrom: "old"}))(t, 400, "BAD_REQUEST", "The short_name can't be changed.")
	if is := changed(w.Bots(key).Put(t.Context(), "new", adminapi.BotSpec{AdoptFrom: "old"}))(t, "key"); is.ID != made.State.ID || !w.works(made.Secret.APIKey) {
		t.Errorf("it adopted %+v, not %+v", is, made.State)
	}
	hook := adminapi.WebhookSpec{ShortName: new("hook"), FullName: new("A hook"), Integration: new("helloworld"), Topic: new("tides")}
	must(w.Webhooks(key).Put(t.Context(), "old", hook))(t)
	if is := changed(w.Webhooks(key).Put(t.Context(), "new", adminapi.WebhookSpec{AdoptFrom: "old"}))(t, "key"); is.Topic != "tides" {
		t.Errorf("it is %+v", is)
	}
	hook.ShortName, hook.FullName, hook.Adopt = bot.ShortName, new("Another hook"), true
	fails(w.Webhooks(key).Put(t.Context(), "other", hook))(t, 400, "BAD_REQUEST", "The account with the address 'deploy-bot@chat.example' isn't a webhook.")

	// The person leaves the groups that the account was in because of its former key.
	w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{UserGroups: []adminapi.UserGroupSpec{{Name: "crew"}}})
	must(w.Users(key).Put(t.Context(), "old", adminapi.UserSpec{Email: new("bob@corp.example"), Groups: []string{"crew"}}))(t)
	person := adminapi.UserSpec{AdoptFrom: "old", Groups: []string{}}
	if is := changed(w.Users(key).Put(t.Context(), "new", person))(t, "key", "groups"); is.Email != "bob@corp.example" || len(is.Groups) != 0 {
		t.Errorf("it is %+v", is)
	}
}

// The key of an organization is replaced alone: what is in it keeps its keys.
func TestAdoptOrganizationFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	must(w.Streams(key).Put(t.Context(), "old", adminapi.StreamSpec{Name: new("alerts")}))(t)
	fails(w.PutOrganization(t.Context(), "other/eng", adminapi.OrganizationSpec{Subdomain: new("eng"), Name: new("x"), Adopt: true}))(
		t, 400, "ALREADY_KEPT", "The organization 'eng' is managed under the key '"+key+"'.")
	fails(w.PutOrganization(t.Context(), "other/eng", adminapi.OrganizationSpec{Subdomain: new("eng"), AdoptFrom: "x"}))(
		t, 404, "NOT_FOUND", "There is no organization with the key 'x'.")
	fails(w.PutOrganization(t.Context(), "other/eng", adminapi.OrganizationSpec{Subdomain: new("x"), AdoptFrom: key}))(
		t, 400, "BAD_REQUEST", "The subdomain can't be changed.")
	if is := must(w.Organization(t.Context(), key))(t); is.Key != key { // the refused call has changed nothing
		t.Errorf("it is %+v", is)
	}
	changed(w.PutOrganization(t.Context(), "other/eng", adminapi.OrganizationSpec{AdoptFrom: key}))(t, "key")
	changed(w.PutOrganization(t.Context(), "other/eng", adminapi.OrganizationSpec{AdoptFrom: key}))(t)
	fails(w.Organization(t.Context(), key))(t, 404, "NOT_FOUND", "There is no organization with the key '"+key+"'.")
	changed(w.Streams("other/eng").Put(t.Context(), "old", adminapi.StreamSpec{Name: new("alerts")}))(t)
}

// Of several calls that adopt an object at once, one gets it; those under its former key, and deletions of that, don't disturb it.
func TestAdoptionsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	const rounds = 10
	for round := range rounds {
		short := fmt.Sprintf("bot-%d", round)
		old := fmt.Sprintf("old-%d", round)
		spec := adminapi.BotSpec{ShortName: &short, FullName: new("Bot " + short)}
		made := must(w.Bots(key).Put(t.Context(), old, spec))(t).State
		errs, all := make([]error, 4), sync.WaitGroup{}
		for i := range 3 {
			all.Go(func() {
				_, errs[i] = w.Bots(key).Put(t.Context(), fmt.Sprintf("new-%d-%d", round, i), adminapi.BotSpec{AdoptFrom: old})
			})
		}
		all.Go(func() {
			// It is adopted before, after, or before the call reads it once more.
			if _, errs[3] = w.Bots(key).Put(t.Context(), old, spec); isKept(errs[3]) || adminclient.IsNotFound(errs[3]) {
				errs[3] = nil
			}
		})
		all.Wait()
		adopted := 0
		for _, err := range errs[:3] {
			switch {
			case err == nil:
				adopted++
			case !adminclient.IsNotFound(err):
				t.Errorf("round %d: %v", round, err)
			}
		}
		keys := storetest.Values[string](w.sql(), "select external_key from external_keys where object_id = $1", made.ID)
		if adopted != 1 || len(keys) != 1 || keys[0] == old || errs[3] != nil {
			t.Errorf("round %d: %d calls adopted it, its keys are %v; under the former key: %v", round, adopted, keys, errs[3])
		}
	}
	// Organizations, too.
	errs, all := make([]error, 4), sync.WaitGroup{}
	for i := range errs {
		all.Go(func() {
			_, errs[i] = w.PutOrganization(t.Context(), fmt.Sprintf("new-%d", i), adminapi.OrganizationSpec{AdoptFrom: key})
		})
	}
	all.Wait()
	adopted := 0
	for _, err := range errs {
		switch {
		case err == nil:
			adopted++
		case !adminclient.IsNotFound(err):
			t.Error(err)
		}
	}
	if adopted != 1 {
		t.Errorf("%d calls adopted it", adopted)
	}
}

func isKept(err error) bool {
	refused, ok := errors.AsType[*adminclient.Error](err)
	return ok && refused.Code == adminapi.CodeKept
}

// An organization isn't deleted under a key that it doesn't have any more when its deletion would begin.
func TestDeleteWhatIsAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	adopts, deleted := w.sql(), make(chan adminapi.Deletion, 1)
	adopts.Exec("begin")
	adopts.Exec("update organizations set external_key = 'other/eng' where subdomain = 'eng'")
	go func() {
		deletion, err := w.DeleteOrganization(t.Context(), key)
		if err != nil {
			t.Error(err)
		}
		deleted <- deletion
	}()
	w.awaitLock()
	adopts.Exec("commit")
	if deletion := <-deleted; !deletion.Done || deletion.Rows != 0 {
		t.Errorf("it is %+v", deletion)
	}
	if is := must(w.Organization(t.Context(), "other/eng"))(t); is.Deleting || is.Suspended {
		t.Errorf("it is %+v", is)
	}
}

// A stream or an account isn't deleted under a key that it doesn't have any more when its deletion would begin.
func TestRemoveWhatIsAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	alerts := must(w.Streams(key).Put(t.Context(), "old", adminapi.StreamSpec{Name: new("alerts")}))(t).State
	bob := must(w.Users(key).Put(t.Context(), "old", adminapi.UserSpec{Email: new("bob@corp.example")}))(t).State
	org := int64(w.org().ID)
	for _, c := range []struct {
		kind   string
		locks  func(*storetest.Session)
		remove func() (adminapi.Removal, error)
	}{
		{"stream", func(s *storetest.Session) { s.Exec("select pg_advisory_xact_lock($1)", alerts.ID) }, func() (adminapi.Removal, error) {
			return w.Streams(key).Delete(t.Context(), "old")
		}},
		{"user", func(s *storetest.Session) { s.Exec("select pg_advisory_xact_lock(5, hashint8($1))", org) }, func() (adminapi.Removal, error) {
			return w.Users(key).Delete(t.Context(), "old")
		}},
	} {
		adopts, removed := w.sql(), make(chan adminapi.Removal, 1)
		adopts.Exec("begin")
		adopts.Exec("select pg_advisory_xact_lock(3, hashint8($1))", org)
		c.locks(adopts)
		adopts.Exec("update external_keys set external_key = 'new' where org_id = $1 and kind = $2 and external_key = 'old'", org, c.kind)
		go func() {
			removal, err := c.remove()
			if err != nil {
				t.Error(err)
			}
			removed <- removal
		}()
		w.awaitLock()
		adopts.Exec("commit")
		if removal := <-removed; removal.Removed {
			t.Errorf("the %s is removed", c.kind)
		}
	}
	if is := must(w.Streams(key).Get(t.Context(), "new"))(t); !is.Active || is.ID != alerts.ID {
		t.Errorf("the stream is %+v", is)
	}
	if is := must(w.Users(key).Get(t.Context(), "new"))(t); !is.Active || is.ID != bob.ID {
		t.Errorf("the account is %+v", is)
	}
}

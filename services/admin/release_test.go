package admin_test

import (
	"testing"

	"chatserver.dev/pkg/adminapi"
)

// What was released is managed again under its key as if nothing had happened. Another key needs adopt, and then has it alone.
func TestReleasedObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	stream := adminapi.StreamSpec{Name: new("alerts")}
	was := must(w.Streams(key).Put(t.Context(), "old", stream))(t).State
	must(w.Streams(key).Release(t.Context(), "old"))(t)
	changed(w.Streams(key).Put(t.Context(), "old", stream))(t)
	adopting := adminapi.StreamSpec{Name: new("alerts"), Adopt: true}
	fails(w.Streams(key).Put(t.Context(), "other", adopting))(t, 400, "ALREADY_KEPT", "The stream 'alerts' is managed under the key 'old'.")
	must(w.Streams(key).Release(t.Context(), "old"))(t)
	fails(w.Streams(key).Put(t.Context(), "other", stream))(t, 400, "ALREADY_EXISTS", "The stream 'alerts' already exists; set adopt to take it over.")
	if is := changed(w.Streams(key).Put(t.Context(), "other", adopting))(t); is.ID != was.ID {
		t.Errorf("it adopted %+v, not %+v", is, was)
	}
	fails(w.Streams(key).Put(t.Context(), "old", adopting))(t, 400, "ALREADY_KEPT", "The stream 'alerts' is managed under the key 'other'.")
	fails(w.Streams(key).Release(t.Context(), "old"))(t, 404, "NOT_FOUND", "There is no stream with the key 'old'.")

	bot := adminapi.BotSpec{ShortName: new("deploy"), FullName: new("Deploy bot")}
	made := must(w.Bots(key).Put(t.Context(), "old", bot))(t)
	must(w.Bots(key).Release(t.Context(), "old"))(t)
	bot.Adopt = true
	if is := changed(w.Bots(key).Put(t.Context(), "other", bot))(t); is.ID != made.State.ID || !w.works(made.Secret.APIKey) {
		t.Errorf("it adopted %+v, not %+v", is, made.State)
	}
	person := adminapi.UserSpec{Email: new("ada@corp.example"), Adopt: true}
	must(w.Users(key).Put(t.Context(), "old", person))(t)
	must(w.Users(key).Release(t.Context(), "old"))(t)
	changed(w.Users(key).Put(t.Context(), "other", person))(t)
}

// Whoever adopts a released organization may also adopt what is in it: all keys there were released with its own.
func TestReleasedOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	stream := adminapi.StreamSpec{Name: new("alerts"), Adopt: true}
	must(w.Streams(key).Put(t.Context(), "old", stream))(t)
	spec := adminapi.OrganizationSpec{Subdomain: new("eng"), Name: new("Engineering"), Adopt: true}
	must(w.ReleaseOrganization(t.Context(), key))(t)
	changed(w.PutOrganization(t.Context(), key, spec))(t)
	fails(w.PutOrganization(t.Context(), "other", spec))(t, 400, "ALREADY_KEPT", "The organization 'eng' is managed under the key '"+key+"'.")
	must(w.ReleaseOrganization(t.Context(), key))(t)
	changed(w.PutOrganization(t.Context(), "other", spec))(t, "key")
	fails(w.ReleaseOrganization(t.Context(), key))(t, 404, "NOT_FOUND", "There is no organization with the key '"+key+"'.")
	changed(w.Streams("other").Put(t.Context(), "new", stream))(t)
}

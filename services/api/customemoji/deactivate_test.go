package customemoji_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestDeactivate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, olga := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Olga", actor.Owner)
	stranger := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	ann.Subscribe("hall")
	message := ann.SendStream("hall", "x", "hello")
	add(t, ann, "wrench").OK()
	add(t, bob, "saw").OK()
	wrench := list(ann)["wrench"]
	react := func(a servicetest.Account, p servicetest.Params) servicetest.Answer {
		return a.Do(http.MethodPost, "/messages/"+number(message)+"/reactions", p)
	}
	react(ann, servicetest.Params{"emoji_name": "wrench"}).OK()
	queues := map[string]*servicetest.Queue{"bob": bob.Everything(nil)}
	remove(stranger, "wrench").Fails(400, "BAD_REQUEST", "Emoji 'wrench' does not exist")
	remove(bob, "wrench").Fails(400, "BAD_REQUEST", "Must be an organization administrator or emoji author")
	remove(bob, "nothing").Fails(400, "BAD_REQUEST", "Emoji 'nothing' does not exist")
	remove(ann, "wrench").OK()
	remove(ann, "wrench").Fails(400, "BAD_REQUEST", "Emoji 'wrench' does not exist")
	remove(olga, "saw").OK()
	events := w.EventsOf(queues)["bob"]
	wrench["deactivated"] = true
	if len(events) != 2 || events[0]["op"] != "update" {
		t.Fatal(events)
	}
	first, _ := events[0]["realm_emoji"].(object)
	servicetest.Same(t, "the event", any(wrench), first[wrench["id"].(string)])
	servicetest.Same(t, "the list", wrench, list(bob)["wrench"])

	// It can't be used anymore, except in votes for existing reactions. Its image is kept, and its name can be
	// reused.
	custom := func(name string) servicetest.Params {
		return servicetest.Params{"emoji_name": name, "emoji_code": wrench["id"], "reaction_type": "realm_emoji"}
	}
	react(bob, custom("wrench")).OK()
	other := ann.SendStream("hall", "x", "another")
	again := func(p servicetest.Params) servicetest.Answer {
		return ann.Do(http.MethodPost, "/messages/"+number(other)+"/reactions", p)
	}
	again(custom("hammer")).Fails(400, "BAD_REQUEST", "Invalid custom emoji name.")
	again(custom("wrench")).Fails(400, "BAD_REQUEST", "This custom emoji has been deactivated.")
	again(servicetest.Params{"emoji_name": "saw"}).Fails(400, "BAD_REQUEST", "Emoji 'saw' does not exist")
	for _, code := range []string{"0" + wrench["id"].(string), "-1", "x", "99999999999999999999", "987654321"} {
		again(servicetest.Params{"emoji_name": "wrench", "emoji_code": code, "reaction_type": "realm_emoji"}).Fails(400, "BAD_REQUEST", "Invalid custom emoji.")
	}
	nobody := w.Nobody()
	if got := nobody.Page(wrench["source_url"].(string), nil); got.Code != http.StatusOK {
		t.Errorf("its image: %d", got.Code)
	}
	add(t, bob, "wrench").OK()
	if now := list(bob)["wrench"]; now["id"] == wrench["id"] || now["deactivated"] != false {
		t.Errorf("%v", now)
	}
	ann.Do(http.MethodDelete, "/messages/"+number(message)+"/reactions", servicetest.Params{"emoji_name": "wrench"}).Fails(400, "BAD_REQUEST", "Reaction doesn't exist.")
	ann.Do(http.MethodDelete, "/messages/"+number(message)+"/reactions", custom("wrench")).OK()
}

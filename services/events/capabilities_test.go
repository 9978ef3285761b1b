package events_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// A client's capabilities affect its initial state and events of deleted messages, but no other events: subscriptions
// always have null settings, and new accounts their picture (events.md, sections 1.3 and 2.13).
func TestCapabilitiesAndEvents(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	all := map[string]bool{"notification_settings_null": true, "bulk_message_deletion": true, "user_avatar_url_field_optional": true}
	none := map[string]bool{"notification_settings_null": false, "not_known_yet": true}
	queues := map[string]*servicetest.Queue{
		"all":  ann.Everything(servicetest.Params{"client_capabilities": all, "client_hosted_avatar": true, "include_subscribers": true}),
		"none": ann.Everything(servicetest.Params{"client_capabilities": none}),
	}
	ann.Subscribe("boilers")
	bob := w.Person("Bob", actor.Member)
	bob.Subscribe("boilers")
	got := map[string]map[string]any{}
	for name, events := range w.EventsOf(queues) {
		got[name] = map[string]any{}
		for _, e := range events {
			switch {
			case e["type"] == "subscription" && e["op"] == "add":
				list, _ := e["subscriptions"].([]any)
				one, _ := list[0].(map[string]any)
				for _, key := range []string{"desktop_notifications", "audible_notifications", "push_notifications", "email_notifications", "wildcard_mentions_notify"} {
					if value, there := one[key]; !there || value != nil {
						t.Errorf("%s: %s is %v", name, key, value)
					}
				}
				got[name]["subscribers"] = one["subscribers"]
			case e["type"] == "subscription" && e["op"] == "peer_add":
				got[name]["peer"] = e["user_id"]
			case e["type"] == "realm_user" && e["op"] == "add":
				person, _ := e["person"].(map[string]any)
				url, there := person["avatar_url"].(string)
				got[name]["avatar"] = there && url != ""
			}
		}
	}
	want := map[string]any{"subscribers": []any{float64(ann.ID)}, "peer": float64(bob.ID), "avatar": true}
	servicetest.Same(t, "events", map[string]map[string]any{"all": want, "none": want}, got)
}

// If addresses are hidden, a client can't derive the addresses of pictures, so messages have them, too (events.md,
// section 1.2).
func TestHostedAvatarOfMessages(t *testing.T) {
	t.Parallel()
	for visibility, made := range map[int]bool{1: true, 3: false, 4: false} {
		w := servicetest.New(t)
		storetest.Connect(t, w.DatabaseURL).Exec("update organizations set settings = settings || $1::jsonb",
			fmt.Sprintf(`{"third_party_avatars": true, "email_address_visibility": %d}`, visibility))
		ann := w.Person("Ann", actor.Member)
		for _, hosted := range []bool{true, false} {
			queue := messagesOf(ann, servicetest.Params{"client_hosted_avatar": hosted})
			ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []int64{int64(ann.ID)}, "content": "x"}).OK()
			if url := queue.Poll()[0].Message["avatar_url"]; (url == nil) != (made && hosted) {
				t.Errorf("visibility %d, client_hosted_avatar %v: avatar_url %v", visibility, hosted, url)
			}
		}
	}
}

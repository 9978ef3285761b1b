package streams_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// deletion is an event of deleted messages, with an id or a list of ids.
type deletion struct {
	Type       string  `json:"type"`
	MessageID  *int64  `json:"message_id"`
	MessageIDs []int64 `json:"message_ids"`
	Kind       string  `json:"message_type"`
	StreamID   int64   `json:"stream_id"`
	Topic      string  `json:"topic"`
}

// Deleting a topic is one event for clients that support bulk deletion, and one event per message for others
// (events.md, section 3.4).
func TestDeleteTopic(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ada, ann, guest, former := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest), w.Person("Former", actor.Member)
	eve := w.Person("Eve", actor.Member)
	subscribe := func(stream string, more servicetest.Params, accounts ...servicetest.Account) int64 {
		t.Helper()
		request := servicetest.Params{"principals": servicetest.IDs(accounts...)}
		maps.Copy(request, more)
		return accounts[0].NewStream(stream, request)
	}
	hall := subscribe("hall", nil, ann, ada, guest, former)
	messages := func(stream int64, topic string) []int64 {
		return storetest.Values[int64](db, "select message_id from messages where stream_id = $1 and lower(topic) = lower($2) order by 1", stream, topic)
	}
	deleteTopic := func(a servicetest.Account, stream int64, topic string) servicetest.Answer {
		return a.Do(http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", stream), servicetest.Params{"topic_name": topic})
	}
	gone := []int64{ann.SendStream("hall", "Valve", "x"), ann.SendStream("hall", "valve", "@**Guest**"), ann.SendStream("hall", "VALVE", "x")}
	kept := ann.SendStream("hall", "valve 2", "x")
	former.Do(http.MethodDelete, "/users/me/subscriptions", servicetest.Params{"subscriptions": []string{"hall"}}).OK()

	received := func(a servicetest.Account, bulk bool) func() []deletion {
		q := a.Register(servicetest.Params{
			"event_types": []string{"delete_message", "realm_user"}, "fetch_event_types": []string{},
			"client_capabilities": map[string]bool{"notification_settings_null": true, "bulk_message_deletion": bulk},
		})
		return func() []deletion {
			all := []deletion{}
			for {
				reply := struct {
					Events []struct {
						ID int64 `json:"id"`
						deletion
					}
				}{}
				a.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": q.ID, "last_event_id": q.Last}).OK().Decode(&reply)
				for _, e := range reply.Events {
					q.Last = e.ID
					if e.Type == "realm_user" {
						return all // the marker: a new account
					}
					if e.Type == "delete_message" {
						all = append(all, e.deletion)
					}
				}
			}
		}
	}
	clients := map[string]func() []deletion{
		"ada": received(ada, true), "ann": received(ann, true), "slow ann": received(ann, false), "guest": received(guest, true),
		"former": received(former, false), "eve": received(eve, true),
	}
	check := func(what string, want map[string][]deletion) {
		t.Helper()
		w.Person("Marker "+what, actor.Member)
		got := map[string][]deletion{}
		for name, client := range clients {
			if events := client(); len(events) > 0 {
				got[name] = events
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	bulk := deletion{Type: "delete_message", MessageIDs: gone, Kind: "stream", StreamID: hall, Topic: "VALVE"}
	single := []deletion{}
	for _, message := range gone {
		single = append(single, deletion{Type: "delete_message", MessageID: &message, Kind: "stream", StreamID: hall, Topic: "VALVE"})
	}
	deleteTopic(ada, hall, "vaLVE").OK()
	check("a topic", map[string][]deletion{"ada": {bulk}, "ann": {bulk}, "slow ann": single, "guest": {bulk}, "former": single})
	if left := messages(hall, "valve"); len(left) > 0 {
		t.Errorf("messages are left: %v", left)
	}
	if left := messages(hall, "valve 2"); len(left) != 1 || left[0] != kept {
		t.Errorf("of the other topic there is %v", left)
	}
	if rows := storetest.Values[int64](db, "select message_id from message_flags"); len(rows) > 0 {
		t.Errorf("rows of flags are left: %v", rows)
	}
	if archived := storetest.Values[int64](db, "select message_id from deleted_messages where deleted_by = $1 order by 1", ada.ID); !cmp.Equal(gone, archived) {
		t.Errorf("kept are %v", archived)
	}
	deleteTopic(ada, hall, "stream events").OK()
	if first := storetest.Values[int64](db, "select first_message_id from streams where stream_id = $1", hall); first[0] != kept {
		t.Errorf("the first message is %d, not %d", first[0], kept)
	}
	notice := storetest.Values[int64](db, "select min(message_id) from deleted_messages")[0]
	one := deletion{Type: "delete_message", MessageIDs: []int64{notice}, Kind: "stream", StreamID: hall, Topic: "stream events"}
	alone := deletion{Type: "delete_message", MessageID: &notice, Kind: "stream", StreamID: hall, Topic: "stream events"}
	deleteTopic(ada, hall, "nothing").OK()
	check("a topic of one", map[string][]deletion{"ada": {one}, "ann": {one}, "slow ann": {alone}, "guest": {one}, "former": {alone}})

	foreign := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	vault := subscribe("vault", servicetest.Params{"invite_only": true}, ann, guest)
	for _, stream := range []int64{vault, 1 << 40} {
		deleteTopic(ada, stream, "valve").Fails(400, "BAD_REQUEST", "Invalid stream id")
	}
	deleteTopic(foreign, hall, "valve").Fails(400, "BAD_REQUEST", "Invalid stream id")
	for _, a := range []servicetest.Account{ann, guest} {
		deleteTopic(a, hall, "valve 2").Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
	ada.Do(http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", hall), nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'topic_name' argument")

	// If the history isn't public, an administrator deletes the messages that they have received.
	before := ann.SendStream("vault", "valve", "x")
	subscribe("vault", nil, ann, ada)
	after := ann.SendStream("vault", "valve", "x")
	deleteTopic(ada, vault, "valve").OK()
	one = deletion{Type: "delete_message", MessageIDs: []int64{after}, Kind: "stream", StreamID: vault, Topic: "valve"}
	alone = deletion{Type: "delete_message", MessageID: &after, Kind: "stream", StreamID: vault, Topic: "valve"}
	check("what was received", map[string][]deletion{"ada": {one}, "ann": {one}, "slow ann": {alone}, "guest": {one}})
	if left := messages(vault, "valve"); len(left) != 1 || left[0] != before {
		t.Errorf("messages are left: %v", left)
	}
}

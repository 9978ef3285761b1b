package isolation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/events"
	"chatserver.dev/services/servicetest"
)

// deactivate ends the caller's organization.
const deactivate = "POST /api/v1/realm/deactivate"

// names are the identifiers of an organization's objects in requests.
type names struct {
	user, bot, stream, streamName, email, queue, account, message, login, group, field, invitation, link, file, upload, domain, linkifier, streamGroup, emoji, export, scheduled, draft, device string
}

// request is one call, made with names of another organization.
type request struct {
	route  string // the endpoint's
	path   string // below /api/v1
	params params
}

// renewKey is the endpoint that replaces the API key of all calls.
const renewKey = "POST /api/v1/users/me/api_key/regenerate"

// requests returns the calls, at least one for every endpoint.
func requests(n names) []request {
	message := func(kind, to string) request {
		return request{"POST /api/v1/messages", "/messages", params{"type": kind, "to": to, "topic": "t", "content": "@**" + n.account + "** #**" + n.streamName + "**"}}
	}
	fetch := func(narrow string) request {
		return request{"GET /api/v1/messages", "/messages", params{"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow}}
	}
	return []request{
		{"GET /api/v1/server_settings", "/server_settings", nil},
		message("stream", n.stream), message("stream", n.streamName), message("stream", "["+n.stream+"]"),
		message("private", "["+n.user+"]"), message("private", "["+n.bot+"]"), message("private", n.email),
		{"PATCH /api/v1/messages/{message_id}", "/messages/" + n.message, params{"content": "x", "topic": "y"}},
		{"PATCH /api/v1/messages/{message_id}", "/messages/" + n.message, params{"stream_id": n.stream, "propagate_mode": "change_all"}},
		{"DELETE /api/v1/messages/{message_id}", "/messages/" + n.message, nil},
		{"GET /api/v1/messages/{message_id}/history", "/messages/" + n.message + "/history", nil},
		{"POST /api/v1/messages/render", "/messages/render", params{"content": "@**" + n.account + "** #**" + n.streamName + "**"}},
		{"POST /api/v1/messages/{message_id}/reactions", "/messages/" + n.message + "/reactions", params{"emoji_name": "smile"}},
		{"DELETE /api/v1/messages/{message_id}/reactions", "/messages/" + n.message + "/reactions", params{"emoji_name": "smile"}},
		{"POST /api/v1/streams/{stream_id}/delete_topic", "/streams/" + n.stream + "/delete_topic", params{"topic_name": n.streamName + " topic"}},
		{"POST /api/v1/messages/flags", "/messages/flags", params{"messages": "[" + n.message + "]", "op": "add", "flag": "starred"}},
		{"POST /api/v1/messages/flags", "/messages/flags", params{"messages": "[" + n.message + "]", "op": "add", "flag": "read"}},
		{"POST /api/v1/mark_all_as_read", "/mark_all_as_read", nil},
		{"POST /api/v1/mark_stream_as_read", "/mark_stream_as_read", params{"stream_id": n.stream}},
		{"POST /api/v1/mark_topic_as_read", "/mark_topic_as_read", params{"stream_id": n.stream, "topic_name": n.streamName + " topic"}},
		fetch(`[["stream","` + n.streamName + `"]]`), fetch(`[{"operator":"stream","operand":` + n.stream + `}]`), fetch(`[["id","` + n.message + `"]]`),
		fetch(`[["search","` + secret + `"]]`), fetch(`[["streams","public"]]`), fetch(`[["is","mentioned"]]`), fetch(`[["is","unread"]]`), fetch(`[]`),
		fetch(`[["sender","` + n.email + `"]]`), fetch(`[{"operator":"pm-with","operand":[` + n.user + `]}]`), fetch(`[["group-pm-with","` + n.email + `"]]`),
		{"GET /api/v1/messages/matches_narrow", "/messages/matches_narrow", params{"msg_ids": "[" + n.message + "]", "narrow": "[]"}},
		{"GET /api/v1/messages/{message_id}", "/messages/" + n.message, nil},
		{"GET /api/v1/users/me/{stream_id}/topics", "/users/me/" + n.stream + "/topics", nil},
		{"GET /api/v1/streams", "/streams", params{"include_all_active": true, "include_default": true}},
		{"GET /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"include_subscribers": true}},
		{"POST /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"subscriptions": `[{"name":"hall"}]`, "principals": "[" + n.user + "]"}},
		{"POST /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"subscriptions": `[{"name":"hall"}]`, "principals": `["` + n.email + `"]`}},
		{"DELETE /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"subscriptions": `["` + n.streamName + `"]`}},
		{"DELETE /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"subscriptions": `["hall"]`, "principals": "[" + n.user + "]"}},
		{"PATCH /api/v1/users/me/subscriptions/muted_topics", "/users/me/subscriptions/muted_topics", params{"stream_id": n.stream, "topic": "t", "op": "add"}},
		{"PATCH /api/v1/users/me/subscriptions/muted_topics", "/users/me/subscriptions/muted_topics", params{"stream": n.streamName, "topic": "t", "op": "add"}},
		{"PATCH /api/v1/users/me/subscriptions/muted_topics", "/users/me/subscriptions/muted_topics", params{"stream_id": n.stream, "topic": n.streamName, "op": "remove"}},
		{"PATCH /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"add": `[{"name":"hall"}]`, "principals": "[" + n.user + "]"}},
		{"PATCH /api/v1/users/me/subscriptions", "/users/me/subscriptions", params{"delete": `["` + n.streamName + `"]`}},
		{"POST /api/v1/users/me/subscriptions/properties", "/users/me/subscriptions/properties", params{"subscription_data": `[{"stream_id":` + n.stream + `,"property":"is_muted","value":true}]`}},
		{"PATCH /api/v1/users/me/subscriptions/{stream_id}", "/users/me/subscriptions/" + n.stream, params{"property": "is_muted", "value": "true"}},
		{"GET /api/v1/streams/{stream_id}/members", "/streams/" + n.stream + "/members", nil},
		{"GET /api/v1/users/{user_id}/subscriptions/{stream_id}", "/users/" + n.user + "/subscriptions/" + n.stream, nil},
		{"PATCH /api/v1/streams/{stream_id}", "/streams/" + n.stream, params{"description": `"taken"`, "is_private": true}},
		{"DELETE /api/v1/streams/{stream_id}", "/streams/" + n.stream, nil},
		{"POST /api/v1/default_streams", "/default_streams", params{"stream_id": n.stream}},
		{"DELETE /api/v1/default_streams", "/default_streams", params{"stream_id": n.stream}},
		{"GET /api/v1/get_stream_id", "/get_stream_id", params{"stream": n.streamName}},
		{"GET /api/v1/realm/emoji", "/realm/emoji", nil},
		{"POST /api/v1/realm/emoji/{emoji_name}", "/realm/emoji/" + n.emoji, nil},
		{"DELETE /api/v1/realm/emoji/{emoji_name}", "/realm/emoji/" + n.emoji, nil},
		{"GET /api/v1/realm/icon", "/realm/icon", nil},
		{"POST /api/v1/realm/icon", "/realm/icon", nil},
		{"DELETE /api/v1/realm/icon", "/realm/icon", nil},
		{"GET /api/v1/realm/logo", "/realm/logo", params{"night": false}},
		{"POST /api/v1/realm/logo", "/realm/logo", params{"night": false}},
		{"DELETE /api/v1/realm/logo", "/realm/logo", params{"night": true}},
		{"POST /api/v1/users/me/avatar", "/users/me/avatar", nil},
		{"DELETE /api/v1/users/me/avatar", "/users/me/avatar", nil},
		{"POST /api/v1/messages", "/messages", params{"type": "stream", "to": "hall", "topic": "t", "content": "[x](/user_uploads/" + n.file + ")"}},
		{"POST /api/v1/user_uploads", "/user_uploads", params{"mimetype": "image/png"}},
		{"GET /api/v1/user_uploads/{realm_id}/{filename...}", "/user_uploads/" + n.file, nil},
		{"GET /api/v1/attachments", "/attachments", nil},
		{"DELETE /api/v1/attachments/{attachment_id}", "/attachments/" + n.upload, nil},
		{"GET /api/v1/users", "/users", params{"include_custom_profile_fields": true}},
		{"GET /api/v1/users/me", "/users/me", nil},
		{"GET /api/v1/users/{user_id}", "/users/" + n.user, params{"include_custom_profile_fields": true}},
		{"GET /api/v1/users/{user_id}", "/users/" + n.bot, nil},
		{"POST /api/v1/fetch_api_key", "/fetch_api_key", params{"username": n.email, "password": "correct horse battery"}},
		{"POST /api/v1/sessions", "/sessions", params{"username": n.email, "password": "correct horse battery"}},
		{"GET /api/v1/sessions", "/sessions", nil},
		{"DELETE /api/v1/sessions/{session_id}", "/sessions/" + n.login, nil},
		{"GET /api/v1/identities", "/identities", nil},
		{"DELETE /api/v1/identities", "/identities", params{"issuer": "https://login.example"}},
		{"GET /api/v1/scheduled_messages", "/scheduled_messages", nil},
		{"DELETE /api/v1/scheduled_messages/{scheduled_message_id}", "/scheduled_messages/" + n.scheduled, nil},
		{"GET /api/v1/drafts", "/drafts", nil},
		{"POST /api/v1/drafts", "/drafts", params{"drafts": `[{"type":"stream","to":[` + n.stream + `],"topic":"t","content":"x"}]`}},
		{"POST /api/v1/drafts", "/drafts", params{"drafts": `[{"type":"private","to":[` + n.user + `],"topic":"","content":"x"}]`}},
		{"PATCH /api/v1/drafts/{draft_id}", "/drafts/" + n.draft, params{"draft": `{"type":"","to":[],"topic":"","content":"x"}`}},
		{"DELETE /api/v1/drafts/{draft_id}", "/drafts/" + n.draft, nil},
		{"POST /api/v1/users", "/users", params{"email": n.email, "full_name": "New", "password": "correct horse battery"}},
		{"PATCH /api/v1/users/{user_id}", "/users/" + n.user, params{"full_name": `"Taken"`, "role": 600}},
		{"PATCH /api/v1/users/{user_id}", "/users/" + n.bot, params{"role": 100}},
		{"DELETE /api/v1/users/{user_id}", "/users/" + n.user, nil},
		{"POST /api/v1/users/{user_id}/reactivate", "/users/" + n.bot + "/reactivate", nil},
		{"DELETE /api/v1/users/me", "/users/me", nil},
		{"PATCH /api/v1/settings", "/settings", params{"full_name": "Ann Two"}},
		{"PATCH /api/v1/settings", "/settings", params{"email": n.email}},
		{"GET /api/v1/invites", "/invites", nil},
		{"POST /api/v1/invites", "/invites", params{"invitee_emails": n.email, "stream_ids": "[" + n.stream + "]"}},
		{"DELETE /api/v1/invites/{prereg_id}", "/invites/" + n.invitation, nil},
		{"POST /api/v1/invites/{prereg_id}/resend", "/invites/" + n.invitation + "/resend", nil},
		{"POST /api/v1/export/realm", "/export/realm", nil},
		{"GET /api/v1/export/realm", "/export/realm", nil},
		{"DELETE /api/v1/export/realm/{export_id}", "/export/realm/" + n.export, nil},
		{"GET /api/v1/users/me/push_devices", "/users/me/push_devices", nil},
		{"POST /api/v1/users/me/push_devices", "/users/me/push_devices", params{"endpoint": n.streamName, "p256dh": "x", "auth": "x"}},
		{"DELETE /api/v1/users/me/push_devices/{device_id}", "/users/me/push_devices/" + n.device, nil},
		{"POST /api/v1/users/me/apns_device_token", "/users/me/apns_device_token", params{"token": "YXBwbGU="}},
		{"DELETE /api/v1/users/me/apns_device_token", "/users/me/apns_device_token", params{"token": n.streamName}},
		{"POST /api/v1/users/me/android_gcm_reg_id", "/users/me/android_gcm_reg_id", params{"token": "a:b"}},
		{"DELETE /api/v1/users/me/android_gcm_reg_id", "/users/me/android_gcm_reg_id", params{"token": n.streamName}},
		{"POST /api/v1/invites/multiuse", "/invites/multiuse", params{"stream_ids": "[" + n.stream + "]"}},
		{"DELETE /api/v1/invites/multiuse/{invite_id}", "/invites/multiuse/" + n.link, nil},
		{"PATCH /api/v1/settings/notifications", "/settings/notifications", params{"enable_sounds": false}},
		{"PATCH /api/v1/settings/display", "/settings/display", params{"timezone": `"Europe/Vienna"`}},
		{"GET /api/v1/users/me/alert_words", "/users/me/alert_words", nil},
		{"POST /api/v1/users/me/alert_words", "/users/me/alert_words", params{"alert_words": `["text"]`}},
		{"DELETE /api/v1/users/me/alert_words", "/users/me/alert_words", params{"alert_words": `["text"]`}},
		{"POST /api/v1/typing", "/typing", params{"op": "start", "to": "[" + n.user + "]"}},
		{"POST /api/v1/users/me/presence", "/users/me/presence", params{"status": "active"}},
		{"GET /api/v1/realm/presence", "/realm/presence", nil},
		{"GET /api/v1/users/{email}/presence", "/users/" + n.email + "/presence", nil},
		{"POST /api/v1/users/me/status", "/users/me/status", params{"status_text": "text"}},
		{"POST /api/v1/register", "/register", params{"all_public_streams": true, "include_subscribers": true, "narrow": `[["stream","` + n.streamName + `"]]`}},
		{"GET /api/v1/events", "/events", params{"queue_id": n.queue, "last_event_id": "-1", "dont_block": true}},
		{"DELETE /api/v1/events", "/events", params{"queue_id": n.queue}},
		{"GET /api/v1/realm/subdomain/{subdomain}", "/realm/subdomain/free", nil},
		{"GET /api/v1/fetch_google_client_id", "/fetch_google_client_id", nil},
		{"GET /api/v1/compatibility", "/compatibility", nil},
		{"PATCH /api/v1/realm", "/realm", params{"notifications_stream_id": n.stream}},
		{"PATCH /api/v1/realm", "/realm", params{"signup_notifications_stream_id": n.stream}},
		{"GET /api/v1/realm/domains", "/realm/domains", nil},
		{"PATCH /api/v1/realm/domains/{domain}", "/realm/domains/" + n.domain, params{"allow_subdomains": false}},
		{"DELETE /api/v1/realm/domains/{domain}", "/realm/domains/" + n.domain, nil},
		{"POST /api/v1/realm/domains", "/realm/domains", params{"domain": n.domain, "allow_subdomains": true}},
		{"GET /api/v1/realm/filters", "/realm/filters", nil},
		{"POST /api/v1/realm/filters", "/realm/filters", params{"pattern": `t` + n.linkifier + `-(?P<id>[0-9]+)`, "url_format_string": "https://t.example/%(id)s"}},
		{"DELETE /api/v1/realm/filters/{filter_id}", "/realm/filters/" + n.linkifier, nil},
		{"POST /api/v1/default_stream_groups/create", "/default_stream_groups/create", params{"group_name": "g", "description": "d", "stream_names": `["` + n.streamName + `"]`}},
		{"PATCH /api/v1/default_stream_groups/{group_id}", "/default_stream_groups/" + n.streamGroup, params{"new_description": "taken"}},
		{"PATCH /api/v1/default_stream_groups/{group_id}/streams", "/default_stream_groups/" + n.streamGroup + "/streams", params{"op": "add", "stream_names": `["hall"]`}},
		{"DELETE /api/v1/default_stream_groups/{group_id}", "/default_stream_groups/" + n.streamGroup, nil},
		{renewKey, "/users/me/api_key/regenerate", nil},
		{"GET /api/v1/bots", "/bots", nil},
		{"POST /api/v1/bots", "/bots", params{"full_name": "New", "short_name": "new", "default_sending_stream": n.streamName}},
		{"PATCH /api/v1/bots/{bot_id}", "/bots/" + n.bot, params{"full_name": "Taken", "bot_owner_id": n.user}},
		{"DELETE /api/v1/bots/{bot_id}", "/bots/" + n.bot, nil},
		{"POST /api/v1/bots/{bot_id}/api_key/regenerate", "/bots/" + n.bot + "/api_key/regenerate", nil},
		{"PUT /api/v1/bot_storage", "/bot_storage", params{"storage": `{"key":"value"}`}},
		{"GET /api/v1/bot_storage", "/bot_storage", nil},
		{"GET /api/v1/bot_storage", "/bot_storage", params{"keys": `["` + n.streamName + `"]`}},
		{"DELETE /api/v1/bot_storage", "/bot_storage", params{"keys": `["` + n.streamName + `"]`}},
		{"GET /api/v1/user_groups", "/user_groups", nil},
		{"POST /api/v1/user_groups/create", "/user_groups/create", params{"name": "x", "description": "", "members": "[" + n.user + "]"}},
		{"PATCH /api/v1/user_groups/{user_group_id}", "/user_groups/" + n.group, params{"name": "taken"}},
		{"POST /api/v1/user_groups/{user_group_id}/members", "/user_groups/" + n.group + "/members", params{"delete": "[" + n.user + "]"}},
		{"DELETE /api/v1/user_groups/{user_group_id}", "/user_groups/" + n.group, nil},
		{"GET /api/v1/realm/profile_fields", "/realm/profile_fields", nil},
		{"POST /api/v1/realm/profile_fields", "/realm/profile_fields", params{"name": n.streamName, "field_type": 1}},
		{"PATCH /api/v1/realm/profile_fields", "/realm/profile_fields", params{"order": "[" + n.field + "]"}},
		{"PATCH /api/v1/realm/profile_fields/{field_id}", "/realm/profile_fields/" + n.field, params{"name": "taken"}},
		{"DELETE /api/v1/realm/profile_fields/{field_id}", "/realm/profile_fields/" + n.field, nil},
		{"PATCH /api/v1/users/me/profile_data", "/users/me/profile_data", params{"data": `[{"id":` + n.field + `,"value":"x"}]`}},
		{"DELETE /api/v1/users/me/profile_data", "/users/me/profile_data", params{"data": "[" + n.field + "]"}},
		{"POST /api/v1/submessage", "/submessage", params{"message_id": n.message, "msg_type": "widget", "content": "0"}},
		{"POST /api/v1/users/me/enter-sends", "/users/me/enter-sends", params{"enter_sends": true}},
		{"POST /api/v1/users/me/hotspots", "/users/me/hotspots", params{"hotspot": `"intro_reply"`}},
		{"POST /api/v1/users/me/tutorial_status", "/users/me/tutorial_status", params{"status": `"finished"`}},
		{"POST /api/v1/zcommand", "/zcommand", params{"command": "/ping"}},
		{"POST /api/v1/messages/render", "/messages/render", params{"content": "@*" + n.streamName + " group*"}},
		{deactivate, "/realm/deactivate", nil},
	}
}

// Every endpoint, called with another organization's IDs, names and queues, answers as if these didn't exist, and
// doesn't change that organization.
func TestEndpointsAreSeparate(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	theirs := names{
		user: number(w.victim.ID), bot: number(w.bot.ID), stream: number(w.stream), streamName: secret + " hall", emoji: secret + "_hall",
		email: w.victim.RealEmail, queue: w.queue.ID, account: w.victim.FullName, message: number(w.message), login: number(w.session),
		group: number(w.group), field: number(w.field),
		invitation: number(w.invitation), link: number(w.link), export: number(w.export), device: number(w.device),
		scheduled: number(storetest.Values[int64](w.db, "select scheduled_id from scheduled_messages where org_id = $1", w.rival.ID)[0]),
		draft:     number(storetest.Values[int64](w.db, "select draft_id from drafts where org_id = $1", w.rival.ID)[0]),
		file:      w.file, upload: number(w.upload),
		domain:      storetest.Values[string](w.db, "select domain from email_domains where org_id = $1", w.rival.ID)[0],
		linkifier:   number(storetest.Values[int64](w.db, "select linkifier_id from linkifiers where org_id = $1", w.rival.ID)[0]),
		streamGroup: number(storetest.Values[int64](w.db, "select group_id from default_stream_groups where org_id = $1", w.rival.ID)[0]),
	}
	nobodys := names{
		user: "987654321", bot: "987654322", stream: "987654323", streamName: "nowhere hall", emoji: "nowhere_hall", email: "nobody@chat.example",
		queue: w.queue.ID[:len(w.queue.ID)-1] + other(w.queue.ID[len(w.queue.ID)-1]), account: "nowhere person",
		message: "987654324", login: "987654325", group: "987654326", field: "987654327", invitation: "987654328", link: "987654329", export: "987654330", device: "987654331", draft: "987654332",
		file: "987654330/ab/nothing/nowhere.png", upload: "987654331",
		domain: "nowhere.example", linkifier: "987654332", streamGroup: "987654333", scheduled: "987654334",
	}
	before := w.contents(w.rival)
	expected := requests(nobodys)
	for i, r := range requests(theirs) {
		method, _, _ := strings.Cut(r.route, " ")
		got := w.own.Do(method, r.path, r.params)
		if r.route == renewKey { // the caller's own, so the next call needs the new one
			reply := struct {
				Key string `json:"api_key"`
			}{}
			got.OK().Decode(&reply)
			w.own.Key = reply.Key
		}
		want := got
		if r.route != deactivate { // the caller's own, of which nothing is left then
			want = w.own.Do(method, expected[i].path, expected[i].params)
		}
		if got.Status != want.Status || got.Status >= 500 {
			t.Errorf("%s %v: status %d, %d for what doesn't exist: %s", r.route, r.params, got.Status, want.Status, got.Body)
		}
		unnamed := hide(got.Body, theirs)
		if got.Status != http.StatusOK {
			if diff := cmp.Diff(hide(want.Body, nobodys), unnamed); diff != "" {
				t.Errorf("%s %v reveals that it exists:\n%s", r.route, r.params, diff)
			}
		}
		if strings.Contains(strings.ToLower(unnamed), secret) {
			t.Errorf("%s %v answers with another organization's data: %s", r.route, r.params, got.Body)
		}
	}
	if diff := cmp.Diff(before, w.contents(w.rival)); diff != "" {
		t.Errorf("another organization's rows changed:\n%s", diff)
	}
	if got := w.queue.Pending(); len(got) > 0 {
		t.Errorf("another organization got the event: %+v", got)
	}
}

// hide removes the caller's input from an answer.
func hide(body string, n names) string {
	for _, name := range []string{n.email, n.queue, n.streamName, n.account, n.user, n.bot, n.stream, n.message, n.login, n.group, n.field, n.invitation, n.link, n.file, n.upload, n.domain, n.linkifier, n.streamGroup, n.emoji, n.export, n.scheduled, n.draft, n.device} {
		body = strings.ReplaceAll(body, name, "?")
	}
	return body
}

// other returns another character for the end of a queue's id.
func other(last byte) string {
	if last == 'A' {
		return "B"
	}
	return "A"
}

// Credentials are valid only at the host of their own organization.
func TestHostsAreSeparate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	abroad := w.own
	abroad.Org = w.rival
	back := w.victim
	back.Org = w.Org
	for _, a := range []servicetest.Account{abroad, back} {
		for _, r := range requests(names{user: number(w.victim.ID), bot: number(w.bot.ID), stream: number(w.stream), queue: w.queue.ID, message: number(w.message), email: w.victim.RealEmail, login: number(w.session), emoji: "x", group: number(w.group), field: number(w.field), invitation: number(w.invitation), link: number(w.link), file: w.file, upload: number(w.upload), domain: "corp.example", linkifier: "1", streamGroup: "1", export: number(w.export), scheduled: "1", draft: "1", device: number(w.device)}) {
			if slices.Contains(public(), r.route) {
				continue
			}
			method, _, _ := strings.Cut(r.route, " ")
			got := a.Do(method, r.path, r.params)
			if got.Status != http.StatusUnauthorized || !strings.Contains(got.Body, "Account is not associated with this subdomain") ||
				strings.Contains(got.Body, secret) {
				t.Errorf("%s: status %d %s", r.route, got.Status, got.Body)
			}
		}
	}
}

// public returns the endpoints that need no credentials.
func public() []string {
	return []string{"GET /api/v1/server_settings", "GET /api/v1/realm/subdomain/{subdomain}", "GET /api/v1/compatibility", "GET /api/v1/fetch_google_client_id", "POST /api/v1/fetch_api_key", "POST /api/v1/sessions"}
}

// The tests above call every endpoint.
func TestEveryEndpointIsCalled(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, r := range requests(names{}) {
		called[r.route] = true
	}
	all := slices.Concat(api.Endpoints(domain.Domain{}, ""), (*events.Service)(nil).Endpoints())
	for _, e := range all {
		if !called[e.Route()] {
			t.Errorf("%s isn't called: add a request with another organization's names", e.Route())
		}
		if e.Kind() == endpoint.KindPublic && !slices.Contains(public(), e.Route()) {
			t.Errorf("%s is public: say in public that this is right", e.Route())
		}
	}
}

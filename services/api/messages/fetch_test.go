package messages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// fetched is the response of GET /messages.
type fetched struct {
	Messages       []map[string]any
	Anchor         int64
	FoundAnchor    bool `json:"found_anchor"`
	FoundOldest    bool `json:"found_oldest"`
	FoundNewest    bool `json:"found_newest"`
	HistoryLimited bool `json:"history_limited"`
}

func fetch(a servicetest.Account, p params) fetched {
	got := fetched{}
	a.Do(http.MethodGet, "/messages", p).OK().Decode(&got)
	return got
}

func around(anchor any, before, after int) params {
	return params{"anchor": fmt.Sprint(anchor), "num_before": before, "num_after": after}
}

// all returns the ids of all messages in a narrow.
func all(a servicetest.Account, narrow string) []int64 {
	return numbers(fetch(a, with(around("oldest", 0, 1000), "narrow", narrow)).Messages)
}

func numbers(messages []map[string]any) []int64 {
	list := []int64{}
	for _, m := range messages {
		list = append(list, int64(m["id"].(float64)))
	}
	return list
}

func flagsOf(page fetched) map[int64][]string {
	flags := map[int64][]string{}
	for _, m := range page.Messages {
		names := []string{}
		for _, name := range m["flags"].([]any) {
			names = append(names, name.(string))
		}
		flags[int64(m["id"].(float64))] = names
	}
	return flags
}

func TestFetchAnchors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	m := []int64{}
	for range 7 {
		m = append(m, ann.SendStream("hall", "valve", "it leaks"))
	}
	w.db.Exec("delete from messages where message_id = $1 or topic <> 'valve'", m[3]) // and the notification of the new stream
	w.db.Exec("update users set read_upto = $1", m[1])
	const newest = 10_000_000_000_000_000
	for _, c := range []struct {
		anchor                 any
		before, after          int
		want                   []int64
		number                 int64
		anchored, first, final bool
	}{
		{"newest", 2, 0, m[5:7], newest, false, false, true},
		{"newest", 2, 3, m[5:7], newest, false, false, true},
		{"newest", 6, 0, []int64{m[0], m[1], m[2], m[4], m[5], m[6]}, newest, false, false, true},
		{"newest", 7, 0, []int64{m[0], m[1], m[2], m[4], m[5], m[6]}, newest, false, true, true},
		{"newest", 0, 0, nil, newest, false, false, true},
		{newest, 1, 1, m[6:7], newest, false, false, true},
		{"99999999999999999999", 1, 1, m[6:7], newest, false, false, true},
		{"oldest", 5, 2, m[0:2], 0, false, true, false},
		{0, 5, 2, m[0:2], 0, false, true, false},
		{-3, 0, 1, m[0:1], 0, false, true, false},
		{"-99999999999999999999", 0, 0, nil, 0, false, true, false},
		{m[1], 1, 1, m[0:3], m[1], true, false, false},
		{m[1], 2, 5, []int64{m[0], m[1], m[2], m[4], m[5], m[6]}, m[1], true, true, true},
		{m[1], 0, 0, m[1:2], m[1], true, false, false},
		{m[1], 1, 0, m[0:2], m[1], true, false, false},
		{m[1], 0, 1, m[1:3], m[1], true, false, false},
		{m[3], 1, 1, []int64{m[2], m[4]}, m[3], false, false, false},
		{m[3], 0, 0, nil, m[3], false, false, false},
		{m[6] + 100, 1, 1, m[6:7], m[6] + 100, false, false, true},
		{"first_unread", 1, 1, []int64{m[1], m[2], m[4]}, m[2], true, false, false},
	} {
		got := fetch(ann, around(c.anchor, c.before, c.after))
		want := fetched{Messages: got.Messages, Anchor: c.number, FoundAnchor: c.anchored, FoundOldest: c.first, FoundNewest: c.final}
		what := fmt.Sprintf("%v, %d before, %d after", c.anchor, c.before, c.after)
		servicetest.Same(t, what, want, got)
		servicetest.Same(t, what, append([]int64{}, c.want...), numbers(got.Messages))
	}
	legacy := fetch(ann, with(with(around("5", 0, 0), "anchor", nil), "use_first_unread_anchor", true))
	servicetest.Same(t, "use_first_unread_anchor", m[2], legacy.Anchor)
	w.db.Exec("update users set read_upto = $1", m[6])
	servicetest.Same(t, "nothing unread", int64(newest), fetch(ann, around("first_unread", 1, 1)).Anchor)
}

func TestFetchFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	full := around("newest", 1, 1)
	for _, c := range []struct {
		params    params
		code, msg string
	}{
		{with(full, "anchor", nil), "BAD_REQUEST", "Missing 'anchor' argument."},
		{with(full, "anchor", "soon"), "BAD_REQUEST", "Invalid anchor"},
		{with(full, "anchor", ""), "BAD_REQUEST", "Invalid anchor"},
		{with(full, "anchor", "-"), "BAD_REQUEST", "Invalid anchor"},
		{with(full, "anchor", "1.5"), "BAD_REQUEST", "Invalid anchor"},
		{with(full, "num_before", nil), "REQUEST_VARIABLE_MISSING", "Missing 'num_before' argument"},
		{with(full, "num_after", nil), "REQUEST_VARIABLE_MISSING", "Missing 'num_after' argument"},
		{with(full, "num_before", "-1"), "REQUEST_VARIABLE_INVALID", "Bad value for 'num_before': -1"},
		{with(full, "num_after", "x"), "REQUEST_VARIABLE_INVALID", "Bad value for 'num_after': x"},
		{around("newest", 5000, 1), "", "Too many messages requested (maximum 5000)."},
		{around("newest", 4294967295, 4294967295), "", "Too many messages requested (maximum 5000)."},
		{with(full, "narrow", "["+strings.Repeat(`["is","unread"],`, 100)+`["is","unread"]]`), "BAD_REQUEST", "narrow is too long (limit: 100 terms)"},
		{with(full, "narrow", "x"), "REQUEST_VARIABLE_INVALID", "Bad value for 'narrow': x"},
		{with(full, "narrow", `[{"operator":"is"}]`), "BAD_REQUEST", "operand key is missing from elem"},
		{with(full, "narrow", `[["is","late"]]`), "BAD_NARROW", "Invalid narrow operator: unknown 'is' operand late"},
		{with(full, "narrow", `[["stream","attic"]]`), "BAD_NARROW", "Invalid narrow operator: unknown stream attic"},
		{with(full, "narrow", `[{"operator":"stream","operand":987654321}]`), "BAD_NARROW", "Invalid narrow operator: unknown stream 987654321"},
		{with(full, "narrow", `[["sender","nobody@chat.example"]]`), "BAD_NARROW", "Invalid narrow operator: unknown user nobody@chat.example"},
		{with(full, "narrow", `[{"operator":"sender","operand":987654321}]`), "BAD_NARROW", "Invalid narrow operator: unknown user 987654321"},
		{with(full, "narrow", `[["group-pm-with","nobody"]]`), "BAD_NARROW", "Invalid narrow operator: unknown user nobody"},
		{with(full, "narrow", `[["pm-with","ann@chat.example,nobody"]]`), "BAD_NARROW", "Invalid narrow operator: unknown user in ann@chat.example,nobody"},
		{with(full, "narrow", `[["pm-with",""]]`), "BAD_NARROW", "Invalid narrow operator: unknown user in "},
		{with(full, "narrow", `[{"operator":"pm-with","operand":[987654321,5]}]`), "BAD_NARROW", "Invalid narrow operator: unknown user in [987654321, 5]"},
		{with(full, "narrow", `[{"operator":"pm-with","operand":[]}]`), "BAD_NARROW", "Invalid narrow operator: unknown user in []"},
		{with(full, "apply_markdown", "yes"), "BAD_REQUEST", `Argument "apply_markdown" is not valid JSON.`},
	} {
		ann.Do(http.MethodGet, "/messages", c.params).Fails(http.StatusBadRequest, c.code, c.msg)
	}
}

func TestFetchObjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(`{"third_party_avatars": true}`)
	ann, bob, cyd := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cyd", actor.Member)
	hall := w.stream(ann, "hall", nil)
	bob.Subscribe("hall")
	open := ann.SendStream("hall", "see example.com/a & <b>", "the *wet* valve")
	pair := sent(bob, toPeople(ids(ann)))
	group := sent(bob, with(toPeople(ids(ann, cyd)), "content", "/me waits"))
	self := sent(ann, toPeople(ids(ann)))
	w.db.Exec(`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name) values
		($1, $2, $3, 'unicode_emoji', '1f44d', '+1'), ($1, $2, $4, 'unicode_emoji', '1f44d', '+1')`, w.Org.ID, open, bob.ID, cyd.ID)
	w.db.Exec(`update users set full_name = 'Robert' where user_id = $1`, bob.ID)
	byID := map[int64]map[string]any{}
	for _, m := range fetch(ann, around("newest", 100, 0)).Messages {
		byID[int64(m["id"].(float64))] = m
	}
	person := func(a servicetest.Account, name string) map[string]any {
		return map[string]any{"id": float64(a.ID), "email": a.RealEmail, "full_name": name, "is_mirror_dummy": false}
	}
	reaction := func(a servicetest.Account, name string) map[string]any {
		return map[string]any{
			"emoji_name": "+1", "emoji_code": "1f44d", "reaction_type": "unicode_emoji", "user_id": float64(a.ID),
			"user": map[string]any{"id": float64(a.ID), "email": a.RealEmail, "full_name": name},
		}
	}
	want := map[string]any{
		"id": float64(open), "type": "stream", "sender_id": float64(ann.ID), "sender_email": ann.RealEmail, "sender_full_name": "Ann",
		"sender_realm_str": "", "client": "Test", "subject": "see example.com/a & <b>", "topic_links": []any{"https://example.com/a"},
		"recipient_id": float64(hall), "display_recipient": "hall", "stream_id": float64(hall), "is_me_message": false,
		"reactions": []any{reaction(bob, "Robert"), reaction(cyd, "Cyd")}, "submessages": []any{}, "flags": []any{},
		"content": "<p>the <em>wet</em> valve</p>", "content_type": "text/html",
		"avatar_url": byID[open]["avatar_url"], "timestamp": byID[open]["timestamp"],
	}
	servicetest.Same(t, "message of a stream", want, byID[open])
	if url, _ := want["avatar_url"].(string); !strings.HasPrefix(url, "https://secure.gravatar.com/avatar/") {
		t.Errorf("avatar %v", want["avatar_url"])
	}
	conversation := float64(w.number("select conversation_id from messages where message_id = $1", pair))
	want = map[string]any{
		"id": float64(pair), "type": "private", "sender_id": float64(bob.ID), "sender_email": bob.RealEmail, "sender_full_name": "Robert",
		"sender_realm_str": "", "client": "Test", "subject": "", "topic_links": []any{}, "recipient_id": conversation,
		"display_recipient": []any{person(ann, "Ann"), person(bob, "Robert")}, "is_me_message": false,
		"reactions": []any{}, "submessages": []any{}, "flags": []any{}, "content": "<p>it leaks</p>", "content_type": "text/html",
		"avatar_url": byID[pair]["avatar_url"], "timestamp": byID[pair]["timestamp"],
	}
	servicetest.Same(t, "private message", want, byID[pair])
	servicetest.Same(t, "group", []any{person(ann, "Ann"), person(bob, "Robert"), person(cyd, "Cyd")}, byID[group]["display_recipient"].([]any))
	servicetest.Same(t, "group", true, byID[group]["is_me_message"].(bool))
	servicetest.Same(t, "notes to self", []any{person(ann, "Ann")}, byID[self]["display_recipient"].([]any))

	plain := fetch(ann, with(with(around(open, 0, 0), "apply_markdown", false), "client_hosted_avatar", true)).Messages[0]
	servicetest.Same(t, "as it was written", []any{"the *wet* valve", "text/x-markdown", nil}, []any{plain["content"], plain["content_type"], plain["avatar_url"]})
	w.set(fmt.Sprintf(`{"email_address_visibility": %d}`, org.EmailsForAdmins))
	hidden := fetch(ann, with(around(open, 0, 0), "client_hosted_avatar", true)).Messages[0]
	if url, _ := hidden["avatar_url"].(string); !strings.HasPrefix(url, "/avatar/") {
		t.Errorf("avatar %v", hidden["avatar_url"])
	}
	servicetest.Same(t, "address", fmt.Sprintf("user%d@%s", ann.ID, servicetest.Host), hidden["sender_email"].(string))
}

func TestFetchEdits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	m := ann.SendStream("hall", "valve", "it leaks")
	history := `[{"user_id": 3, "timestamp": 100, "prev_subject": "old"},
		{"user_id": 4, "timestamp": 90, "prev_content": "x", "prev_rendered_content": "<p>x</p>", "prev_rendered_content_version": 1},
		{"user_id": 4, "timestamp": 80, "prev_stream": 7}]`
	w.db.Exec("update messages set edits = $1::jsonb, edited_at = to_timestamp(100) where message_id = $2", history, m)
	got := fetch(ann, around(m, 0, 0)).Messages[0]
	servicetest.Same(t, "time", 100.0, got["last_edit_timestamp"].(float64))
	servicetest.Same(t, "history", []any{
		map[string]any{"user_id": 3.0, "timestamp": 100.0, "prev_subject": "old"},
		map[string]any{"user_id": 4.0, "timestamp": 90.0, "prev_content": "x", "prev_rendered_content": "<p>x</p>", "prev_rendered_content_version": 1.0},
		map[string]any{"user_id": 4.0, "timestamp": 80.0, "prev_stream": 7.0},
	}, got["edit_history"].([]any))
	w.set(`{"allow_edit_history": false}`)
	got = fetch(ann, around(m, 0, 0)).Messages[0]
	if _, shown := got["edit_history"]; shown || got["last_edit_timestamp"] != 100.0 {
		t.Errorf("history without access: %v", got)
	}
}

// Which messages each account can read, and why: received, marked, public history, and no others.
func TestFetchHistory(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	guest := w.Account(w.Org, user.Draft{FullName: "Gus", Role: actor.Guest})
	w.stream(ann, "open", nil)
	w.stream(ann, "closed", params{"invite_only": true})
	w.stream(ann, "archive", params{"invite_only": true, "history_public_to_subscribers": true})
	w.db.Exec("delete from messages")
	before := map[string]int64{}
	for _, stream := range []string{"open", "closed", "archive"} {
		before[stream] = ann.SendStream(stream, "t", "early")
	}
	narrow := func(stream string) string { return `[["stream","` + stream + `"]]` }
	servicetest.Same(t, "public history", []int64{before["open"]}, all(bob, narrow("open")))
	servicetest.Same(t, "its flags", map[int64][]string{before["open"]: {"read", "historical"}}, flagsOf(fetch(bob, with(around("newest", 9, 0), "narrow", narrow("open")))))
	servicetest.Same(t, "no history in is:", []int64{}, all(bob, `[["stream","open"],["is","unread"]]`))
	servicetest.Same(t, "not even in negated is:", []int64{}, all(bob, `[["stream","open"],{"operator":"is","operand":"private","negated":true}]`))
	servicetest.Same(t, "none where the stream is negated", []int64{}, all(bob, `[{"operator":"stream","operand":"closed","negated":true}]`))
	servicetest.Same(t, "public streams", []int64{before["open"]}, all(bob, `[["streams","public"]]`))
	servicetest.Same(t, "the combined feed is what was received", []int64{}, all(bob, `[]`))
	for _, stream := range []string{"closed", "archive"} {
		servicetest.Same(t, "private "+stream, []int64{}, all(bob, narrow(stream)))
	}
	servicetest.Same(t, "guest, public", []int64{}, all(guest, narrow("open")))
	servicetest.Same(t, "guest, streams:public", []int64{}, all(guest, `[["streams","public"]]`))

	for _, a := range []servicetest.Account{bob, guest} {
		for _, stream := range []string{"open", "closed", "archive"} {
			ann.Do(http.MethodPost, "/users/me/subscriptions", params{
				"subscriptions": []map[string]string{{"name": stream}}, "principals": ids(a),
			}).OK()
		}
	}
	w.db.Exec("delete from messages where sender_id <> $1", ann.ID)
	late := map[string]int64{}
	for _, stream := range []string{"open", "closed", "archive"} {
		late[stream] = ann.SendStream(stream, "t", "late")
	}
	for _, a := range []servicetest.Account{bob, guest} {
		servicetest.Same(t, "open", []int64{before["open"], late["open"]}, all(a, narrow("open")))
		servicetest.Same(t, "closed", []int64{late["closed"]}, all(a, narrow("closed")))
		servicetest.Same(t, "archive", []int64{before["archive"], late["archive"]}, all(a, narrow("archive")))
		servicetest.Same(t, "received", []int64{late["open"], late["closed"], late["archive"]}, all(a, `[]`))
		servicetest.Same(t, "flags", map[int64][]string{before["archive"]: {"read", "historical"}, late["archive"]: {}},
			flagsOf(fetch(a, with(around("newest", 9, 0), "narrow", narrow("archive")))))
	}
	bob.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"closed", "archive"}}).OK()
	gone := ann.SendStream("closed", "t", "later")
	servicetest.Same(t, "after leaving, what was received stays", []int64{late["closed"]}, all(bob, narrow("closed")))
	servicetest.Same(t, "history is closed again", []int64{late["archive"]}, all(bob, narrow("archive")))

	// Marked without having been received.
	w.db.Exec("insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, $3, 2)", w.Org.ID, bob.ID, gone)
	servicetest.Same(t, "marked", []int64{late["closed"], gone}, all(bob, narrow("closed")))
	servicetest.Same(t, "marked, in the feed", true, slices.Contains(all(bob, `[]`), gone))
	servicetest.Same(t, "marked, starred", map[int64][]string{gone: {"read", "starred", "historical"}},
		flagsOf(fetch(bob, with(around("newest", 9, 0), "narrow", `[["is","starred"]]`))))
	other := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Eve", Role: actor.Owner})
	servicetest.Same(t, "another organization", []int64{}, all(other, `[["streams","public"]]`))
}

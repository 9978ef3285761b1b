package property_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// question is a call that reads.
type question struct {
	route, path string
	params      servicetest.Params
	allowed     bool // whether it may succeed
}

// read makes the calls of [secrets.questions], about up to some of each kind of object, and registers, as an account,
// and checks what it reads.
func (s *secrets) read(p *person, some int) {
	s.Helper()
	sees := s.sees(p.id)
	for _, q := range s.questions(p, some) {
		s.asked[q.route] = true
		method, _, _ := strings.Cut(q.route, " ")
		answer := s.send(p, method, q.path, q.params)
		said := words{}
		if answer.Code != http.StatusOK {
			said.add(wordsOf(q.path))
			for _, value := range q.params {
				said.add(wordsOf(asJSON(value)))
			}
		} else if !q.allowed || s.ended[p.id] && q.route != "GET /api/v1/server_settings" && !open(q.route) {
			s.Fatalf("%s may %s %s %v: %s", p.name, method, q.path, q.params, answer.Body)
		}
		if more := wordsOf(answer.Body.String()).without(sees, said); len(more) > 0 {
			s.Fatalf("%s reads %v by %s %s %v: %d %s", p.name, more, method, q.path, q.params, answer.Code, answer.Body)
		}
		if answer.Code >= http.StatusInternalServerError {
			s.Fatalf("%s: %s %v: %d %s", p.name, q.path, q.params, answer.Code, answer.Body)
		}
	}
	s.readFiles(p)
}

// open reports whether an endpoint needs no account.
func open(route string) bool {
	return slices.Contains([]string{"GET /api/v1/compatibility", "GET /api/v1/realm/subdomain/{subdomain}", "GET /api/v1/fetch_google_client_id"}, route)
}

func (s *secrets) send(p *person, method, path string, params servicetest.Params) *httptest.ResponseRecorder {
	values := url.Values{}
	for name, value := range params {
		if text, ok := value.(string); ok {
			values.Set(name, text)
		} else {
			values.Set(name, asJSON(value))
		}
	}
	answer := httptest.NewRecorder()
	p.Send(answer, method, path, values.Encode())
	return answer
}

// readFiles checks which files an account can read, by each kind of address.
func (s *secrets) readFiles(p *person) {
	s.Helper()
	for _, f := range s.files {
		may := s.mayRead(p.id, f) && !s.ended[p.id]
		s.asked["GET /api/v1/user_uploads/{realm_id}/{filename...}"] = true
		signed := s.send(p, http.MethodGet, f.path, nil).Code
		whole := p.Page(f.path, nil).Code
		full := p.Page("/thumbnail?size=full&url="+url.QueryEscape(f.path), nil).Code
		small := p.Page("/thumbnail?size=thumbnail&url="+url.QueryEscape(f.path), nil).Code
		for what, status := range map[string]int{"signed": signed, "whole": whole, "full": full, "thumbnail": small} {
			if (status == http.StatusOK) != may {
				s.Fatalf("%s, file %s, %s: status %d, want OK: %t", p.name, f.path, what, status, may)
			}
		}
	}
}

// readNotices checks the notifications of the newest messages for an account's browsers.
func (s *secrets) readNotices(p *person) {
	s.Helper()
	for _, number := range s.numbers[max(0, len(s.numbers)-8):] {
		notice, _, err := s.world.Missed.Notice(s.Context(), p.Org.ID, id.User(p.id), []id.Message{id.Message(number)})
		if err != nil {
			s.Fatal(err)
		}
		if notice != nil && (s.ended[p.id] || len(wordsOf(asJSON(notice)).without(s.sees(p.id))) > 0) {
			s.Fatalf("%s is notified: %s", p.name, asJSON(notice))
		}
	}
}

// findMissed looks for messages that people missed, in the whole log.
func (s *secrets) findMissed() {
	s.Helper()
	for left := 1; left > 0; {
		if err := s.world.Missed.Find(s.Context()); err != nil {
			s.Fatal(err)
		}
		if err := s.conn.QueryRow(s.Context(), `select (select count(*) from event_log l join missed_places p on p.shard = l.shard
			where (l.xid, l.id) > (p.xid, p.id))::int + ($1 - (select count(*) from missed_places))::int`, storetest.Shards).Scan(&left); err != nil {
			s.Fatal(err)
		}
	}
}

// readMail checks the letters that wait, and those about missed messages.
func (s *secrets) readMail() {
	s.Helper()
	s.findMissed()
	if _, err := s.conn.Exec(s.Context(), "update missed_mails set due_at = due_at - interval '2 minutes'"); err != nil {
		s.Fatal(err)
	}
	if err := s.world.Missed.Notify(s.Context()); err != nil {
		s.Fatal(err)
	}
	for _, letter := range s.world.Letters() {
		if letter.From != s.people[0].Org.Name {
			continue // of an earlier history
		}
		at := slices.IndexFunc(s.people, func(p *person) bool { return p.RealEmail == letter.To })
		seen := wordsOf(letter.To) // whoever is invited knows only this
		if at >= 0 {
			seen.add(s.sees(s.people[at].id))
		} else if s.visible == 1 {
			seen.add(wordsOf(slices.Collect(maps.Values(s.addresses))...))
		}
		if more := wordsOf(asJSON(letter)).without(seen); len(more) > 0 {
			s.Fatalf("a letter contains %v: %s", more, asJSON(letter))
		}
	}
}

// probe checks that an account can't find out by calls about something hidden that it exists: the answers are those about
// what doesn't exist. Whoever knows a stream's exact name finds out by sending to it, leaving it, a narrow or a link to it.
func (s *secrets) probe(p *person) {
	s.Helper()
	const nowhere, nothing = "987654321", "zq0zq"
	compare := func(method, path string, params servicetest.Params, hidden, unknown string) {
		s.Helper()
		other, text := servicetest.Params{}, strings.NewReplacer(hidden, unknown)
		for name, value := range params {
			other[name] = text.Replace(fmt.Sprint(value))
		}
		got, want := s.send(p, method, path, params), s.send(p, method, text.Replace(path), other)
		if got.Code != want.Code || text.Replace(got.Body.String()) != want.Body.String() {
			s.Fatalf("%s finds out that %s exists by %s %s %v: %s; if it didn't: %s", p.name, hidden, method, path, params, got.Body, want.Body)
		}
	}
	sees := s.sees(p.id)
	for _, st := range s.streamsWhere(func(st *stream) bool {
		return !s.roles[p.id].IsAdmin() && !s.seesStream(p.id, st) && !sees[st.name]
	}) {
		number, none := strconv.FormatInt(st.id, 10), nowhere
		compare(http.MethodGet, "/get_stream_id", servicetest.Params{"stream": st.name}, st.name, nothing)
		compare(http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream": st.name, "topic": "t", "op": "remove"}, st.name, nothing)
		compare(http.MethodPost, "/mark_stream_as_read", servicetest.Params{"stream_id": number}, number, none)
		compare(http.MethodPatch, "/streams/"+number, servicetest.Params{"description": "x"}, number, none)
		for _, path := range []string{"/streams/%s/members", "/users/me/%s/topics"} {
			compare(http.MethodGet, fmt.Sprintf(path, number), nil, number, none)
		}
	}
	for _, of := range s.messagesWhere(func(of *message) bool { return !s.canAccess(p.id, of) }) {
		number, none := strconv.FormatInt(of.id, 10), nowhere
		path := "/messages/" + number
		compare(http.MethodGet, path, nil, number, none)
		compare(http.MethodGet, path+"/history", nil, number, none)
		compare(http.MethodPost, path+"/reactions", servicetest.Params{"emoji_name": "tada"}, number, none)
		compare(http.MethodDelete, path+"/reactions", servicetest.Params{"emoji_name": "tada"}, number, none)
		compare(http.MethodPatch, path, servicetest.Params{"content": "x"}, number, none)
		compare(http.MethodDelete, path, nil, number, none)
		compare(http.MethodPost, "/submessage", servicetest.Params{"message_id": number, "msg_type": "widget", "content": "0"}, number, none)
		compare(http.MethodPost, "/messages/flags", servicetest.Params{"messages": "[" + number + "]", "flag": "starred", "op": "add"}, number, none)
		compare(http.MethodGet, "/messages/matches_narrow", servicetest.Params{"msg_ids": "[" + number + "]", "narrow": "[]"}, number, none)
		compare(http.MethodGet, "/messages", servicetest.Params{"narrow": `[["id",` + number + `]]`, "anchor": "newest", "num_before": "5", "num_after": "0"}, number, none)
	}
	for _, f := range s.files {
		if !s.mayRead(p.id, f) {
			compare(http.MethodPost, "/messages/render", servicetest.Params{"content": "[x](" + f.path + ")"}, f.path, "/user_uploads/1/aa/nowhere/x.txt")
		}
	}
}

// questions returns calls of each endpoint that reads.
func (s *secrets) questions(p *person, some int) []question {
	list := []question{}
	ask := func(route string, params servicetest.Params) {
		list = append(list, question{"GET /api/v1" + route, route, params, true})
	}
	for _, route := range []string{
		"/attachments", "/bot_storage", "/bots", "/compatibility", "/drafts", "/export/realm", "/fetch_google_client_id", "/identities", "/invites",
		"/realm/domains", "/realm/emoji", "/realm/filters", "/realm/icon", "/realm/presence", "/realm/profile_fields", "/scheduled_messages", "/server_settings",
		"/sessions", "/user_groups", "/users/me", "/users/me/alert_words", "/users/me/push_devices",
	} {
		ask(route, nil)
	}
	ask("/realm/logo", servicetest.Params{"night": false})
	ask("/streams", nil)
	ask("/streams", servicetest.Params{"include_all_active": true, "include_default": true})
	ask("/streams", servicetest.Params{"include_owner_subscribed": true, "include_default": true, "include_web_public": true})
	ask("/users", servicetest.Params{"include_custom_profile_fields": true, "client_hosted_avatar": true})
	ask("/users/me/subscriptions", servicetest.Params{"include_subscribers": true})
	list = append(list,
		question{"GET /api/v1/realm/subdomain/{subdomain}", "/realm/subdomain/free", nil, true},
		question{"POST /api/v1/register", "/register", servicetest.Params{"include_subscribers": true, "event_types": []string{"realm"}, "fetch_event_types": []string{
			"message", "realm", "stream", "subscription", "realm_user", "realm_bot", "realm_user_groups", "default_streams", "default_stream_groups", "muted_topics", "recent_private_conversations",
			"starred_messages", "update_message_flags", "alert_words", "realm_domains", "realm_emoji", "presence", "user_status", "custom_profile_fields", "realm_filters", "drafts",
		}}, true},
	)
	list = append(list, s.questionsOfMessages(p, some)...)
	list = append(list, s.questionsOfStreams(p, some)...)
	for _, other := range s.people {
		path := fmt.Sprintf("/users/%d", other.id)
		list = append(list, question{"GET /api/v1/users/{user_id}", path, servicetest.Params{"include_custom_profile_fields": true}, true})
		if s.one(3, "presence") {
			list = append(list, question{"GET /api/v1/users/{email}/presence", "/users/" + other.RealEmail + "/presence", nil, true})
		}
		if q := s.queues[other.name]; q != nil && other != p && s.one(3, "events") {
			params := servicetest.Params{"queue_id": q.ID, "last_event_id": q.Last, "dont_block": true}
			list = append(list, question{"GET /api/v1/events", "/events", params, false})
		}
	}
	return list
}

func (s *secrets) questionsOfMessages(p *person, some int) []question {
	list := []question{}
	if len(s.numbers) > 0 {
		for _, number := range drawSome(s.history, "messages", s.numbers, some) {
			of := s.messages[number]
			may, path := of != nil && s.canAccess(p.id, of), fmt.Sprintf("/messages/%d", number)
			list = append(list, question{"GET /api/v1/messages/{message_id}", path, nil, may}, question{"GET /api/v1/messages/{message_id}/history", path + "/history", nil, may})
		}
		matches := servicetest.Params{"msg_ids": s.numbers[max(0, len(s.numbers)-20):], "narrow": `[["has","link"]]`}
		list = append(list, question{"GET /api/v1/messages/matches_narrow", "/messages/matches_narrow", matches, true})
	}
	for _, narrow := range append([]string{
		`[]`, `[["streams","public"]]`, `[["is","private"]]`, `[["is","starred"]]`, `[["is","unread"]]`, `[["is","mentioned"]]`, `[["has","link"]]`,
		`[{"operator":"is","operand":"private","negated":true}]`,
	}, s.narrows(some)...) {
		params := servicetest.Params{"anchor": "newest", "num_before": 200, "num_after": 0, "narrow": narrow, "apply_markdown": s.drawBool("apply_markdown")}
		list = append(list, question{"GET /api/v1/messages", "/messages", params, true})
	}
	return list
}

// narrows generates narrows to objects of any account.
func (s *secrets) narrows(some int) []string {
	list := []string{fmt.Sprintf(`[["search","zq%dzq"]]`, s.drawInt("word", 1, s.words)), fmt.Sprintf(`[["sender",%q]]`, s.someone().RealEmail)}
	for _, other := range drawSome(s.history, "others", s.people, some) {
		list = append(list, fmt.Sprintf(`[{"operator":"pm-with","operand":[%d]}]`, other.id), fmt.Sprintf(`[{"operator":"group-pm-with","operand":%d}]`, other.id))
	}
	for _, st := range s.sortedStreams() {
		list = append(list, fmt.Sprintf(`[{"operator":"stream","operand":%d}]`, st.id), fmt.Sprintf(`[["stream",%q]]`, st.name), fmt.Sprintf(`[{"operator":"stream","operand":%d,"negated":true}]`, st.id))
	}
	if of := s.anyMessage(); of != nil {
		list = append(list, fmt.Sprintf(`[["id",%d]]`, of.id), fmt.Sprintf(`[["near",%d]]`, of.id), fmt.Sprintf(`[["topic",%q]]`, of.topic))
	}
	return list
}

func (s *secrets) questionsOfStreams(p *person, some int) []question {
	list := []question{}
	for _, st := range s.sortedStreams() {
		sees, reads := s.seesStream(p.id, st), s.canRead(p.id, st) && !s.about[st.id].ended
		list = append(list,
			question{"GET /api/v1/get_stream_id", "/get_stream_id", servicetest.Params{"stream": st.name}, reads},
			question{"GET /api/v1/streams/{stream_id}/members", fmt.Sprintf("/streams/%d/members", st.id), nil, reads || s.roles[p.id].IsAdmin()},
			question{"GET /api/v1/users/me/{stream_id}/topics", fmt.Sprintf("/users/me/%d/topics", st.id), nil, reads},
		)
		for _, other := range drawSome(s.history, "subscribers", s.people, min(some, 2)) {
			path := fmt.Sprintf("/users/%d/subscriptions/%d", other.id, st.id)
			list = append(list, question{"GET /api/v1/users/{user_id}/subscriptions/{stream_id}", path, nil, sees || s.roles[p.id].IsAdmin()})
		}
	}
	return list
}

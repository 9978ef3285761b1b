package property_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func (s *secrets) newStream() {
	if len(s.streams) > 6 {
		return
	}
	p, private, open := s.someone(), s.drawBool("private"), s.drawBool("open history")
	s.found(p, private, open, drawSome(s.history, "members", s.people, 4)...)
}

// found creates a stream.
func (s *secrets) found(p *person, private, open bool, others ...*person) {
	name, description := s.word(), s.word()
	params := servicetest.Params{"subscriptions": []map[string]string{{"name": name, "description": description}}, "invite_only": private}
	if private {
		params["history_public_to_subscribers"] = open
	}
	members := []int64{p.id}
	for _, other := range others {
		if !s.ended[other.id] {
			members = append(members, other.id)
		}
	}
	if s.roles[p.id] < actor.Guest {
		params["principals"] = members
	}
	if _, ok := s.try(p, http.MethodPost, "/users/me/subscriptions", params); !ok {
		return
	}
	st := &stream{
		id: p.StreamID(name), name: name, private: private, historyPublic: open || !private,
		subscribed: map[int64]bool{}, muted: map[int64]bool{}, mutedTopics: map[int64]map[string]bool{},
	}
	s.note("    is %d", st.id)
	s.streams[st.id] = st
	s.about[st.id] = &secretStream{words: wordsOf(name, description), once: map[int64]bool{}}
	s.enter(st, members...)
	s.notices(false)
}

func (s *secrets) enter(st *stream, users ...int64) {
	for _, user := range users {
		st.subscribed[user], s.about[st.id].once[user] = true, true
	}
}

func (s *secrets) join() {
	if len(s.streams) == 0 {
		return
	}
	by, st := s.someone(), draw(s.history, "stream", s.sortedStreams())
	who := by
	if s.one(2, "another") {
		who = s.someone()
	}
	if !s.about[st.id].ended { // else it would be created
		s.subscribe(by, who, st)
	}
}

// subscribe has one account subscribe another.
func (s *secrets) subscribe(by, who *person, st *stream) {
	params := servicetest.Params{"subscriptions": []map[string]string{{"name": st.name}}}
	if by != who {
		params["principals"] = []int64{who.id}
	}
	if _, ok := s.try(by, http.MethodPost, "/users/me/subscriptions", params); ok && !st.subscribed[who.id] {
		s.allowed(s.canRead(by.id, st), by, "subscribe "+who.name)
		s.enter(st, who.id)
	}
	s.notices(false)
}

func (s *secrets) leave() {
	who := s.someone()
	streams := s.streamsWhere(func(st *stream) bool { return st.subscribed[who.id] })
	if len(streams) == 0 {
		return
	}
	by, st := who, draw(s.history, "stream", streams)
	if s.one(2, "by another") {
		by = s.admin()
	}
	s.unsubscribe(by, who, st)
}

// unsubscribe has one account unsubscribe another.
func (s *secrets) unsubscribe(by, who *person, st *stream) {
	params := servicetest.Params{"subscriptions": []string{st.name}}
	if by != who {
		params["principals"] = []int64{who.id}
	}
	answer, ok := s.try(by, http.MethodDelete, "/users/me/subscriptions", params)
	if !ok || !strings.Contains(answer.Body, `"removed":["`+st.name) {
		return
	}
	delete(st.subscribed, who.id)
	if st.private && len(s.subscribers(st)) == 0 {
		s.ends(st)
	}
}

// subscribers returns a stream's subscribers that aren't deactivated.
func (s *secrets) subscribers(st *stream) []int64 {
	return slices.DeleteFunc(st.members(), func(user int64) bool { return s.ended[user] })
}

func (s *secrets) ends(st *stream) {
	st.private, st.historyPublic, st.subscribed, s.about[st.id].ended = true, false, map[int64]bool{}, true
}

func (s *secrets) privacy() {
	if len(s.streams) == 0 {
		return
	}
	p, st, private, open := s.admin(), draw(s.history, "stream", s.sortedStreams()), s.drawBool("private"), s.drawBool("open")
	params := servicetest.Params{"is_private": private, "history_public_to_subscribers": open}
	if _, ok := s.try(p, http.MethodPatch, fmt.Sprintf("/streams/%d", st.id), params); ok {
		s.allowed(s.roles[p.id].IsAdmin() && s.canRead(p.id, st), p, "change who sees a stream")
		st.private, st.historyPublic = private, open || !private
	}
	s.notices(false)
}

func (s *secrets) describe() {
	if len(s.streams) == 0 {
		return
	}
	p, st, word := s.admin(), draw(s.history, "stream", s.sortedStreams()), s.word()
	name := s.drawBool("name")
	params := servicetest.Params{"description": fmt.Sprintf("%q", word)}
	if name {
		params = servicetest.Params{"new_name": fmt.Sprintf("%q", word)}
	}
	if _, ok := s.try(p, http.MethodPatch, fmt.Sprintf("/streams/%d", st.id), params); ok {
		s.allowed(s.roles[p.id].IsAdmin(), p, "describe a stream")
		about := s.about[st.id]
		if name {
			maps.DeleteFunc(about.words, func(word string, _ bool) bool { return wordsOf(st.name)[word] })
			st.name = word
		}
		about.words[word] = true
	}
	s.notices(false)
}

func (s *secrets) endStream() {
	if len(s.streams) == 0 {
		return
	}
	p, st := s.admin(), draw(s.history, "stream", s.sortedStreams())
	if _, ok := s.try(p, http.MethodDelete, fmt.Sprintf("/streams/%d", st.id), nil); ok {
		s.allowed(s.roles[p.id].IsAdmin(), p, "end a stream")
		s.ends(st)
	}
	s.notices(false)
}

func (s *secrets) defaultStream() {
	if len(s.streams) == 0 {
		return
	}
	p, st := s.admin(), draw(s.history, "stream", s.sortedStreams())
	group := servicetest.Params{"group_name": fmt.Sprintf("group %d", s.words), "description": "", "stream_names": []string{st.name}}
	_, streams := s.try(p, http.MethodPost, "/default_streams", servicetest.Params{"stream_id": st.id})
	_, groups := s.try(p, http.MethodPost, "/default_stream_groups/create", group)
	s.about[st.id].listed = s.about[st.id].listed || streams || groups
}

func (s *secrets) role() {
	by, p := s.admin(), draw(s.history, "of", s.people[1:])
	role := draw(s.history, "role", []actor.Role{actor.Owner, actor.Administrator, actor.Member, actor.Guest})
	if p.bot {
		return
	}
	if _, ok := s.try(by, http.MethodPatch, fmt.Sprintf("/users/%d", p.id), servicetest.Params{"role": role}); ok {
		s.allowed(s.roles[by.id].IsAdmin(), by, "change a role")
		s.roles[p.id] = role
		if bot := s.person("Bo"); p.name == "Mia" {
			s.roles[bot.id] = max(s.roles[bot.id], role, actor.Member)
		}
		s.forget()
	}
}

// forget makes changed rights effective at once.
func (s *secrets) forget() {
	for _, p := range s.people {
		s.world.Forget(p.Account)
	}
}

func (s *secrets) deactivate() {
	dan := s.person("Dan")
	if _, ok := s.try(s.person("Olga"), http.MethodDelete, fmt.Sprintf("/users/%d", dan.id), nil); ok {
		s.ended[dan.id] = true
		delete(s.queues, dan.name)
		delete(s.wide, dan.name)
		s.forget()
	}
}

func (s *secrets) upload() {
	p, name, content := s.someone(), s.word(), s.word()
	path := p.Upload(name+".txt", content)
	s.note("%s: uploads %s", p.name, path)
	s.files = append(s.files, &secretFile{by: p.id, path: path, content: wordsOf(path, content)})
}

// keep generates something that only one account has.
func (s *secrets) keep() {
	p, word := s.someone(), s.word()
	kept := draw(s.history, "kept", []string{"draft", "later", "alert word", "muted topic", "storage", "device"})
	if kept == "storage" {
		p = s.person("Bo")
	}
	s.own[p.id][word] = true
	switch kept {
	case "draft":
		draft := []map[string]any{{"type": "", "to": []int64{}, "topic": word, "content": word}}
		s.try(p, http.MethodPost, "/drafts", servicetest.Params{"drafts": draft})
	case "later":
		s.try(p, http.MethodPost, "/messages", servicetest.Params{
			"type": "private", "to": []int64{p.id, s.someone().id}, "content": word, "delivery_type": "send_later",
			"deliver_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		})
	case "alert word":
		s.try(p, http.MethodPost, "/users/me/alert_words", servicetest.Params{"alert_words": []string{word}})
	case "muted topic":
		if len(s.streams) > 0 {
			st := draw(s.history, "stream", s.sortedStreams())
			s.try(p, http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream_id": st.id, "topic": word, "op": "add"})
		}
	case "storage":
		s.try(p, http.MethodPut, "/bot_storage", servicetest.Params{"storage": map[string]string{word: word}})
	case "device":
		s.try(p, http.MethodPost, "/users/me/push_devices", servicetest.Params{
			"endpoint": "https://push.example/" + word, "auth": "BTBZMqHH6r4Tts7J_aSIgg",
			"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
		})
	}
}

func (s *secrets) invite() {
	p, address := s.someone(), s.word()
	s.own[p.id][address] = true
	s.invited[address] = true
	s.try(p, http.MethodPost, "/invites", servicetest.Params{"invitee_emails": address + "@corp.example", "stream_ids": slices.Sorted(maps.Keys(s.streams))})
}

func (s *secrets) addBot() {
	p, address := s.someone(), s.word()
	s.own[p.id][address] = true
	s.bots[address] = true
	s.try(p, http.MethodPost, "/bots", servicetest.Params{
		"full_name": fmt.Sprintf("Robot %d", s.words), "short_name": fmt.Sprintf("robot%d", s.words), "bot_type": 3, "payload_url": fmt.Sprintf("%q", "https://"+address+".example/"),
	})
}

func (s *secrets) showAddresses() {
	p, visible := s.admin(), draw(s.history, "visible", []int{1, 3, 4})
	if _, ok := s.try(p, http.MethodPatch, "/realm", servicetest.Params{"email_address_visibility": visible}); ok {
		s.visible = visible
		s.forget()
	}
}

package property_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// run is a history together with the model of it.
type run struct {
	*history
	*model
	queues map[string]*servicetest.Queue
	newest int64 // id of the newest message in the model
}

// actions are those of a history. One does nothing if it isn't possible now.
func actions() []weighted[*run] {
	return []weighted[*run]{
		{10, (*run).sendToStream},
		{5, (*run).sendToPeople},
		{2, (*run).createStream},
		{4, (*run).subscribe},
		{4, (*run).unsubscribe},
		{4, (*run).editContent},
		{5, (*run).moveTopic},
		{5, (*run).moveToStream},
		{2, (*run).deleteMessage},
		{1, (*run).deleteTopic},
		{4, (*run).star},
		{8, (*run).flagRead},
		{3, (*run).readTopic},
		{2, (*run).readStream},
		{1, (*run).readAll},
		{2, (*run).muteStream},
		{2, (*run).muteTopic},
		{4, (*run).react},
	}
}

// step does one action.
func (r *run) step() { drawWeighted(r.history, "action", actions())(r) }

func (r *run) someone() *person { return draw(r.history, "who", r.people) }

func (r *run) topic() string { return draw(r.history, "topic", []string{"lunch", "Lunch", "pumps"}) }

// text generates the text of a message.
func (r *run) text() text {
	body := text{content: "about"}
	for range drawSome(r.history, "words", []int{0}, 3) {
		p := r.someone()
		switch draw(r.history, "part", []string{"word", "word", "mention", "silent", "all"}) {
		case "word":
			word := draw(r.history, "word", []string{"boiler", "valve", "Boiler", "boilers", "tea"})
			body.words = append(body.words, strings.ToLower(word))
			body.content += " " + word
		case "mention":
			body.mentions = append(body.mentions, p.id)
			body.content += " @**" + p.name + "**"
		case "silent":
			body.content += " @_**" + p.name + "**"
		case "all":
			body.wildcard = true
			body.content += " @**all**"
		}
	}
	return body
}

// streamsWhere returns the streams that satisfy a condition.
func (r *run) streamsWhere(got func(s *stream) bool) []*stream {
	return slices.DeleteFunc(r.sortedStreams(), func(s *stream) bool { return !got(s) })
}

// messagesWhere returns the messages that satisfy a condition.
func (r *run) messagesWhere(got func(of *message) bool) []*message {
	return slices.DeleteFunc(r.sortedMessages(), func(of *message) bool { return !got(of) })
}

func (r *run) send(p *person, to servicetest.Params, sent *message, body text) {
	to["content"] = body.content
	readBy := []int64{}
	if p.client != "" {
		to["client"] = p.client
		readBy = append(readBy, p.id)
	}
	reply := struct{ ID int64 }{}
	r.do(p, http.MethodPost, "/messages", to).OK().Decode(&reply)
	r.note("    is %d", reply.ID)
	sent.id, sent.sender, r.newest = reply.ID, p.id, reply.ID
	r.model.send(r.history, sent, body, readBy...)
}

func (r *run) sendToStream() {
	p := r.someone()
	streams := r.streamsWhere(func(s *stream) bool {
		owner := r.person("Mia").id // the bot may send where she may
		if p.bot && len(s.subscribed) == 0 {
			return false // the owner would get a notification that the stream has no subscribers, once a minute
		}
		return r.canRead(p.id, s) || p.bot && s.subscribed[owner]
	})
	if len(streams) == 0 {
		return
	}
	s, topic := draw(r.history, "stream", streams), r.topic()
	r.send(p, servicetest.Params{"type": "stream", "to": s.name, "topic": topic}, &message{stream: s.id, topic: topic}, r.text())
}

func (r *run) sendToPeople() {
	p, members := r.someone(), []int64{}
	for _, other := range drawSome(r.history, "to", r.people, 3) {
		members = append(members, other.id)
	}
	to := slices.Clone(members)
	members = append(members, p.id)
	slices.Sort(members)
	r.send(p, servicetest.Params{"type": "private", "to": to}, &message{members: slices.Compact(members)}, r.text())
}

// notices reads the notification bot's messages since newest; readBy have read them.
func (r *run) notices(readBy ...int64) {
	for _, notice := range r.messagesSince(r.newest) {
		r.newest = notice.id
		r.note("    notice %d", notice.id)
		r.model.send(r.history, notice, text{}, readBy...)
	}
}

func (r *run) createStream() {
	if len(r.streams) > 7 {
		return
	}
	p := draw(r.history, "who", []*person{r.person("Olga"), r.person("Adam"), r.person("Mia")})
	private, open := r.drawBool("private"), r.drawBool("open history")
	r.create(p, fmt.Sprintf("stream %d", len(r.streams)), private, open)
}

func (r *run) create(p *person, name string, private, open bool, others ...*person) {
	params := servicetest.Params{"subscriptions": []map[string]string{{"name": name}}, "invite_only": private}
	if private {
		params["history_public_to_subscribers"] = open
	}
	if len(others) > 0 {
		everyone := []int64{p.id}
		for _, other := range others {
			everyone = append(everyone, other.id)
		}
		params["principals"] = everyone
	}
	r.do(p, http.MethodPost, "/users/me/subscriptions", params).OK()
	s := &stream{
		id: p.StreamID(name), name: name, private: private, historyPublic: open || !private,
		subscribed: map[int64]bool{}, muted: map[int64]bool{}, mutedTopics: map[int64]map[string]bool{},
	}
	r.note("    is %d", s.id)
	r.streams[s.id] = s
	members := []int64{p.id}
	for _, other := range others {
		members = append(members, other.id)
	}
	r.join(s, members...)
	r.notices(p.id)
}

func (r *run) subscribe() {
	p := r.someone()
	admins := slices.DeleteFunc(slices.Clone(r.people), func(p *person) bool { return !p.role.IsAdmin() })
	by := draw(r.history, "by", append(admins, p))
	streams := r.streamsWhere(func(s *stream) bool {
		mayJoin := s.subscribed[by.id] || !s.private && by.role < actor.Guest
		return !s.subscribed[p.id] && mayJoin
	})
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	params := servicetest.Params{"subscriptions": []map[string]string{{"name": s.name}}}
	if by != p {
		params["principals"] = []int64{p.id}
	}
	r.do(by, http.MethodPost, "/users/me/subscriptions", params).OK()
	r.join(s, p.id)
	r.notices()
}

func (r *run) unsubscribe() {
	p := r.someone()
	by := draw(r.history, "by", []*person{r.person("Olga"), r.person("Adam"), p, p})
	streams := r.streamsWhere(func(s *stream) bool {
		return s.subscribed[p.id] && (!s.private || len(s.subscribed) > 1) // so that no stream is left without subscribers
	})
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	params := servicetest.Params{"subscriptions": []string{s.name}}
	if by != p {
		params["principals"] = []int64{p.id}
	}
	r.do(by, http.MethodDelete, "/users/me/subscriptions", params).OK()
	r.leave(p.id, s)
}

func (r *run) muteStream() {
	p := r.someone()
	streams := r.streamsWhere(func(s *stream) bool { return s.subscribed[p.id] })
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	s.muted[p.id] = !s.muted[p.id]
	data := []map[string]any{{"stream_id": s.id, "property": "is_muted", "value": s.muted[p.id]}}
	r.do(p, http.MethodPost, "/users/me/subscriptions/properties", servicetest.Params{"subscription_data": data}).OK()
	r.expect(p.id, "subscription %d in_home_view %t", s.id, !s.muted[p.id])
}

func (r *run) muteTopic() {
	p, topic := r.someone(), r.topic()
	streams := r.streamsWhere(func(s *stream) bool { return r.canRead(p.id, s) })
	if len(streams) == 0 {
		return
	}
	s, key, op := draw(r.history, "stream", streams), strings.ToLower(topic), "add"
	if s.mutedTopics[p.id] == nil {
		s.mutedTopics[p.id] = map[string]bool{}
	}
	if s.mutedTopics[p.id][key] {
		op = "remove"
		delete(s.mutedTopics[p.id], key)
	} else {
		s.mutedTopics[p.id][key] = true
	}
	r.do(p, http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream_id": s.id, "topic": topic, "op": op}).OK()
	r.tellMuted(p.id)
}

func (r *run) react() {
	p := r.someone()
	messages := r.messagesWhere(func(of *message) bool { return r.canAccess(p.id, of) })
	if len(messages) == 0 {
		return
	}
	of, emoji := draw(r.history, "message", messages), draw(r.history, "emoji", []string{"tada", "octopus"})
	method, op := http.MethodPost, "add"
	if of.reactions[p.id][emoji] {
		method, op = http.MethodDelete, "remove"
	}
	r.do(p, method, fmt.Sprintf("/messages/%d/reactions", of.id), servicetest.Params{"emoji_name": emoji}).OK()
	if of.reactions[p.id] == nil {
		of.reactions[p.id] = map[string]bool{}
	}
	of.reactions[p.id][emoji] = op == "add"
	if op == "add" && r.rows[p.id][of.id] == nil {
		r.rows[p.id][of.id] = &row{flags: event.Historical, kept: true}
	}
	for _, user := range r.holders(of) {
		r.expect(user, "reaction %s %s by %d to %d", op, emoji, p.id, of.id)
	}
}

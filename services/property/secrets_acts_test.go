package property_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// secretActs are the acts of TestSecrets. Each is tried by anybody, and changes the model if it succeeds.
func secretActs() []weighted[*secrets] {
	return []weighted[*secrets]{
		{8, (*secrets).sendStream},
		{4, (*secrets).sendPrivate},
		{4, (*secrets).edit},
		{3, (*secrets).rename},
		{5, (*secrets).moveAway},
		{2, (*secrets).remove},
		{1, (*secrets).removeTopic},
		{3, (*secrets).starOne},
		{2, (*secrets).reactTo},
		{1, (*secrets).vote},
		{2, (*secrets).newStream},
		{4, (*secrets).join},
		{4, (*secrets).leave},
		{4, (*secrets).privacy},
		{2, (*secrets).describe},
		{1, (*secrets).endStream},
		{1, (*secrets).defaultStream},
		{3, (*secrets).role},
		{1, (*secrets).deactivate},
		{3, (*secrets).upload},
		{1, (*secrets).keep},
		{1, (*secrets).invite},
		{1, (*secrets).addBot},
		{1, (*secrets).showAddresses},
	}
}

func (s *secrets) act() { drawWeighted(s.history, "act", secretActs())(s) }

// someone returns an account that isn't deactivated.
func (s *secrets) someone() *person {
	return draw(s.history, "who", slices.DeleteFunc(slices.Clone(s.people), func(p *person) bool { return s.ended[p.id] }))
}

// admin returns an owner or an administrator, rather than anybody.
func (s *secrets) admin() *person {
	if s.one(6, "anybody") {
		return s.someone()
	}
	return draw(s.history, "admin", slices.DeleteFunc(slices.Clone(s.people), func(p *person) bool { return s.ended[p.id] || !s.roles[p.id].IsAdmin() }))
}

// try makes a call, whose answer [secrets.learn] checks.
func (s *secrets) try(p *person, method, path string, params servicetest.Params) (servicetest.Answer, bool) {
	s.Helper()
	answer := s.do(p, method, path, params)
	said := wordsOf(path)
	for _, value := range params {
		said.add(wordsOf(asJSON(value)))
	}
	s.hear(p, method+" "+path, answer.Body, said)
	return answer, answer.Status == http.StatusOK
}

func (s *secrets) hear(p *person, what, text string, said words) {
	s.heard = append(s.heard, heard{p.id, what, text, said})
}

// allowed fails the test if something succeeded that isn't allowed.
func (s *secrets) allowed(allowed bool, p *person, what string) {
	s.Helper()
	if !allowed {
		s.Fatalf("%s may %s", p.name, what)
	}
}

// content generates a message's content with a word, and with what others said, links and mentions.
func (s *secrets) content(p *person) text {
	body := text{content: s.word()}
	switch draw(s.history, "part", []string{"", "", "quote", "stream", "file", "file", "mention", "all"}) {
	case "quote":
		if known := slices.Sorted(maps.Keys(s.sees(p.id))); len(known) > 0 {
			body.content += "\n```quote\n" + draw(s.history, "quoted", known) + "\n```"
		}
	case "stream":
		if streams := s.streamsWhere(func(st *stream) bool { return s.seesStream(p.id, st) }); len(streams) > 0 {
			body.content += " #**" + draw(s.history, "stream", streams).name + "**"
		}
	case "file":
		if len(s.files) > 0 {
			body.content += " [plan](" + draw(s.history, "file", s.files).path + ")"
		}
	case "mention":
		other := s.someone()
		body.content, body.mentions = body.content+" @**"+other.name+"**", []int64{other.id}
	case "all":
		body.content, body.wildcard = body.content+" @**all**", true
	}
	return body
}

// linked returns the files in a content that its author may read.
func (s *secrets) linked(p *person, content string) []*secretFile {
	files := []*secretFile{}
	for _, f := range s.files {
		if strings.Contains(content, f.path) && s.mayRead(p.id, f) {
			files = append(files, f)
		}
	}
	return files
}

// sentNow records a sent message, and notices about it.
func (s *secrets) sentNow(p *person, answer servicetest.Answer, sent *message, body text) {
	s.Helper()
	reply := struct{ ID int64 }{}
	answer.Decode(&reply)
	s.note("    is %d", reply.ID)
	sent.id, sent.sender = reply.ID, p.id
	s.put(sent, body)
	s.links[sent.id] = s.linked(p, body.content)
}

func (s *secrets) put(sent *message, body text) {
	s.newest = max(s.newest, sent.id)
	s.model.send(s.history, sent, body)
	s.texts[sent.id] = wordsOf(body.content)
	s.numbers = append(s.numbers, sent.id)
}

// notices records the messages of the notification bot since the last message. They tell nobody what they may not know, except
// that whoever moves a message lets both places know of the other.
func (s *secrets) notices(moved bool) {
	s.Helper()
	for _, notice := range s.messagesSince(s.newest) {
		content := ""
		if err := s.conn.QueryRow(s.Context(), "select content from messages where message_id = $1", notice.id).Scan(&content); err != nil {
			s.Fatal(err)
		}
		s.note("    notice %d: %s", notice.id, content)
		before := map[int64]words{}
		for _, p := range s.people {
			before[p.id] = words{}
			before[p.id].add(s.known[p.id], s.sees(p.id))
		}
		s.put(notice, text{content: content})
		for _, p := range s.people {
			if more := wordsOf(content).without(before[p.id]); !moved && !s.ended[p.id] && s.rows[p.id][notice.id] != nil && len(more) > 0 {
				s.Fatalf("%s gets to know %v by the notice %q", p.name, more, content)
			}
		}
	}
}

// secretTopic generates a topic: a new one, or one of a stream's.
func (s *secrets) secretTopic(in int64) string {
	topics := map[string]bool{}
	for _, of := range s.messages {
		if of.stream == in {
			topics[of.topic] = true
		}
	}
	if len(topics) > 0 && !s.one(3, "new topic") {
		return draw(s.history, "topic", slices.Sorted(maps.Keys(topics)))
	}
	return s.word()
}

func (s *secrets) sendStream() {
	p := s.someone()
	if len(s.streams) == 0 {
		return
	}
	st := draw(s.history, "stream", s.sortedStreams())
	topic, body := s.secretTopic(st.id), s.content(p)
	may := st.subscribed[p.id] || !st.private && s.roles[p.id] < actor.Guest || p.bot && st.subscribed[s.person("Mia").id]
	answer, ok := s.try(p, http.MethodPost, "/messages", servicetest.Params{"type": "stream", "to": st.id, "topic": topic, "content": body.content})
	if ok {
		s.allowed(may, p, "send")
		s.sentNow(p, answer, &message{stream: st.id, topic: topic}, body)
	}
	s.notices(false)
}

func (s *secrets) sendPrivate() {
	p, members := s.someone(), []int64{}
	for _, other := range drawSome(s.history, "to", s.people, 3) {
		members = append(members, other.id)
	}
	to, body := slices.Clone(members), s.content(p)
	members = append(members, p.id)
	slices.Sort(members)
	if answer, ok := s.try(p, http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": to, "content": body.content}); ok {
		s.sentNow(p, answer, &message{members: slices.Compact(members)}, body)
	}
}

// anyMessage returns any message, or nil if there is none.
func (s *secrets) anyMessage() *message {
	if len(s.messages) == 0 {
		return nil
	}
	return draw(s.history, "message", s.sortedMessages())
}

func (s *secrets) edit() {
	of := s.anyMessage()
	if of == nil {
		return
	}
	p := s.withID(of.sender)
	if p == nil || s.ended[p.id] || s.one(5, "of others") {
		p = s.someone()
	}
	body := s.content(p)
	if _, ok := s.try(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), servicetest.Params{"content": body.content}); ok {
		s.allowed(p.id == of.sender && s.canAccess(p.id, of), p, "edit")
		s.rewrite(s.history, of, body)
		s.texts[of.id].add(wordsOf(body.content))
		s.links[of.id] = s.linked(p, body.content)
	}
}

func (s *secrets) rename() {
	p, of := s.someone(), s.anyMessage()
	if of == nil || of.stream == 0 {
		return
	}
	topic, mode := s.secretTopic(of.stream), s.mode()
	_, ok := s.try(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), servicetest.Params{"topic": topic, "propagate_mode": mode})
	if ok {
		s.allowed(s.canAccess(p.id, of), p, "rename a topic")
		s.texts[of.id].add(wordsOf(of.topic))
		s.move(s.along(of, mode), of.stream, topic)
	}
	s.notices(true)
}

func (s *secrets) moveAway() {
	p, of := s.admin(), s.anyMessage()
	if of == nil || of.stream == 0 {
		return
	}
	to, mode := draw(s.history, "stream", s.sortedStreams()), s.mode()
	if to.id == of.stream {
		return
	}
	params := servicetest.Params{"stream_id": to.id, "propagate_mode": mode}
	topic := ""
	if s.one(2, "topic, too") {
		topic = s.secretTopic(to.id)
		params["topic"] = topic
	}
	if _, ok := s.try(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), params); ok {
		s.allowed(s.roles[p.id].IsAdmin() && s.canAccess(p.id, of), p, "move")
		moved := s.along(of, mode)
		if topic != "" {
			s.texts[of.id].add(wordsOf(of.topic))
		}
		s.leaveBehind(s.streams[of.stream], moved, to)
		s.move(moved, to.id, topic)
	}
	s.notices(true)
}

func (s *secrets) remove() {
	p, of := s.admin(), s.anyMessage()
	if of == nil {
		return
	}
	if _, ok := s.try(p, http.MethodDelete, fmt.Sprintf("/messages/%d", of.id), nil); ok {
		s.allowed(s.canAccess(p.id, of), p, "delete")
		s.model.remove([]int64{of.id})
	}
}

func (s *secrets) removeTopic() {
	p, of := s.admin(), s.anyMessage()
	if of == nil || of.stream == 0 {
		return
	}
	st := s.streams[of.stream]
	if _, ok := s.try(p, http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", st.id), servicetest.Params{"topic_name": of.topic}); ok {
		s.allowed(s.roles[p.id].IsAdmin(), p, "delete a topic")
		s.model.remove(slices.DeleteFunc(s.topicOf(st.id, of.topic), func(number int64) bool {
			row := s.rows[p.id][number]
			return !st.historyPublic && (row == nil || !row.received)
		}))
	}
}

func (s *secrets) starOne() {
	p, of := s.someone(), s.anyMessage()
	if of == nil {
		return
	}
	if _, ok := s.try(p, http.MethodPost, "/messages/flags", servicetest.Params{"messages": []int64{of.id}, "flag": "starred", "op": "add"}); ok {
		s.allowed(s.canAccess(p.id, of), p, "star")
		if s.rows[p.id][of.id] == nil {
			s.rows[p.id][of.id] = &row{flags: event.Historical}
		}
		s.rows[p.id][of.id].setFlag(event.Starred, false)
	}
}

func (s *secrets) reactTo() {
	p, of := s.someone(), s.anyMessage()
	if of == nil {
		return
	}
	if _, ok := s.try(p, http.MethodPost, fmt.Sprintf("/messages/%d/reactions", of.id), servicetest.Params{"emoji_name": "tada"}); ok {
		s.allowed(s.canAccess(p.id, of), p, "react")
		if s.rows[p.id][of.id] == nil {
			s.rows[p.id][of.id] = &row{flags: event.Historical, kept: true}
		}
	}
}

func (s *secrets) vote() {
	p, of, said := s.someone(), s.anyMessage(), s.word()
	if of == nil {
		return
	}
	params := servicetest.Params{"message_id": of.id, "msg_type": "widget", "content": fmt.Sprintf("%q", said)}
	if _, ok := s.try(p, http.MethodPost, "/submessage", params); ok {
		s.allowed(s.canAccess(p.id, of), p, "vote")
		s.texts[of.id][said] = true
	}
}

package property_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func (r *run) editContent() {
	p := r.someone()
	messages := r.messagesWhere(func(of *message) bool { return of.sender == p.id && r.canAccess(p.id, of) })
	if len(messages) == 0 {
		return
	}
	of, body := draw(r.history, "message", messages), r.text()
	params := servicetest.Params{"content": body.content}
	topic := ""
	if of.stream != 0 && r.one(4, "topic, too") {
		topic = r.topic()
		params["topic"] = topic
	}
	r.do(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), params).OK()
	r.rewrite(r.history, of, body)
	said := fmt.Sprintf("content %q ", body.content)
	if topic != "" && topic != of.topic {
		said += fmt.Sprintf("change_one from %d>%s topic %s", of.stream, of.topic, topic)
		r.move([]int64{of.id}, of.stream, topic)
	}
	for _, user := range r.holders(of) {
		r.expect(user, "update %d %v %v %s", of.id, []int64{of.id}, r.eventFlags(user, of), said)
	}
}

// along returns the messages that a change of one message affects in a mode, beginning with this message.
func (r *run) along(of *message, mode string) []int64 {
	moved := []int64{of.id}
	if mode == "change_one" {
		return moved
	}
	for _, number := range r.topicOf(of.stream, of.topic) {
		if number > of.id || number < of.id && mode == "change_all" {
			moved = append(moved, number)
		}
	}
	return moved
}

func (r *run) mode() string {
	return draw(r.history, "mode", []string{"change_one", "change_later", "change_all", "change_all"})
}

func (r *run) moveTopic() {
	p := r.someone()
	messages := r.messagesWhere(func(of *message) bool { return of.stream != 0 && r.canAccess(p.id, of) })
	if len(messages) == 0 {
		return
	}
	of, topic, mode := draw(r.history, "message", messages), r.topic(), r.mode()
	answer := r.do(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), servicetest.Params{"topic": topic, "propagate_mode": mode})
	if mode != "change_one" && !r.canRead(p.id, r.streams[of.stream]) {
		answer.Fails(400, "BAD_REQUEST", "You don't have permission to edit this message")
		return
	}
	answer.OK()
	if topic == of.topic && mode == "change_one" {
		return
	}
	moved := r.along(of, mode)
	for _, user := range r.holders(of) {
		r.expect(user, "update %d %v %v %s from %d>%s topic %s", of.id, moved, r.eventFlags(user, of), mode, of.stream, of.topic, topic)
	}
	r.move(moved, of.stream, topic)
}

func (r *run) moveToStream() {
	p := draw(r.history, "who", []*person{r.person("Olga"), r.person("Adam")})
	messages := r.messagesWhere(func(of *message) bool {
		return of.stream != 0 && !r.streams[of.stream].private && r.canAccess(p.id, of)
	})
	if len(messages) == 0 {
		return
	}
	of, mode := draw(r.history, "message", messages), r.mode()
	streams := r.streamsWhere(func(s *stream) bool { return !s.private && s.id != of.stream })
	if len(streams) == 0 {
		return
	}
	to, topic := draw(r.history, "stream", streams), draw(r.history, "topic", []string{"", "", "lunch", "Lunch", "pumps"})
	if topic == of.topic {
		topic = ""
	}
	params := servicetest.Params{
		"stream_id": to.id, "propagate_mode": mode,
		"send_notification_to_old_thread": r.one(4, "tell the old"), "send_notification_to_new_thread": r.one(4, "tell the new"),
	}
	said := ""
	if topic != "" {
		params["topic"], said = topic, " topic "+topic
	}
	r.do(p, http.MethodPatch, fmt.Sprintf("/messages/%d", of.id), params).OK()
	moved := r.along(of, mode)
	receivers, flags := r.holders(of), map[int64][]string{}
	for _, user := range receivers {
		flags[user] = r.eventFlags(user, of)
	}
	unread := map[int64][]int64{}
	for _, number := range slices.Sorted(slices.Values(moved)) {
		for user, rows := range r.rows {
			if own := rows[number]; own != nil && own.received && own.unread {
				unread[user] = append(unread[user], number)
			}
		}
	}
	behind := r.leaveBehind(r.streams[of.stream], moved, to)
	for _, user := range r.everybody() {
		switch {
		case slices.Contains(behind, user):
			if r.roles[user] >= actor.Guest {
				r.tellDeleted(user, moved, fmt.Sprintf("%d>%s", of.stream, of.topic))
			} else if len(unread[user]) > 0 {
				r.tellFlags(user, "add", "read", unread[user], false)
			}
		case slices.Contains(receivers, user):
			r.expect(user, "update %d %v %v %s from %d>%s%s stream %d", of.id, moved, flags[user], mode, of.stream, of.topic, said, to.id)
		}
		history := slices.DeleteFunc(unread[user], func(number int64) bool { return slices.Contains(r.messages[number].present[to.id], user) })
		if from := r.streams[of.stream]; from.subscribed[user] && to.subscribed[user] && len(history) > 0 {
			r.tellFlags(user, "add", "read", history, false)
		}
	}
	r.move(moved, to.id, topic)
	r.notices()
}

func (r *run) deleteMessage() {
	p := draw(r.history, "who", []*person{r.person("Olga"), r.person("Adam")})
	messages := r.messagesWhere(func(of *message) bool { return r.canAccess(p.id, of) })
	if len(messages) == 0 {
		return
	}
	of := draw(r.history, "message", messages)
	r.do(p, http.MethodDelete, fmt.Sprintf("/messages/%d", of.id), nil).OK()
	where := "private"
	if of.stream != 0 {
		where = fmt.Sprintf("%d>%s", of.stream, of.topic)
	}
	for _, user := range r.holders(of) {
		r.expect(user, "delete [%d] of %s", of.id, where)
	}
	r.remove([]int64{of.id})
}

func (r *run) deleteTopic() {
	p, topic := draw(r.history, "who", []*person{r.person("Olga"), r.person("Adam")}), r.topic()
	streams := r.streamsWhere(func(s *stream) bool { return r.canRead(p.id, s) })
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	r.do(p, http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", s.id), servicetest.Params{"topic_name": topic}).OK()
	gone := slices.DeleteFunc(r.topicOf(s.id, topic), func(number int64) bool {
		row := r.rows[p.id][number]
		return !s.historyPublic && (row == nil || !row.received)
	})
	if len(gone) == 0 {
		return
	}
	where := fmt.Sprintf("%d>%s", s.id, r.messages[gone[len(gone)-1]].topic)
	for _, user := range r.everybody() {
		if slices.ContainsFunc(gone, func(number int64) bool { return slices.Contains(r.holders(r.messages[number]), user) }) {
			r.tellDeleted(user, gone, where)
		}
	}
	r.remove(gone)
}

// in reports whether a message is in a stream's topic; "": in any.
func in(s *stream, topic string) func(*message) bool {
	return func(of *message) bool {
		return of.stream == s.id && (topic == "" || strings.EqualFold(of.topic, topic))
	}
}

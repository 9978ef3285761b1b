package property_test

import (
	"net/http"
	"slices"

	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

// setFlag requests a change of a flag, and records the expected events.
func (r *run) setFlag(p *person, messages []int64, flag string, remove bool) {
	op := "add"
	if remove {
		op = "remove"
	}
	r.do(p, http.MethodPost, "/messages/flags", servicetest.Params{"messages": messages, "flag": flag, "op": op}).OK()
	r.tellFlags(p.id, op, flag, messages, false)
}

// star stars or collapses messages, or the opposite. A person who stars a message that they can access, but haven't
// received, then has received it.
func (r *run) star() {
	p, remove := r.someone(), r.drawBool("remove")
	name, flag := "starred", event.Starred
	if r.one(4, "collapse") {
		name, flag = "collapsed", event.Collapsed
	}
	alone := flag == event.Starred && r.one(2, "alone")
	messages := r.messagesWhere(func(of *message) bool {
		return r.rows[p.id][of.id] != nil || alone && r.canAccess(p.id, of)
	})
	if len(messages) == 0 {
		return
	}
	chosen := r.drawMessages(messages, alone)
	r.setFlag(p, chosen, name, remove)
	for _, number := range chosen {
		if r.rows[p.id][number] == nil && alone && !remove {
			r.rows[p.id][number] = &row{flags: event.Historical, kept: true}
		}
		if own := r.rows[p.id][number]; own != nil {
			own.setFlag(flag, remove)
		}
	}
}

// drawMessages chooses one of these messages if alone is set, or else several of them, sometimes with others.
func (r *run) drawMessages(of []*message, alone bool) []int64 {
	if alone {
		return []int64{draw(r.history, "message", of).id}
	}
	chosen := []int64{}
	for _, message := range drawSome(r.history, "messages", of, 5) {
		chosen = append(chosen, message.id)
	}
	if r.one(3, "others, too") {
		for _, message := range drawSome(r.history, "others", r.sortedMessages(), 3) {
			chosen = append(chosen, message.id)
		}
	}
	return chosen
}

// flagRead marks some messages as read or unread, at least one of which the person has received.
func (r *run) flagRead() {
	p, unread := r.someone(), r.drawBool("unread")
	messages := r.messagesWhere(func(of *message) bool { return r.rows[p.id][of.id] != nil })
	if len(messages) == 0 {
		return
	}
	chosen := r.drawMessages(messages, false)
	// The id of the anchor may be repeated, and other accounts' messages have no effect.
	for _, number := range chosen {
		if own := r.rows[p.id][number]; own != nil {
			own.unread, own.marked = own.received && unread, !unread
		}
	}
	r.setFlag(p, chosen, "read", unread)
}

func (r *run) readTopic() {
	p, topic := r.someone(), r.topic()
	streams := r.streamsWhere(func(s *stream) bool {
		return r.canRead(p.id, s) && slices.ContainsFunc(r.topicOf(s.id, topic), func(number int64) bool { return r.rows[p.id][number] != nil })
	})
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	r.do(p, http.MethodPost, "/mark_topic_as_read", servicetest.Params{"stream_id": s.id, "topic_name": topic}).OK()
	r.tellRead(p, in(s, topic))
}

func (r *run) readStream() {
	p := r.someone()
	streams := r.streamsWhere(func(s *stream) bool { return r.canRead(p.id, s) })
	if len(streams) == 0 {
		return
	}
	s := draw(r.history, "stream", streams)
	r.do(p, http.MethodPost, "/mark_stream_as_read", servicetest.Params{"stream_id": s.id}).OK()
	r.tellRead(p, in(s, ""))
}

// tellRead marks messages, and records the expected events.
func (r *run) tellRead(p *person, which func(*message) bool) {
	delivered, read := r.markDelivered(p.id, which), r.markRead(p.id, which)
	if len(delivered) > 0 {
		r.tellFlags(p.id, "add", "read", delivered, false)
	}
	if len(delivered) == 0 || len(read) > 0 {
		r.tellFlags(p.id, "add", "read", read, false)
	}
}

func (r *run) readAll() {
	p := r.someone()
	r.do(p, http.MethodPost, "/mark_all_as_read", nil).OK()
	r.markRead(p.id, func(*message) bool { return true })
	r.markDelivered(p.id, func(*message) bool { return true })
	r.tellFlags(p.id, "add", "read", []int64{}, true)
}

package property_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/services/servicetest"
)

// expect records an event that a user must receive.
func (m *model) expect(user int64, format string, args ...any) {
	m.expected[user] = append(m.expected[user], fmt.Sprintf(format, args...))
}

func (m *model) tellFlags(user int64, operation, flag string, messages []int64, all bool) {
	m.expect(user, "flags %s %s %v %t", operation, flag, messages, all)
}

// tellDeleted records deleted messages, one event for each if a client can't handle more.
func (m *model) tellDeleted(user int64, messages []int64, where string) {
	if !m.bots[user] {
		m.expect(user, "delete %v of %s", messages, where)
		return
	}
	for _, number := range messages {
		m.expect(user, "delete [%d] of %s", number, where)
	}
}

// tellMuted records a user's complete list of muted topics.
func (m *model) tellMuted(user int64) {
	topics := []string{}
	for _, s := range m.streams {
		for topic := range s.mutedTopics[user] {
			topics = append(topics, fmt.Sprintf("%d>%s", s.id, topic))
		}
	}
	slices.Sort(topics)
	m.expect(user, "muted %v", topics)
}

// heardBy formats an event like the model, or returns "" if the model ignores it.
func heardBy(e map[string]any) string {
	switch e["type"] {
	case "message":
		message, _ := e["message"].(map[string]any)
		return fmt.Sprintf("message %d %v", whole(message["id"]), e["flags"])
	case "update_message":
		return fmt.Sprintf("update %d %v %v %s", whole(e["message_id"]), wholes(e["message_ids"]), e["flags"], changes(e))
	case "delete_message":
		messages, where := wholes(e["message_ids"]), fmt.Sprintf("%v", e["message_type"])
		if e["message_ids"] == nil {
			messages = []int64{whole(e["message_id"])}
		}
		if where == "stream" {
			where = fmt.Sprintf("%d>%v", whole(e["stream_id"]), e["topic"])
		}
		return fmt.Sprintf("delete %v of %s", messages, where)
	case "update_message_flags":
		return fmt.Sprintf("flags %v %v %v %v", e["operation"], e["flag"], wholes(e["messages"]), e["all"])
	case "reaction":
		return fmt.Sprintf("reaction %v %v by %d to %d", e["op"], e["emoji_name"], whole(e["user_id"]), whole(e["message_id"]))
	case "muted_topics":
		topics := []string{}
		list, _ := e["muted_topics"].([]any)
		for _, item := range list {
			tuple, _ := item.([]any)
			topics = append(topics, fmt.Sprintf("%d>%s", whole(tuple[0]), strings.ToLower(fmt.Sprint(tuple[1]))))
		}
		slices.Sort(topics)
		return fmt.Sprintf("muted %v", topics)
	case "subscription":
		return subscriptionLine(e)
	}
	return ""
}

// changes formats the new place and content of an update_message event.
func changes(e map[string]any) string {
	said := ""
	if e["content"] != nil {
		said += fmt.Sprintf("content %q ", e["content"])
	}
	if e["orig_subject"] != nil {
		said += fmt.Sprintf("%v from %d>%v", e["propagate_mode"], whole(e["stream_id"]), e["orig_subject"])
	}
	if e["subject"] != nil {
		said += fmt.Sprintf(" topic %v", e["subject"])
	}
	if e["new_stream_id"] != nil {
		said += fmt.Sprintf(" stream %d", whole(e["new_stream_id"]))
	}
	return said
}

func subscriptionLine(e map[string]any) string {
	switch e["op"] {
	case "add", "remove":
		streams := []int64{}
		list, _ := e["subscriptions"].([]any)
		for _, item := range list {
			subscription, _ := item.(map[string]any)
			streams = append(streams, whole(subscription["stream_id"]))
		}
		return fmt.Sprintf("subscription %v %v", e["op"], streams)
	case "update":
		return fmt.Sprintf("subscription %d %v %v", whole(e["stream_id"]), e["property"], e["value"])
	}
	return fmt.Sprintf("subscription %v %d to %d", e["op"], whole(e["user_id"]), whole(e["stream_id"]))
}

func whole(v any) int64 {
	number, _ := v.(float64)
	return int64(number)
}

func wholes(v any) []int64 {
	list, _ := v.([]any)
	numbers := make([]int64, len(list))
	for i, item := range list {
		numbers[i] = whole(item)
	}
	return numbers
}

// compareEvents compares the events of queues with those of the model, in order, and clears both.
func (m *model) compareEvents(h *history, queues map[string]*servicetest.Queue) {
	h.Helper()
	got := h.world.EventsOf(queues)
	for _, p := range h.people {
		events := []string{}
		for _, e := range got[p.name] {
			if line := heardBy(e); line != "" {
				events = append(events, line)
			}
		}
		if diff := cmp.Diff(append([]string{}, m.expected[p.id]...), events); diff != "" {
			h.Fatalf("events of %s (-want +got):\n%s", p.name, diff)
		}
	}
	clear(m.expected)
}

package events_test

import (
	"maps"
	"net/http"
	"slices"

	"chatserver.dev/services/servicetest"
)

type object = map[string]any

// model is a client program that keeps what it got when it registered up to date by events alone.
type model struct {
	guest         bool
	words, muted  []any
	starred       map[float64]bool
	unread        map[float64]bool
	subscriptions map[float64]object
	streams       map[float64]any // names
	status        object
	settings      object
	defaults      map[float64]any // names
}

// register makes a model, and the queue that keeps it up to date.
func register(a servicetest.Account) (*model, *servicetest.Queue) {
	state := object{}
	a.Do(http.MethodPost, "/register", servicetest.Params{
		"include_subscribers": true, "client_capabilities": map[string]bool{"notification_settings_null": true, "bulk_message_deletion": true},
	}).OK().Decode(&state)
	m := &model{
		guest: state["is_guest"] == true,
		words: list(state, "alert_words"), muted: list(state, "muted_topics"), starred: map[float64]bool{}, unread: map[float64]bool{},
		subscriptions: map[float64]object{}, streams: map[float64]any{}, status: state["user_status"].(object), settings: object{},
	}
	for _, message := range list(state, "starred_messages") {
		m.starred[message.(float64)] = true
	}
	for _, kind := range []string{"pms", "streams", "huddles"} {
		for _, part := range list(state["unread_msgs"].(object), kind) {
			for _, message := range list(part.(object), "unread_message_ids") {
				m.unread[message.(float64)] = true
			}
		}
	}
	for _, s := range list(state, "subscriptions") {
		m.subscriptions[s.(object)["stream_id"].(float64)] = subscription(s.(object))
	}
	m.occupied(list(state, "streams"))
	m.defaults = names(list(state, "realm_default_streams"))
	for _, name := range []string{"twenty_four_hour_time", "enable_sounds"} {
		m.settings[name] = state[name]
	}
	return m, a.Queue(state["queue_id"].(string), int64(state["last_event_id"].(float64)))
}

// shown is the model without the muted topics of streams that it doesn't see: there are no events when those end.
func (m *model) shown() *model {
	shown := *m
	shown.muted = slices.DeleteFunc(slices.Clone(m.muted), func(topic any) bool {
		_, seen := m.streams[topic.([]any)[0].(float64)]
		return !seen
	})
	return &shown
}

func list(of object, key string) []any {
	items, _ := of[key].([]any)
	return items
}

// names are streams' names by their ids.
func names(streams []any) map[float64]any {
	all := map[float64]any{}
	for _, s := range streams {
		all[s.(object)["stream_id"].(float64)] = s.(object)["name"]
	}
	return all
}

// subscription is what the model keeps of one.
func subscription(s object) object {
	kept := object{}
	for _, key := range []string{
		"stream_id", "name", "description", "rendered_description", "invite_only", "history_public_to_subscribers", "stream_post_policy",
		"is_announcement_only", "message_retention_days", "color", "is_muted", "in_home_view", "pin_to_top", "desktop_notifications", "subscribers",
	} {
		kept[key] = s[key]
	}
	return kept
}

func (m *model) occupied(streams []any) { maps.Copy(m.streams, names(streams)) }

// apply does what an event says (events.md, section 3).
func (m *model) apply(e object) {
	switch kind, op := e["type"].(string), e["op"]; kind {
	case "alert_words":
		m.words = list(e, kind)
	case "muted_topics":
		m.muted = list(e, kind)
	case "default_streams":
		m.defaults = names(list(e, kind))
	case "update_display_settings":
		m.set(e["setting_name"].(string), e["setting"])
	case "update_global_notifications":
		m.set(e["notification_name"].(string), e["setting"])
	case "user_status":
		m.setStatus(e)
	case "message":
		if !slices.Contains(list(e, "flags"), any("read")) {
			m.unread[e["message"].(object)["id"].(float64)] = true
		}
	case "delete_message":
		for _, message := range list(e, "message_ids") {
			delete(m.unread, message.(float64))
			delete(m.starred, message.(float64))
		}
	case "update_message_flags":
		m.applyFlags(e)
	case "subscription":
		m.applySubscription(op.(string), e)
	case "stream":
		m.applyStream(op.(string), e)
	}
}

func (m *model) set(name string, value any) {
	if _, kept := m.settings[name]; kept {
		m.settings[name] = value
	}
}

func (m *model) setStatus(e object) {
	key := number(e["user_id"].(float64))
	status, _ := m.status[key].(object)
	status = maps.Clone(status)
	if status == nil {
		status = object{}
	}
	if away, there := e["away"]; there {
		if delete(status, "away"); away == true {
			status["away"] = true
		}
	}
	if text, there := e["status_text"]; there {
		if delete(status, "status_text"); text != "" {
			status["status_text"] = text
		}
	}
	if m.status[key] = status; len(status) == 0 {
		delete(m.status, key)
	}
}

func (m *model) applyFlags(e object) {
	if e["all"] == true {
		clear(m.unread)
	}
	for _, id := range list(e, "messages") {
		message, adds := id.(float64), e["operation"] == "add"
		switch e["flag"] {
		case "starred":
			if delete(m.starred, message); adds {
				m.starred[message] = true
			}
		case "read":
			if delete(m.unread, message); !adds {
				m.unread[message] = true
			}
		}
	}
}

func (m *model) applySubscription(op string, e object) {
	switch op {
	case "add":
		for _, s := range list(e, "subscriptions") {
			m.subscriptions[s.(object)["stream_id"].(float64)] = subscription(s.(object))
		}
		m.occupied(list(e, "subscriptions")) // guests have no other events of public streams
		return
	case "remove":
		for _, s := range list(e, "subscriptions") {
			stream := s.(object)["stream_id"].(float64)
			if m.guest || m.subscriptions[stream]["invite_only"] == true {
				delete(m.streams, stream)
			}
			delete(m.subscriptions, stream)
		}
		return
	}
	s := m.subscriptions[e["stream_id"].(float64)]
	if s == nil {
		return
	}
	switch op {
	case "update":
		s[e["property"].(string)] = e["value"]
		if e["property"] == "in_home_view" {
			s["is_muted"] = e["value"] == false
		}
	case "peer_add", "peer_remove":
		others := slices.DeleteFunc(slices.Clone(list(s, "subscribers")), func(user any) bool { return user == e["user_id"] })
		if op == "peer_add" {
			others = append(others, e["user_id"])
			slices.SortFunc(others, func(a, b any) int { return int(a.(float64) - b.(float64)) })
		}
		s["subscribers"] = others
	}
}

func (m *model) applyStream(op string, e object) {
	switch op {
	case "create", "occupy":
		m.occupied(list(e, "streams"))
	case "delete", "vacate":
		for _, s := range list(e, "streams") {
			delete(m.streams, s.(object)["stream_id"].(float64))
			if op == "delete" {
				delete(m.subscriptions, s.(object)["stream_id"].(float64))
			}
		}
	case "update":
		stream, property := e["stream_id"].(float64), e["property"].(string)
		for _, known := range []map[float64]any{m.streams, m.defaults} {
			if _, there := known[stream]; there && property == "name" {
				known[stream] = e["value"]
			}
		}
		s := m.subscriptions[stream]
		if property == "invite_only" { // administrators see private streams, but not here
			if m.streams[stream] = e["name"]; e["value"] == true && s == nil {
				delete(m.streams, stream)
			}
		}
		if _, kept := s[property]; !kept {
			return
		}
		s[property] = e["value"]
		for _, also := range []string{"rendered_description", "history_public_to_subscribers"} {
			if value, there := e[also]; there {
				s[also] = value
			}
		}
	}
}

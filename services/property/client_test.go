package property_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chatserver.dev/services/servicetest"
)

// object is a JSON object.
type object = map[string]any

// client is a client that has registered and applies events to its initial state (events.md, section 1.7). It requests
// data that events don't contain.
type client struct {
	person *person
	queue  *servicetest.Queue
	state  object
	log    []string // of events

	unread   map[int64]place // messages
	starred  map[int64]bool
	gone     map[int64]bool // [person.gone]
	mentions map[int64][]string
	senders  map[int64]int64
	// asked are the messages that the client had to request.
	asked map[int64]bool
	// newestGone is set if the newest message was deleted: no event names the newest one then.
	newestGone bool
	// firstGone are the streams whose first message is unknown because messages were deleted or moved.
	firstGone map[int64]bool

	options servicetest.Params // of its registration
	// rolesChanged is set if the account's role has changed since the last comparison.
	rolesChanged bool
	copies       map[int64]object // of the messages that it got
	files        map[int64]object // uploaded by the client's account
	widgets      widgets
	exports      []any // in the events that Olga got; nil: none
	// invites are the invitations that an administrator has requested since the last event about invitations; nil: they
	// have to be requested.
	invites []object
	// invited counts these events since the beginning or the last comparison.
	invited int
	follows bool
}

// place is the place of an unread message.
type place struct {
	stream int64
	topic  string
	people string // the participants of a private conversation but the reader, as JSON
}

// registered makes a client.
func registered(p *person, options servicetest.Params) *client {
	c := &client{
		person: p, options: options, copies: map[int64]object{}, unread: map[int64]place{}, starred: map[int64]bool{}, gone: p.gone, mentions: map[int64][]string{},
		senders: map[int64]int64{}, asked: map[int64]bool{}, firstGone: map[int64]bool{},
	}
	c.queue = p.RegisterInto(options, &c.state)
	messages := c.messages()
	c.files, c.widgets = filesOf(p), widgetsOf(messages)
	for _, message := range messages {
		c.copies[whole(message["id"])] = copyOf(message)
	}
	if p.name == "Olga" {
		c.exports = exportsOf(p)
	}
	for number, in := range unreadPlaces(p.id, c.state) {
		c.unread[number] = in
	}
	for _, number := range wholes(c.state["starred_messages"]) {
		c.starred[number] = true
	}
	return c
}

// unreadPlaces returns the places of the unread messages in a registration's state.
func unreadPlaces(self int64, state object) map[int64]place {
	places := map[int64]place{}
	lists, _ := state["unread_msgs"].(object)
	each := func(name string, where func(entry object) place) {
		for _, entry := range objects(lists[name]) {
			for _, number := range wholes(entry["unread_message_ids"]) {
				places[number] = where(entry)
			}
		}
	}
	each("streams", func(entry object) place {
		topic, _ := entry["topic"].(string)
		return place{stream: whole(entry["stream_id"]), topic: topic}
	})
	each("pms", func(entry object) place {
		if other := whole(entry["sender_id"]); other != self {
			return place{people: asJSON([]int64{other})}
		}
		return place{people: "[]"}
	})
	each("huddles", func(entry object) place {
		others, members := []int64{}, []int64{}
		text, _ := entry["user_ids_string"].(string)
		_ = json.Unmarshal([]byte("["+text+"]"), &members)
		for _, member := range members {
			if member != self {
				others = append(others, member)
			}
		}
		return place{people: asJSON(others)}
	})
	return places
}

func objects(v any) []object {
	list, _ := v.([]any)
	found := []object{}
	for _, item := range list {
		if o, ok := item.(object); ok {
			found = append(found, o)
		}
	}
	return found
}

func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// apply applies one event.
func (c *client) apply(e object) {
	c.copyMessages(e)
	defer c.fitOptions()
	switch kind := e["type"].(string); kind {
	case "message":
		c.applyMessage(e)
	case "update_message":
		c.applyUpdate(e)
	case "delete_message":
		c.applyDeletion(e)
	case "update_message_flags":
		c.applyFlags(e)
	case "subscription":
		c.applySubscription(e)
	case "stream":
		c.applyStream(e)
	case "default_streams":
		c.state["realm_default_streams"] = e["default_streams"]
	case "custom_profile_fields":
		c.applyFields(e["fields"])
	case "alert_words", "muted_topics", "hotspots", "realm_filters":
		c.state[kind] = e[kind]
	case "realm_domains":
		c.applyDomain(e)
	case "realm":
		c.applySetting(e)
		c.applyPolicies()
	case "update_display_settings":
		name, _ := e["setting_name"].(string)
		c.state[name] = e["setting"]
	case "update_global_notifications":
		name, _ := e["notification_name"].(string)
		c.state[name] = e["setting"]
	case "presence":
		c.applyPresence(e)
	case "user_status":
		c.applyStatus(e)
	case "realm_user":
		c.applyUser(e)
		c.applyPicture(e)
	case "user_group":
		c.applyGroup(e)
	case "attachment":
		c.applyFile(e)
	case "realm_bot":
		c.applyBot(e)
	case "invites_changed":
		c.invites = nil
		c.invited++
	case "default_stream_groups":
		c.state["realm_default_stream_groups"] = e[kind]
	case "realm_emoji":
		c.state[kind] = e[kind]
	case "realm_export":
		c.exports, _ = e["exports"].([]any)
	case "submessage":
		c.applySubmessage(e)
	}
}

// whereIs returns a message's place.
func (c *client) whereIs(message object) place {
	if stream := whole(message["stream_id"]); stream != 0 {
		topic, _ := message["subject"].(string)
		return place{stream: stream, topic: topic}
	}
	others := []int64{}
	for _, p := range objects(message["display_recipient"]) {
		if member := whole(p["id"]); member != c.person.id {
			others = append(others, member)
		}
	}
	slices.Sort(others)
	return place{people: asJSON(others)}
}

func flagsIn(v any) []string {
	list, _ := v.([]any)
	flags := []string{}
	for _, item := range list {
		if flag, ok := item.(string); ok {
			flags = append(flags, flag)
		}
	}
	return flags
}

func (c *client) applyMessage(e object) {
	message, _ := e["message"].(object)
	number, in, flags := whole(message["id"]), c.whereIs(message), flagsIn(e["flags"])
	if !c.isReceived(in) {
		return
	}
	if number > whole(c.state["max_message_id"]) { // concurrent messages may arrive in another order
		c.state["max_message_id"], c.newestGone = message["id"], false
	}
	c.senders[number], c.mentions[number] = whole(message["sender_id"]), flags
	if !slices.Contains(flags, "read") {
		c.unread[number] = in
	}
	if in.stream != 0 {
		for _, list := range []string{"subscriptions", "streams"} {
			for _, s := range objects(c.state[list]) {
				if first := s["first_message_id"]; whole(s["stream_id"]) == in.stream && (first == nil || number < whole(first)) {
					s["first_message_id"] = message["id"]
				}
			}
		}
		return
	}
	c.converse(in.people, message["id"])
}

// converse records a private message.
func (c *client) converse(people string, message any) {
	ids := []any{}
	_ = json.Unmarshal([]byte(people), &ids)
	list := []any{}
	for _, conversation := range objects(c.state["recent_private_conversations"]) {
		if asJSON(conversation["user_ids"]) != people {
			list = append(list, conversation)
		} else if newest := conversation["max_message_id"]; whole(newest) > whole(message) {
			message = newest
		}
	}
	list = append(list, object{"user_ids": ids, "max_message_id": message})
	slices.SortFunc(list, func(a, b any) int { return cmp.Compare(newestOf(b), newestOf(a)) })
	c.state["recent_private_conversations"] = list
}

func newestOf(conversation any) int64 {
	fields, _ := conversation.(object)
	return whole(fields["max_message_id"])
}

func (c *client) applyUpdate(e object) {
	if e["content"] != nil {
		number := whole(e["message_id"])
		c.mentions[number] = flagsIn(e["flags"])
	}
	from, to := whole(e["stream_id"]), whole(e["new_stream_id"])
	if to != 0 {
		c.firstGone[from], c.firstGone[to] = true, true
	}
	for _, number := range wholes(e["message_ids"]) {
		in, ok := c.unread[number]
		if !ok {
			continue
		}
		if topic, moved := e["subject"].(string); moved {
			in.topic = topic
		}
		if to != 0 {
			in.stream = to
		}
		c.unread[number] = in
	}
}

func (c *client) applyDeletion(e object) {
	c.firstGone[whole(e["stream_id"])] = true
	for _, number := range deletedIn(e) {
		c.gone[number] = true
		delete(c.unread, number)
		delete(c.starred, number)
		c.newestGone = c.newestGone || number == whole(c.state["max_message_id"])
		for _, conversation := range objects(c.state["recent_private_conversations"]) {
			if whole(conversation["max_message_id"]) == number {
				conversation["max_message_id"] = nil // the newest remaining message isn't reported
			}
		}
	}
}

func (c *client) applyFlags(e object) {
	add := e["operation"] == "add"
	if e["all"] == true {
		clear(c.unread)
		clear(c.asked)
	}
	named := wholes(e["messages"])
	for _, number := range named {
		switch {
		case c.gone[number]:
		case e["flag"] == "starred" && add:
			// The event names messages as the request did. Of several, only those that the account received are starred.
			if len(named) == 1 || c.copies[number] != nil {
				c.starred[number] = true
			}
		case e["flag"] == "starred":
			delete(c.starred, number)
		case e["flag"] == "read" && add:
			delete(c.unread, number)
			delete(c.asked, number)
		case e["flag"] == "read":
			c.asked[number] = true
		}
	}
}

// byName sorts streams by name.
func byName(list []any) {
	slices.SortFunc(list, func(a, b any) int {
		first, _ := a.(object)["name"].(string)
		second, _ := b.(object)["name"].(string)
		return strings.Compare(first, second)
	})
}

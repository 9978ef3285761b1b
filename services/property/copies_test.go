package property_test

import (
	"slices"
	"strings"

	"chatserver.dev/pkg/storetest"
)

// copyOf returns the part of a message that a client must keep up to date.
func copyOf(message object) object {
	kept := object{}
	for _, name := range []string{
		"id", "type", "sender_id", "client", "content", "content_type", "timestamp", "subject", "stream_id", "is_me_message",
		"topic_links", "last_edit_timestamp",
	} {
		if value, ok := message[name]; ok {
			kept[name] = value
		}
	}
	reactions := []string{}
	for _, r := range objects(message["reactions"]) {
		reactions = append(reactions, reactionOf(r))
	}
	slices.Sort(reactions)
	kept["reactions"] = reactions
	flags := slices.DeleteFunc(flagsIn(message["flags"]), func(flag string) bool { return flag == "historical" })
	slices.Sort(flags)
	kept["flags"] = flags
	return kept
}

// reactionOf returns one reaction in a message or an event.
func reactionOf(r object) string {
	return strings.Join([]string{asJSON(r["user_id"]), asJSON(r["reaction_type"]), asJSON(r["emoji_code"]), asJSON(r["emoji_name"])}, " ")
}

// with returns a sorted list with or without an element.
func with(list any, one string, on bool) []string {
	all, _ := list.([]string)
	all = slices.DeleteFunc(slices.Clone(all), func(other string) bool { return other == one })
	if on {
		all = append(all, one)
	}
	slices.Sort(all)
	return all
}

// copyMessages applies an event to the client's copies of messages.
func (c *client) copyMessages(e object) {
	switch e["type"] {
	case "message":
		message, _ := e["message"].(object)
		if in := c.whereIs(message); c.isReceived(in) {
			message["flags"] = e["flags"]
			c.copies[whole(message["id"])] = copyOf(message)
		}
	case "update_message":
		c.copyUpdate(e)
	case "reaction":
		if of := c.copies[whole(e["message_id"])]; of != nil {
			of["reactions"] = with(of["reactions"], reactionOf(e), e["op"] == "add")
		}
	case "delete_message":
		for _, number := range deletedIn(e) {
			delete(c.copies, number)
		}
	case "update_message_flags":
		flag, _ := e["flag"].(string)
		for _, number := range wholes(e["messages"]) {
			if of := c.copies[number]; of != nil {
				of["flags"] = with(of["flags"], flag, e["operation"] == "add")
			}
		}
		if e["all"] == true {
			for _, of := range c.copies {
				of["flags"] = with(of["flags"], flag, true)
			}
		}
	}
}

// copyUpdate applies a change of messages to the copies (events.md, section 3.3).
func (c *client) copyUpdate(e object) {
	for _, number := range wholes(e["message_ids"]) {
		of := c.copies[number]
		if of == nil {
			continue
		}
		if topic, ok := e["subject"]; ok {
			of["subject"], of["topic_links"] = topic, e["topic_links"]
		}
		if stream, ok := e["new_stream_id"]; ok {
			of["stream_id"] = stream
		}
	}
	of := c.copies[whole(e["message_id"])]
	if of == nil {
		return
	}
	of["flags"] = copyOf(e)["flags"]
	if at, ok := e["edit_timestamp"]; ok {
		of["last_edit_timestamp"] = at
	}
	if e["content"] == nil {
		return
	}
	of["content"] = e["content"]
	if c.option("apply_markdown") {
		of["content"] = e["rendered_content"]
	}
	if action, ok := e["is_me_message"]; ok {
		of["is_me_message"] = action
	}
}

// deletedIn returns the messages that an event of a deletion names, in the form of either kind of clients.
func deletedIn(e object) []int64 {
	if one, ok := e["message_id"]; ok {
		return []int64{whole(one)}
	}
	return wholes(e["message_ids"])
}

// compareCopies compares the client's copies of messages with the messages. Messages without an event, such as those of
// history that the account starred, become copies.
func (f *following) compareCopies(c *client, got, want object, messages []object) {
	now, kept := map[int64]object{}, map[int64]object{}
	for _, message := range messages {
		number := whole(message["id"])
		now[number] = copyOf(message)
		if c.copies[number] == nil && slices.Contains(flagsIn(message["flags"]), "historical") {
			c.copies[number] = copyOf(message)
		}
	}
	for number, message := range c.copies {
		if now[number] == nil && f.movedAway(c, number) {
			delete(c.copies, number)
			continue
		}
		kept[number] = message
	}
	got["messages"], want["messages"] = kept, now
}

// movedAway reports whether a message has been moved to a stream that the account isn't subscribed to. No event says so (events.md,
// section 3.3).
func (f *following) movedAway(c *client, number int64) bool {
	session := storetest.Connect(f, f.world.DatabaseURL)
	for _, stream := range storetest.Values[int64](session, "select stream_id from messages where message_id = $1", number) {
		return c.find("subscriptions", stream) == nil
	}
	return false
}

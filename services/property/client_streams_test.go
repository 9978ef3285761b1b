package property_test

import (
	"maps"
	"slices"
)

// streamLists returns the keys of the state with lists of streams.
func streamLists() []string {
	return []string{"subscriptions", "unsubscribed", "never_subscribed", "streams", "realm_default_streams"}
}

// subscriptionLists returns those whose streams have subscribers.
func subscriptionLists() []string {
	return []string{"subscriptions", "unsubscribed", "never_subscribed"}
}

// setSubscriber adds an account to a stream's subscribers, or removes it, if the entry has them.
func setSubscriber(entry object, user int64, subscribed bool) {
	if entry["subscribers"] == nil && !subscribed {
		return
	}
	members := slices.DeleteFunc(wholes(entry["subscribers"]), func(m int64) bool { return m == user })
	if subscribed {
		members = append(members, user)
	}
	entry["subscribers"] = numbersIn(members)
}

// take removes a stream from a list and returns it, or nil.
func (c *client) take(list string, stream int64) object {
	taken := object(nil)
	all, _ := c.state[list].([]any)
	c.state[list] = slices.DeleteFunc(slices.Clone(all), func(item any) bool {
		entry, _ := item.(object)
		if whole(entry["stream_id"]) == stream {
			taken = entry
			return true
		}
		return false
	})
	return taken
}

func (c *client) put(list string, entry object) {
	c.take(list, whole(entry["stream_id"]))
	all, _ := c.state[list].([]any)
	c.state[list] = append(all, entry)
}

func (c *client) find(list string, stream int64) object {
	for _, entry := range objects(c.state[list]) {
		if whole(entry["stream_id"]) == stream {
			return entry
		}
	}
	return nil
}

// basic returns the part of a subscription that is about the stream (events.md, section 1.6.2).
func basic(entry object) object {
	stream := object{}
	for _, name := range []string{
		"stream_id", "name", "description", "rendered_description", "invite_only", "is_web_public", "stream_post_policy",
		"history_public_to_subscribers", "first_message_id", "message_retention_days", "is_announcement_only",
	} {
		stream[name] = entry[name]
	}
	return stream
}

func (c *client) applySubscription(e object) {
	switch e["op"] {
	case "add":
		for _, entry := range objects(e["subscriptions"]) {
			stream := whole(entry["stream_id"])
			c.take("unsubscribed", stream)
			c.take("never_subscribed", stream)
			c.put("subscriptions", entry)
			c.put("streams", basic(entry))
		}
	case "remove":
		for _, left := range objects(e["subscriptions"]) {
			c.left(whole(left["stream_id"]))
		}
	case "update":
		entry := c.find("subscriptions", whole(e["stream_id"]))
		name, _ := e["property"].(string)
		entry[name] = e["value"]
		if name == "in_home_view" {
			entry["is_muted"] = e["value"] == false
		}
	case "peer_add", "peer_remove":
		for _, list := range subscriptionLists() {
			entry := c.find(list, whole(e["stream_id"]))
			if entry == nil {
				continue
			}
			setSubscriber(entry, whole(e["user_id"]), e["op"] == "peer_add")
		}
	}
}

// numbersIn returns numbers as they are in JSON, ascending.
func numbersIn(numbers []int64) []any {
	slices.Sort(numbers)
	list := make([]any, len(numbers))
	for i, number := range numbers {
		list[i] = float64(number)
	}
	return list
}

// left moves a subscription to those that have ended.
func (c *client) left(stream int64) {
	entry := c.take("subscriptions", stream)
	private := entry["invite_only"] == true
	if seen := c.isAdmin() || !private && !c.isGuest(); seen {
		setSubscriber(entry, c.person.id, false)
	} else {
		delete(entry, "subscribers")
	}
	c.put("unsubscribed", entry)
	if private || c.isGuest() {
		c.take("streams", stream)
	}
}

func (c *client) applyStream(e object) {
	for _, entry := range objects(e["streams"]) {
		stream := whole(entry["stream_id"])
		switch e["op"] {
		case "create":
			if c.find("subscriptions", stream) == nil && c.find("unsubscribed", stream) == nil {
				never := maps.Clone(entry)
				never["stream_weekly_traffic"], never["subscribers"] = nil, []any{}
				c.put("never_subscribed", never)
			}
			if entry["invite_only"] == false { // administrators see private streams, but not in the list of all streams
				c.put("streams", entry)
			}
		case "occupy":
			c.put("streams", entry)
		case "vacate":
			c.take("streams", stream)
		case "delete":
			for _, list := range streamLists() {
				c.take(list, stream)
			}
			c.eachGrouped(func(grouped object) bool { return whole(grouped["stream_id"]) != stream })
			maps.DeleteFunc(c.unread, func(_ int64, in place) bool { return in.stream == stream })
			all, _ := c.state["muted_topics"].([]any)
			c.state["muted_topics"] = slices.DeleteFunc(slices.Clone(all), func(item any) bool {
				return whole(item.([]any)[0]) == stream
			})
		}
	}
	if e["op"] != "update" {
		return
	}
	update := func(entry object) {
		name, _ := e["property"].(string)
		if _, has := entry[name]; has { // unsubscribed streams have no address
			entry[name] = e["value"]
		}
		for _, extra := range []string{"rendered_description", "history_public_to_subscribers"} {
			if value, said := e[extra]; said {
				entry[extra] = value
			}
		}
	}
	was := map[string]any{} // whether the stream was private, by list
	for _, list := range streamLists() {
		if entry := c.find(list, whole(e["stream_id"])); entry != nil {
			was[list] = entry["invite_only"]
			update(entry)
		}
	}
	c.eachGrouped(func(grouped object) bool {
		if whole(grouped["stream_id"]) == whole(e["stream_id"]) {
			update(grouped)
		}
		return true
	})
	if stream := whole(e["stream_id"]); e["property"] == "invite_only" && c.find("subscriptions", stream) == nil {
		for _, list := range []string{"unsubscribed", "never_subscribed"} {
			if entry := c.find(list, stream); entry != nil && e["value"] == false && was[list] == true {
				c.put("streams", basic(entry))
			}
		}
		if e["value"] == true {
			c.take("streams", stream)
		}
	}
}

// unreadMessages returns the unread messages in the format of a registration (events.md, section 1.6.7).
func (c *client) unreadMessages() object {
	muted := map[int64]bool{}
	for _, entry := range objects(c.state["subscriptions"]) {
		muted[whole(entry["stream_id"])] = entry["is_muted"] == true
	}
	want := noUnread()
	for _, number := range slices.Sorted(maps.Keys(c.unread)) {
		in := c.unread[number]
		quiet := in.stream != 0 && (muted[in.stream] || c.mutedTopic(in))
		if !quiet {
			want.Unread.Count++
		}
		if slices.Contains(c.mentions[number], "mentioned") || slices.Contains(c.mentions[number], "wildcard_mentioned") && !quiet {
			want.Unread.Mentions = append(want.Unread.Mentions, number)
		}
		want.add(c.person.id, number, in, c.senders[number])
	}
	want.sort()
	return decoded(want.Unread)
}

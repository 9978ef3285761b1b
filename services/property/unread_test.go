package property_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// unread is the part of a registration about unread and starred messages.
type unread struct {
	Unread struct {
		Private []unreadPrivate `json:"pms"`
		Streams []unreadTopic   `json:"streams"`
		Groups  []unreadGroup   `json:"huddles"`
		// The order of mentions is undefined.
		Mentions []int64 `json:"mentions"`
		Count    int     `json:"count"`
	} `json:"unread_msgs"`
	Starred []int64 `json:"starred_messages"`
	Newest  int64   `json:"max_message_id"`
}

type unreadPrivate struct {
	SenderID int64   `json:"sender_id"`
	Messages []int64 `json:"unread_message_ids"`
}

type unreadTopic struct {
	StreamID int64   `json:"stream_id"`
	Topic    string  `json:"topic"`
	Messages []int64 `json:"unread_message_ids"`
	Senders  []int64 `json:"sender_ids"`
}

type unreadGroup struct {
	Members  string  `json:"user_ids_string"`
	Messages []int64 `json:"unread_message_ids"`
}

// noUnread returns this part for an account that has received nothing.
func noUnread() unread {
	u := unread{Starred: []int64{}, Newest: -1}
	u.Unread.Private, u.Unread.Streams, u.Unread.Groups, u.Unread.Mentions = []unreadPrivate{}, []unreadTopic{}, []unreadGroup{}, []int64{}
	return u
}

// add adds a message to the appropriate list for a reader.
func (u *unread) add(self, number int64, in place, sender int64) {
	others := wholesIn(in.people)
	switch {
	case in.stream != 0:
		at := slices.IndexFunc(u.Unread.Streams, func(t unreadTopic) bool { return t.StreamID == in.stream && t.Topic == in.topic })
		if at < 0 {
			u.Unread.Streams, at = append(u.Unread.Streams, unreadTopic{StreamID: in.stream, Topic: in.topic}), len(u.Unread.Streams)
		}
		topic := &u.Unread.Streams[at]
		topic.Messages, topic.Senders = append(topic.Messages, number), append(topic.Senders, sender)
	case len(others) < 2:
		other := append(others, self)[0]
		at := slices.IndexFunc(u.Unread.Private, func(p unreadPrivate) bool { return p.SenderID == other })
		if at < 0 {
			u.Unread.Private, at = append(u.Unread.Private, unreadPrivate{SenderID: other}), len(u.Unread.Private)
		}
		u.Unread.Private[at].Messages = append(u.Unread.Private[at].Messages, number)
	default:
		members := append(others, self)
		slices.Sort(members)
		key := joined(members)
		at := slices.IndexFunc(u.Unread.Groups, func(g unreadGroup) bool { return g.Members == key })
		if at < 0 {
			u.Unread.Groups, at = append(u.Unread.Groups, unreadGroup{Members: key}), len(u.Unread.Groups)
		}
		u.Unread.Groups[at].Messages = append(u.Unread.Groups[at].Messages, number)
	}
}

// sort sorts the lists.
func (u *unread) sort() {
	slices.SortFunc(u.Unread.Private, func(a, b unreadPrivate) int { return cmp.Compare(a.SenderID, b.SenderID) })
	for i := range u.Unread.Streams {
		slices.Sort(u.Unread.Streams[i].Senders)
		u.Unread.Streams[i].Senders = slices.Compact(u.Unread.Streams[i].Senders)
	}
	slices.SortFunc(u.Unread.Streams, func(a, b unreadTopic) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Topic, b.Topic))
	})
	slices.SortFunc(u.Unread.Groups, func(a, b unreadGroup) int { return cmp.Compare(a.Members, b.Members) })
	slices.Sort(u.Unread.Mentions)
}

// joined formats members like the interface.
func joined(members []int64) string {
	return strings.Trim(asJSON(members), "[]")
}

// wholesIn parses a JSON list of numbers.
func wholesIn(text string) []int64 {
	numbers := []int64{}
	_ = json.Unmarshal([]byte(text), &numbers)
	return numbers
}

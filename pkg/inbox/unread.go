package inbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// MaxUnread is the maximum number of unread messages in the initial state, the newest (events.md, section 1.6.7).
const MaxUnread = 50_000

// Unread is what somebody received and hasn't read (events.md, section 1.6.7). What was sent to a
// stream before they subscribed, or since they left it, isn't part of it. All lists are ascending.
type Unread struct {
	// Private are the conversations with one other account, by that account.
	Private []UnreadPrivate `json:"pms"`
	// Streams are the topics, by stream and then by name; those that are muted, too.
	Streams []UnreadTopic `json:"streams"`
	// Groups are the conversations with several others, by their participants.
	Groups []UnreadGroup `json:"huddles"`
	// Mentions are the messages that mention the reader; those that mention everybody only where
	// neither the stream nor the topic is muted.
	Mentions []id.Message `json:"mentions"`
	// Count is the number of messages, without those in muted streams and topics.
	Count int `json:"count"`
}

// UnreadPrivate is what is unread in the conversation with one other account.
type UnreadPrivate struct {
	// OtherID is the other participant, whoever sent the messages; the reader for notes to self.
	OtherID  id.User      `json:"sender_id"`
	Messages []id.Message `json:"unread_message_ids"` // ascending
}

// UnreadTopic is what is unread in a topic, whose name is compared exactly.
type UnreadTopic struct {
	StreamID id.Stream    `json:"stream_id"`          // of the topic
	Topic    string       `json:"topic"`              // as it is spelled in the messages
	Messages []id.Message `json:"unread_message_ids"` // ascending
	// SenderIDs are those who sent them.
	SenderIDs []id.User `json:"sender_ids"`
}

// UnreadGroup is what is unread in a conversation of three or more.
type UnreadGroup struct {
	// Members are all participants with the reader, ascending, with commas between them.
	Members  string       `json:"user_ids_string"`
	Messages []id.Message `json:"unread_message_ids"` // ascending
}

// ReadUnread returns the unread messages of an account.
func ReadUnread(ctx context.Context, tx *store.Tx, user id.User) (Unread, error) {
	rows, err := readUnread(ctx, tx, user)
	if err != nil {
		return Unread{}, err
	}
	s := sorter{
		user: user, unread: Unread{Mentions: []id.Message{}},
		private: map[id.User]*UnreadPrivate{}, topics: map[topic]*UnreadTopic{}, groups: map[string]*UnreadGroup{},
	}
	for _, row := range rows {
		s.add(row)
	}
	return s.finish(), nil
}

// readUnread returns the unread messages of an account, ascending.
func readUnread(ctx context.Context, tx *store.Tx, user id.User) ([]sqlc.UnreadMessagesRow, error) {
	return tx.UnreadMessages(ctx, sqlc.UnreadMessagesParams{
		UserID: user, MentionsAll: int16(message.MentionsAll),
		Mentioned: int16(event.Mentioned), MaxMessages: MaxUnread,
	})
}

type topic struct {
	stream id.Stream
	name   string
}

// sorter distributes unread messages, which are in ascending order, to the lists of [Unread].
type sorter struct {
	user    id.User
	unread  Unread
	private map[id.User]*UnreadPrivate
	topics  map[topic]*UnreadTopic
	groups  map[string]*UnreadGroup
}

func (s *sorter) add(row sqlc.UnreadMessagesRow) {
	m := id.Message(row.MessageID)
	if !row.Muted {
		s.unread.Count++
	}
	if row.Mentioned || row.WildcardMentioned && !row.Muted {
		s.unread.Mentions = append(s.unread.Mentions, m)
	}
	switch {
	case row.StreamID != 0:
		in := entry(s.topics, topic{id.Stream(row.StreamID), row.Topic})
		in.StreamID, in.Topic, in.Messages = id.Stream(row.StreamID), row.Topic, append(in.Messages, m)
		sender := id.User(row.SenderID)
		if at, known := slices.BinarySearch(in.SenderIDs, sender); !known {
			in.SenderIDs = slices.Insert(in.SenderIDs, at, sender)
		}
	case len(row.Members) < 3:
		other := s.other(row.Members)
		in := entry(s.private, other)
		in.OtherID, in.Messages = other, append(in.Messages, m)
	default:
		members := joined(row.Members)
		in := entry(s.groups, members)
		in.Members, in.Messages = members, append(in.Messages, m)
	}
}

func entry[K comparable, V any](of map[K]*V, key K) *V {
	v := of[key]
	if v == nil {
		v = new(V)
		of[key] = v
	}
	return v
}

// other returns the participant who isn't the reader, or the reader if there is no other.
func (s *sorter) other(members []int64) id.User {
	for _, member := range members {
		if id.User(member) != s.user {
			return id.User(member)
		}
	}
	return s.user
}

func joined(members []int64) string {
	return strings.Join(lists.Map(members, func(member int64) string { return strconv.FormatInt(member, 10) }), ",")
}

func (s *sorter) finish() Unread {
	s.unread.Private = sorted(s.private, func(a, b *UnreadPrivate) int { return cmp.Compare(a.OtherID, b.OtherID) })
	s.unread.Streams = sorted(s.topics, func(a, b *UnreadTopic) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Topic, b.Topic))
	})
	s.unread.Groups = sorted(s.groups, func(a, b *UnreadGroup) int { return cmp.Compare(a.Members, b.Members) })
	return s.unread
}

func sorted[K comparable, V any](of map[K]*V, compare func(a, b *V) int) []V {
	return lists.Map(slices.SortedFunc(maps.Values(of), compare), func(v *V) V { return *v })
}

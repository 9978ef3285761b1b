package state

import (
	"context"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/topic"
	"chatserver.dev/pkg/user"
)

// NewestMessage is the newest message that the caller received.
type NewestMessage struct {
	MaxMessageID id.Message `json:"max_message_id"` // -1: none
}

// Unread is what the caller hasn't read.
type Unread struct {
	UnreadMessages inbox.Unread `json:"unread_msgs"` // what the caller hasn't read
}

// Conversations are the caller's private conversations, the one with the newest message first.
type Conversations struct {
	ConversationList []inbox.Conversation `json:"recent_private_conversations"` // the one with the newest message first
}

// Starred are the messages that the caller starred, ascending.
type Starred struct {
	Messages []id.Message `json:"starred_messages"` // ascending
}

// MutedTopics are tuples of a stream's id, a topic, and when it was muted in Unix seconds.
type MutedTopics struct {
	MutedTopicList [][3]any `json:"muted_topics"` // of a stream's id, a topic, and when it was muted in Unix seconds
}

func readNewestMessage(ctx context.Context, r *reading, into *State) error {
	newest, err := user.NewestReceived(ctx, r.tx, r.self.ID)
	into.NewestMessage = &NewestMessage{newest}
	return err
}

func readUnread(ctx context.Context, r *reading, into *State) error {
	unread, err := inbox.ReadUnread(ctx, r.tx, r.self.ID)
	into.Unread = &Unread{unread}
	return err
}

func readConversations(ctx context.Context, r *reading, into *State) error {
	conversations, err := inbox.RecentConversations(ctx, r.tx, r.self.ID)
	into.Conversations = &Conversations{conversations}
	return err
}

func readStarred(ctx context.Context, r *reading, into *State) error {
	starred, err := inbox.Starred(ctx, r.tx, r.self.ID)
	into.Starred = &Starred{starred}
	return err
}

func readMutedTopics(ctx context.Context, r *reading, into *State) error {
	muted, err := topic.MutedBy(ctx, r.tx, r.self.ID)
	into.MutedTopics = &MutedTopics{topic.Tuples(muted)}
	if r.StreamNames {
		into.MutedTopics = &MutedTopics{topic.NamedTuples(muted, r.who.Role)}
	}
	return err
}

package inbox

import (
	"context"
	"slices"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxConversations is the maximum number of private conversations in the initial state.
const maxConversations = 1000

// Conversation is a private conversation (events.md, section 1.6.6).
type Conversation struct {
	// UserIDs are the other participants, ascending; none for notes to self.
	UserIDs []id.User `json:"user_ids"`
	// MaxMessageID is its newest message.
	MaxMessageID id.Message `json:"max_message_id"`
}

// RecentConversations returns an account's private conversations, at most [maxConversations], the one with the newest
// message first.
func RecentConversations(ctx context.Context, tx *store.Tx, user id.User) ([]Conversation, error) {
	rows, err := tx.RecentConversations(ctx, user, maxConversations)
	return lists.Map(rows, func(row sqlc.RecentConversationsRow) Conversation {
		others := slices.DeleteFunc(row.Members, func(member id.User) bool { return member == user })
		return Conversation{UserIDs: others, MaxMessageID: row.MessageID}
	}), err
}

// Starred returns all messages that an account has starred, ascending.
func Starred(ctx context.Context, tx *store.Tx, user id.User) ([]id.Message, error) {
	return tx.StarredMessages(ctx, user)
}

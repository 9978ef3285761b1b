package inbox

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
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

// RecentConversations returns a user's private conversations, up to a thousand, the one with the newest
// message first.
func RecentConversations(ctx context.Context, tx *store.Tx, user id.User) ([]Conversation, error) {
	rows, err := tx.RecentConversations(ctx, user, maxConversations)
	if err != nil {
		return nil, fmt.Errorf("read recent conversations of user %d: %w", user, err)
	}
	conversations := make([]Conversation, len(rows))
	for i, row := range rows {
		others := slices.DeleteFunc(row.Members, func(member id.User) bool { return member == user })
		conversations[i] = Conversation{UserIDs: others, MaxMessageID: row.MessageID}
	}
	return conversations, nil
}

package inbox

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// Starred gives the messages that a user starred, ascending, all of them.
func Starred(ctx context.Context, tx *store.Tx, user id.User) ([]id.Message, error) {
	starred, err := tx.MessagesFlagged(ctx, user, int16(event.Starred))
	if err != nil {
		return nil, fmt.Errorf("read starred messages of user %d: %w", user, err)
	}
	return starred, nil
}

// MutedTopic is a topic whose messages don't count as unread.
type MutedTopic struct {
	StreamID id.Stream
	Topic    string
	At       time.Time // when it was muted
}

// Tuple is the topic as clients get it: the stream's id, the topic's name, and when it was muted in
// Unix seconds (http-api.md, other resources).
func (m MutedTopic) Tuple() [3]any { return [3]any{m.StreamID, m.Topic, m.At.Unix()} }

// MutedTopics gives the topics that a user muted, those of deactivated streams left out, the one that
// was muted first at the front.
func MutedTopics(ctx context.Context, tx *store.Tx, user id.User) ([]MutedTopic, error) {
	rows, err := tx.MutedTopics(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("read muted topics of user %d: %w", user, err)
	}
	topics := make([]MutedTopic, len(rows))
	for i, row := range rows {
		topics[i] = MutedTopic{StreamID: row.StreamID, Topic: row.Topic, At: row.MutedAt}
	}
	return topics, nil
}

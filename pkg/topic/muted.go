package topic

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// MaxName is the greatest length of a topic's name in characters (http-api.md, "Limits").
const MaxName = 60

// Muted is a topic whose messages don't count as unread.
type Muted struct {
	Stream id.Stream
	Topic  string
	At     time.Time // when it was muted
}

// Tuple is the topic as clients get it: the stream's id, the topic's name, and when it was muted in
// Unix seconds (http-api.md, other resources).
func (m Muted) Tuple() [3]any { return [3]any{m.Stream, m.Topic, m.At.Unix()} }

// Tuples are the topics as clients get them, see [Muted.Tuple]. They are never nil.
func Tuples(topics []Muted) [][3]any {
	tuples := make([][3]any, len(topics))
	for i, topic := range topics {
		tuples[i] = topic.Tuple()
	}
	return tuples
}

// MutedBy gives the topics that a user muted, those of deactivated streams left out, the one that was
// muted first at the front.
func MutedBy(ctx context.Context, tx *store.Tx, user id.User) ([]Muted, error) {
	rows, err := tx.MutedTopics(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("read muted topics of user %d: %w", user, err)
	}
	topics := make([]Muted, len(rows))
	for i, row := range rows {
		topics[i] = Muted{Stream: row.StreamID, Topic: row.Topic, At: row.MutedAt}
	}
	return topics, nil
}

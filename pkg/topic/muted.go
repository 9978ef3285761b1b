package topic

import (
	"context"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// Muted is a topic whose messages don't count as unread.
type Muted struct {
	Stream stream.Visible
	Topic  string
	At     time.Time // when it was muted
}

// Tuples returns the topics in the form for clients: the stream's id, the topic's name, and when it was muted in Unix
// seconds (http-api.md, other resources). It never returns nil.
func Tuples(topics []Muted) [][3]any {
	return lists.Map(topics, func(m Muted) [3]any { return [3]any{m.Stream.StreamID, m.Topic, m.At.Unix()} })
}

// NamedTuples returns [Tuples] with the names of streams instead of their ids, without topics of streams to which a
// reader of that role has no access.
func NamedTuples(topics []Muted, reader actor.Role) [][3]any {
	tuples := [][3]any{}
	for _, m := range topics {
		if permit.ReadStream(reader, m.Stream.View()) {
			tuples = append(tuples, [3]any{m.Stream.Name, m.Topic, m.At.Unix()})
		}
	}
	return tuples
}

// MutedBy returns the topics that a user has muted, in the order of muting, without those of deactivated streams.
func MutedBy(ctx context.Context, tx *store.Tx, user id.User) ([]Muted, error) {
	rows, err := tx.MutedTopics(ctx, user)
	return lists.Map(rows, func(row sqlc.MutedTopicsRow) Muted {
		return Muted{stream.Visible{Stream: row.Stream, Subscribed: row.Subscribed}, row.Topic, row.MutedAt}
	}), err
}

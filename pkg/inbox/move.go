package inbox

import (
	"context"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Moved are messages that are moved from one topic to another.
type Moved struct {
	FromStream id.Stream
	FromTopic  string
	ToStream   id.Stream
	ToTopic    string
	Messages   []id.Message
}

// MovedMarks are the changes of marks when messages are moved.
type MovedMarks struct {
	topics sqlc.SaveTopicMarksParams
	again  unreadAgain
}

// unreadAgain are messages that become unread again for some accounts, as parallel lists.
type unreadAgain struct {
	users    []int64
	messages []string // multiranges
}

// Marks returns the changes of all accounts' marks that preserve which of the messages are read
// (docs/decisions/0009-read-state.md). For accounts that have the messages only because of the move, they are read.
// [MovedMarks.Save] is called in the same transaction, which holds the lock on the destination's subscriptions. Requests that
// mark messages wait for that lock.
func (m Moved) Marks(ctx context.Context, tx *store.Tx) (MovedMarks, error) {
	if err := tx.LockAllMarks(ctx); err != nil {
		return MovedMarks{}, err
	}
	rows, err := tx.MovedMarks(ctx, sqlc.MovedMarksParams{
		MessageIds: id.Convert[int64](m.Messages), FromStream: int64(m.FromStream), FromTopic: m.FromTopic, ToStream: int64(m.ToStream), ToTopic: m.ToTopic,
	})
	if err != nil {
		return MovedMarks{}, err
	}
	marks := MovedMarks{topics: sqlc.SaveTopicMarksParams{StreamID: m.ToStream, Topic: m.ToTopic}}
	for _, row := range rows {
		if row.Topic {
			marks.topics.UserIds = append(marks.topics.UserIds, int64(row.UserID))
			marks.topics.ReadUptos = append(marks.topics.ReadUptos, row.ReadUpto)
			marks.topics.Reads = append(marks.topics.Reads, row.Read)
		}
		if row.Other {
			marks.again.users = append(marks.again.users, int64(row.UserID))
			marks.again.messages = append(marks.again.messages, row.Again)
		}
	}
	return marks, nil
}

// First returns at most the given number of marks of each kind, and whether there are more. They may be saved in a transaction before
// the move: until the messages are moved, they don't affect which messages are read.
func (m MovedMarks) First(limit int) (some MovedMarks, more bool) {
	topics, again := min(limit, len(m.topics.UserIds)), min(limit, len(m.again.users))
	more = topics < len(m.topics.UserIds) || again < len(m.again.users)
	m.topics.UserIds, m.topics.ReadUptos, m.topics.Reads = m.topics.UserIds[:topics], m.topics.ReadUptos[:topics], m.topics.Reads[:topics]
	m.again.users, m.again.messages = m.again.users[:again], m.again.messages[:again]
	return m, more
}

// Save writes the marks.
func (m MovedMarks) Save(ctx context.Context, tx *store.Tx) error {
	if len(m.topics.UserIds) > 0 {
		if err := tx.SaveTopicMarks(ctx, m.topics); err != nil {
			return err
		}
	}
	if len(m.again.users) == 0 {
		return nil
	}
	return tx.SaveUnreadAgain(ctx, m.again.users, m.again.messages)
}

package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// NarrowedMessage is a message as its reader has it.
type NarrowedMessage struct {
	ID           id.Message
	Sender       id.User
	Stream       id.Stream       // zero for a private message
	Conversation id.Conversation // zero for a message to a stream
	StreamName   string          // "" for a private message
	Members      []id.User       // of the conversation, ascending
	Topic        string
	Content      string // as it was written
	Rendered     string // HTML
	Client       string
	Marks        int16 // messages.flags
	Sent         time.Time
	Edited       *time.Time      // nil: never
	Edits        json.RawMessage // nil: none
	// Flags are all that clients see: a message that wasn't sent to the reader is read and historical.
	Flags event.Flags
}

// Messages gives the messages of a narrow in some ranges, which don't overlap, by id. It is one
// statement.
func (tx *Tx) Messages(ctx context.Context, narrow Narrow, ranges ...MessageRange) ([]NarrowedMessage, error) {
	b := &builder{narrow: narrow}
	steps := b.steps(ranges)
	statement := fmt.Sprintf(`%s
select m.message_id, m.sender_id, coalesce(m.stream_id, 0), coalesce(m.conversation_id, 0), coalesce(m.name, ''), coalesce(m.members, '{}'),
	m.topic, m.content, m.rendered, m.client, m.flags, m.sent_at, m.edited_at, m.edits,
	(case when not m.received then %[2]s
		when %[3]s then %[4]s else 0 end
		| case when m.received and %[5]s then %[6]s else 0 end
		| (coalesce((select f.flags from message_flags f where f.user_id = %[7]s and f.message_id = m.message_id), 0) & %[8]s))::integer as flags
from found cross join lateral (
	select m.*, s.name, v.members, %[9]s as received
	from messages m
	left join streams s on s.stream_id = m.stream_id
	left join conversations v on v.conversation_id = m.conversation_id
	where m.message_id = found.message_id
	offset 0
) m
order by m.message_id`, steps,
		b.flags(event.Read|event.Historical), b.read(), b.flags(event.Read), mentionsAll, b.flags(event.WildcardMentioned),
		b.reader(), b.flags(kept), b.received())
	return collectRows(ctx, tx, statement, b.args, pgx.RowToStructByPos[NarrowedMessage])
}

// MessageIDs is [Tx.Messages] for ids alone.
func (tx *Tx) MessageIDs(ctx context.Context, narrow Narrow, ranges ...MessageRange) ([]id.Message, error) {
	b := &builder{narrow: narrow}
	return collectRows(ctx, tx, b.steps(ranges)+"\nselect message_id from found order by message_id", b.args, pgx.RowTo[id.Message])
}

// kept are the flags that the database keeps as they are.
const kept = event.Starred | event.Collapsed | event.Mentioned | event.HasAlertWord

func (b *builder) flags(flags event.Flags) string { return b.arg(int32(flags), "integer") }

// steps are the statement up to the step found, which has the ids.
func (b *builder) steps(ranges []MessageRange) string {
	steps, found := []string{b.own()}, make([]string, len(ranges))
	for i, part := range ranges {
		name := fmt.Sprintf("part_%d", i)
		steps = append(steps, scan{builder: b, MessageRange: part, name: name}.steps())
		found[i] = "select message_id from " + name
	}
	return "with recursive " + strings.Join(steps, ",\n") + ",\nfound as materialized (" + strings.Join(found, " union ") + ")"
}

// collectRows runs a statement that was made for this call. It is planned with its parameters each
// time: how much they leave decides which index is best.
func collectRows[T any](ctx context.Context, tx *Tx, statement string, args []any, to pgx.RowToFunc[T]) ([]T, error) {
	rows, err := tx.tx.Query(ctx, statement, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read messages of a narrow: %w", err)
	}
	collected, err := pgx.CollectRows(rows, to)
	if err != nil {
		return nil, fmt.Errorf("read messages of a narrow: %w", err)
	}
	return collected, nil
}

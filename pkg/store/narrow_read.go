package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/yield"
)

// narrowedRow is a message and, the same in each row, which of the ranges are cut.
type narrowedRow struct {
	NarrowedMessage

	Cut []bool
}

// Messages returns the messages of a narrow in ranges that don't overlap, by id, with one statement. cut reports for each
// range whether its messages exceed its Bytes. A single message is returned even if it exceeds them.
func (tx *Tx) Messages(ctx context.Context, narrow Narrow, ranges ...MessageRange) (messages []NarrowedMessage, cut []bool, err error) {
	b := &builder{narrow: narrow}
	statement := fill(`{steps}
select `+narrowedColumns+`,
	(case when not m.received and m.own & {delivered} = 0 then {historical}
		when case when m.received then {is read} else m.own & {read} <> 0 end then {read} else 0 end
		| case when (m.received or m.own & {delivered} <> 0) and `+mentionsAll+` then {wildcard} else 0 end
		| (m.own & {kept}))::integer as flags,
	{cut} as cut
from found cross join lateral (
	select m.*, s.name, v.members, {received} as received,
		coalesce((select f.flags from message_flags f where f.user_id = {reader} and f.message_id = m.message_id), 0) as own
	from messages m
	left join streams s on s.stream_id = m.stream_id
	left join conversations v on v.conversation_id = m.conversation_id
	where m.message_id = found.message_id
	offset 0
) m
order by m.message_id`,
		"{steps}", b.steps(ranges, true), "{delivered}", b.flags(event.Delivered), "{historical}", b.flags(event.Read|event.Historical), "{is read}", b.read(), "{read}", b.flags(event.Read),
		"{wildcard}", b.flags(event.WildcardMentioned), "{reader}", b.reader(), "{kept}", b.flags(kept), "{cut}", b.cut(ranges),
		"{received}", b.received())
	rows, err := collectRows(ctx, tx, statement, b.args, pgx.RowToStructByPos[narrowedRow])
	messages, cut = make([]NarrowedMessage, len(rows)), make([]bool, len(ranges))
	for i, row := range rows {
		messages[i], cut = row.NarrowedMessage, row.Cut
	}
	return messages, cut, err
}

// Message returns a message without any reader's flags, or [ErrNotFound].
func (tx *Tx) Message(ctx context.Context, wanted id.Message) (NarrowedMessage, error) {
	found, err := collectRows(ctx, tx, `select `+narrowedColumns+`, 0 as flags
from (
	select m.*, s.name, v.members
	from messages m
	left join streams s on s.stream_id = m.stream_id
	left join conversations v on v.conversation_id = m.conversation_id
	where m.message_id = $1
) m`, []any{wanted}, pgx.RowToStructByPos[NarrowedMessage])
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return NarrowedMessage{}, err
	}
	return found[0], nil
}

// MessageIDs is [Tx.Messages] for ids alone.
func (tx *Tx) MessageIDs(ctx context.Context, narrow Narrow, ranges ...MessageRange) ([]id.Message, error) {
	b := &builder{narrow: narrow}
	return collectRows(ctx, tx, b.steps(ranges, false)+"\nselect message_id from found order by message_id", b.args, pgx.RowTo[id.Message])
}

// kept are the flags that are stored in message_flags; others are computed.
const kept = event.Starred | event.Collapsed | event.Mentioned | event.HasAlertWord

func (b *builder) flags(flags event.Flags) string { return b.arg(int32(flags), "integer") }

// steps returns the statement up to the step found, which has the ids: all of them or, if sized, those that fit into the
// ranges' Bytes.
func (b *builder) steps(ranges []MessageRange, sized bool) string {
	steps, found := []string{b.own()}, make([]string, len(ranges))
	for i, part := range ranges {
		name := fmt.Sprintf("part_%d", i)
		steps = append(steps, scan{builder: b, MessageRange: part, name: name}.steps())
		found[i] = "select message_id from " + name
		if sized && part.Bytes > 0 {
			steps = append(steps, b.sized(part, name))
			found[i] += "_sized where before = 0 or through <= " + b.number(int64(part.Bytes))
		}
	}
	return "with recursive " + strings.Join(steps, ",\n") + ",\nfound as materialized (" + strings.Join(found, " union ") + ")"
}

// MinMessage is the minimum size of a message, in bytes, as counted for MessageRange.Bytes.
const MinMessage = 1024

// hasSubmessages is the bit of messages.flags for messages with submessages (message.HasSubmessages).
const hasSubmessages = "64"

// sized returns a step with two sizes in bytes for each message of a range: that of all messages before it, and that of
// all messages through it. Of values that are stored outside of the row, it reads only edits.
func (b *builder) sized(part MessageRange, name string) string {
	order := "p.message_id"
	if part.Newest {
		order += " desc"
	}
	size := b.number(MinMessage) + ` + greatest(octet_length(m.content), octet_length(m.rendered)) + coalesce(octet_length(m.edits::text), 0)
			+ 128 * coalesce((select cardinality(v.members) from conversations v where v.conversation_id = m.conversation_id), 0)
			+ 256 * (select count(*) from reactions r where r.message_id = m.message_id)
			+ case when m.flags & ` + hasSubmessages + ` = 0 then 0 else (select coalesce(sum(128 + octet_length(s.msg_type) + octet_length(s.content)), 0)
				from submessages s where s.message_id = m.message_id) end`
	if has[HasWords](b.narrow) {
		size += " + 4096 + octet_length(m.rendered)"
	}
	return name + `_sized as materialized (
	select p.message_id, sum(m.size) over to_here - m.size as before, sum(m.size) over to_here as through
	from ` + name + ` p cross join lateral (
		select ` + size + ` as size
		from messages m where m.message_id = p.message_id
		offset 0
	) m
	window to_here as (order by ` + order + ` rows unbounded preceding)
)`
}

// cut returns an array, as SQL, that is true for each range of which [builder.sized] leaves out messages.
func (b *builder) cut(ranges []MessageRange) string {
	list := make([]string, len(ranges))
	for i, part := range ranges {
		list[i] = "false"
		if part.Bytes > 0 {
			list[i] = fmt.Sprintf("exists (select from part_%d_sized where through > %s)", i, b.number(int64(part.Bytes)))
		}
	}
	return "array[" + strings.Join(list, ", ") + "]::boolean[]"
}

// collectRows runs a statement that was built for this call. It is planned with its parameters each
// time, since their selectivity decides which index is best.
func collectRows[T any](ctx context.Context, tx *Tx, statement string, args []any, to pgx.RowToFunc[T]) ([]T, error) {
	rows, err := tx.tx.Query(ctx, statement, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read messages of a narrow: %w", err)
	}
	collected, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) {
		yield.IfDue(ctx)
		return to(row)
	})
	return collected, wrap(err, "read messages of a narrow")
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// behind is the number of older unread messages of a reader who is far behind.
const behind = 4_000

// measureMarkingOne measures R6: marking one message as read, compared with sending one.
func (b *bench) measureMarkingOne(ctx context.Context) error {
	owner, stream := roomOwner(0), b.org.rooms[0]
	upToDate := b.row("R6", "POST /messages/flags, one message read, the oldest unread one, against POST /messages, p50", "ms", reach{Max: 1.6})
	farBehind := b.row("R6", "the same with 4,000 unread messages before it", "ms", reach{Max: 1.6})
	for range b.turns("R6") {
		if _, err := b.db.Exec(ctx, `insert into messages (org_id, sender_id, stream_id, topic, content, rendered, renderer, client)
			select $1, $2, $3, 'topic ' || i % 10, $4, $4, 1, 'bench' from generate_series(1, $5) i`, b.org.id, owner, stream, b.texts[0], behind); err != nil {
			return err
		}
		var last int64
		if err := b.db.QueryRow(ctx, "select max(message_id) from messages where stream_id = $1", stream).Scan(&last); err != nil {
			return err
		}
		if _, err := b.db.Exec(ctx, "vacuum (analyze) messages, event_log"); err != nil {
			return err
		}
		sent, err := b.sendInRooms(ctx, one, false)
		if err != nil {
			return err
		}
		for _, reader := range []struct {
			account int
			upto    int64 // the last message that they have read
			row     *row
		}{{owner + 1, last, upToDate}, {owner + 2, last - behind, farBehind}} {
			if _, err := b.db.Exec(ctx, "update subscriptions set read_upto = $1 where stream_id = $2 and user_id = $3",
				reader.upto, stream, reader.account); err != nil {
				return err
			}
			marked, err := b.mark(ctx, reader.account, last, len(sent.latencies))
			if err != nil {
				return err
			}
			reader.row.addPair(percentile(marked.latencies, 50), percentile(sent.latencies, 50))
			reader.row.Note = "p99 of the last run " + number(percentile(marked.latencies, 99)) + " ms"
		}
	}
	return nil
}

// mark marks up to count messages of the first room after a given one as read, each with its own call, until the time
// is over.
func (b *bench) mark(ctx context.Context, reader int, after int64, count int) (*sent, error) {
	rows, err := b.db.Query(ctx, "select message_id from messages where stream_id = $1 and message_id > $2 order by 1 limit $3", b.org.rooms[0], after, count)
	if err != nil {
		return nil, err
	}
	messages, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	requests := make([][]byte, len(messages))
	for i, message := range messages {
		requests[i] = request("POST", "/api/v1/messages/flags", "", reader, url.Values{
			"messages": {fmt.Sprintf("[%d]", message)}, "op": {"add"}, "flag": {"read"},
		})
	}
	if err := settle(ctx, b.servers()); err != nil {
		return nil, err
	}
	return sendFor(ctx, b.api.addr, [][][]byte{requests}, b.seconds)
}

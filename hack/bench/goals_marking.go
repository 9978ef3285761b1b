//go:build linux

package main

import (
	"context"
	"net/url"
	"strconv"
)

// behind is how many unread messages there are before those that somebody marks who is far behind.
const behind = 4_000

// measureMarkingOne is R6: what it costs to mark one message as read, against sending one.
func (b *bench) measureMarkingOne(ctx context.Context) error {
	owner, stream := roomOwner(0), b.org.rooms[0]
	upToDate := row{Goal: "R6", What: "POST /messages/flags, one message read, the oldest unread one, against POST /messages, p50", Unit: "ms", Reach: reach{Most: 1.6}}
	farBehind := row{Goal: "R6", What: "the same with 4,000 unread messages before it", Unit: "ms", Reach: reach{Most: 1.6}}
	for pair := range b.pairs {
		say("R6, pair %d", pair+1)
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
		sent, _, err := b.send(ctx, one, false)
		if err != nil {
			return err
		}
		p50 := milliseconds(quantile(sent.latencies, 0.5))
		for _, reader := range []struct {
			account int
			upto    int64 // what they have read
			row     *row
		}{{owner + 1, last, &upToDate}, {owner + 2, last - behind, &farBehind}} {
			if _, err := b.db.Exec(ctx, "update subscriptions set read_upto = $1 where stream_id = $2 and user_id = $3",
				reader.upto, stream, reader.account); err != nil {
				return err
			}
			marked, err := b.mark(ctx, reader.account, last, len(sent.latencies))
			if err != nil {
				return err
			}
			reader.row.addPair(milliseconds(quantile(marked.latencies, 0.5)), p50)
			reader.row.Note = "p99 of the last run " + number(milliseconds(quantile(marked.latencies, 0.99))) + " ms"
		}
	}
	b.table.add(upToDate, farBehind)
	return nil
}

// mark marks so many messages of the first room as read, those after one, one after another, as long as there is time.
func (b *bench) mark(ctx context.Context, reader int, after int64, count int) (*sent, error) {
	rows, err := b.db.Query(ctx, "select message_id from messages where stream_id = $1 and message_id > $2 order by 1 limit $3", b.org.rooms[0], after, count)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var requests [][]byte
	for rows.Next() {
		var message int64
		if err := rows.Scan(&message); err != nil {
			return nil, err
		}
		requests = append(requests, request("POST", "/api/v1/messages/flags", "", reader, url.Values{
			"messages": {"[" + strconv.FormatInt(message, 10) + "]"}, "op": {"add"}, "flag": {"read"},
		}))
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := settle(ctx, b.servers()); err != nil {
		return nil, err
	}
	result, err := sendFor(ctx, b.api.addr, [][][]byte{requests}, b.seconds)
	if err != nil {
		return nil, err
	}
	return result, result.failure()
}

//go:build linux

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

const (
	accounts  = 10_001
	rooms     = 32    // streams for senders, each with different members
	members   = 10    // of a room
	crowdSize = 5_000 // number of clients that wait for one message
	sender    = accounts
	// texts is the number of different texts; pgbench uses one script for each.
	texts      = 16
	textLength = 250
)

// organization describes the organization in the database. Account number i has the user id i.
type organization struct {
	id     id.Org
	shard  int
	shards int         // number of all shards
	rooms  []id.Stream // room i has the members from roomOwner(i) on
	ten    id.Stream   // has 10 subscribers
	huge   id.Stream   // has 10,000 subscribers
	crowd  id.Stream   // has crowdSize subscribers besides its sender
}

// roomOwner returns the account that sends in a room.
func roomOwner(room int) int { return room*members + 1 }

// email returns the address that an account logs in with.
func email(account int) string { return fmt.Sprintf("u%d@bench.example", account) }

func key(account int) string { return fmt.Sprintf("%032d", account) }

// authorization returns the value of the account's header Authorization.
func authorization(account int) string {
	return basic(email(account), key(account))
}

func basic(email, key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":"+key))
}

// populate inserts the organization into the database without the interface, which takes a second for 10,000 accounts.
func (b *bench) populate(ctx context.Context) (organization, error) {
	org := organization{}
	err := b.db.QueryRow(ctx, `insert into organizations (subdomain, name) values ('', 'Bench')
		returning org_id, org_id % (select shards from installation), (select shards from installation)`).Scan(&org.id, &org.shard, &org.shards)
	if err != nil {
		return org, fmt.Errorf("make organization: %w", err)
	}
	if _, err := b.db.Exec(ctx, `insert into users (org_id, user_id, email, full_name, api_key_hash, changed_at)
		select $1, i, 'u' || i || '@bench.example', 'Bench User ' || i, sha256(convert_to(lpad(i::text, 32, '0'), 'UTF8')), now() - interval '1 hour'
		from generate_series(1, $2::bigint) i`, org.id, accounts); err != nil {
		return org, fmt.Errorf("make accounts: %w", err)
	}
	if _, err := b.db.Exec(ctx, "select setval('user_ids', $1)", accounts); err != nil {
		return org, err
	}
	for room := range rooms {
		first := roomOwner(room)
		stream, err := b.makeStream(ctx, org.id, fmt.Sprintf("room %d", room), first, first+members-1)
		if err != nil {
			return org, err
		}
		org.rooms = append(org.rooms, stream)
	}
	var errs [3]error
	org.ten, errs[0] = b.makeStream(ctx, org.id, "ten", sender-9, sender)
	org.huge, errs[1] = b.makeStream(ctx, org.id, "huge", sender-9_999, sender)
	org.crowd, errs[2] = b.makeStream(ctx, org.id, "crowd", 1, crowdSize, sender)
	if err := errors.Join(errs[:]...); err != nil {
		return org, err
	}
	_, err = b.db.Exec(ctx, "vacuum (analyze)")
	return org, err
}

// makeStream inserts a public stream with the accounts from first to last, and others, as subscribers.
func (b *bench) makeStream(ctx context.Context, org id.Org, name string, first, last int, others ...int) (stream id.Stream, err error) {
	if others == nil {
		others = []int{}
	}
	err = pgx.BeginFunc(ctx, b.db, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "insert into streams (org_id, name) values ($1, $2) returning stream_id", org, name).Scan(&stream)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into subscriptions (org_id, stream_id, user_id, color, received)
			select $1, $2, i, '#c2c2c2', '{[1,)}' from (select generate_series($3::bigint, $4::bigint) i union select unnest($5::bigint[])) who`,
			org, stream, first, last, others)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("make stream %s: %w", name, err)
	}
	return stream, nil
}

// makeTexts returns texts of random words, the same in every run.
func makeTexts(count int) []string {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in every run
	out := make([]string, count)
	for i := range out {
		var text strings.Builder
		for text.Len() < textLength {
			for range 2 + random.IntN(3) {
				text.WriteByte("bdfgklmnprst"[random.IntN(12)])
				text.WriteByte("aeiou"[random.IntN(5)])
			}
			text.WriteByte(' ')
		}
		out[i] = text.String()[:textLength-1] + "."
	}
	return out
}

// recorded returns the event that the server writes for a message with a text, without its id and time.
func recorded(account int, stream id.Stream, name, text string) (string, error) {
	m := event.Message{
		MessageFields: event.MessageFields{
			Type: "stream", SenderID: id.User(account), SenderEmail: email(account), SenderFullName: fmt.Sprintf("Bench User %d", account),
			Client: "bench", Subject: topic, RecipientID: int64(stream), DisplayRecipient: name, StreamID: stream,
		},
		Content: text, Rendered: "<p>" + text + "</p>", AvatarURL: fmt.Sprintf("/avatar/%d?version=1", account),
	}
	return m.EncodeAfterID()
}

// drained waits until all events in the log are dispatched.
func (b *bench) drained(ctx context.Context) error {
	var xid uint64
	var event int64
	err := b.db.QueryRow(ctx, `select xid::text::bigint, id from event_log where shard = $1 order by xid desc, id desc limit 1`,
		b.org.shard).Scan(&xid, &event)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the end of the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		text, err := b.store.Get(ctx, fmt.Sprintf("{s%d}:cursor", b.org.shard)).Result()
		if err != nil {
			return fmt.Errorf("read the cursor: %w", err)
		}
		done, err := reached(text, xid, event)
		if err != nil || done {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the log isn't dispatched; the cursor is %q, the end %d %d: %w", text, xid, event, err)
		}
	}
}

// reached reports whether a cursor ("incarnation xid id through", then the organizations that are behind) is at an
// event of the log or after it, for all organizations.
func reached(cursor string, xid uint64, event int64) (bool, error) {
	var incarnation string
	var atXid uint64
	var atEvent, through int64
	if _, err := fmt.Sscan(cursor, &incarnation, &atXid, &atEvent, &through); err != nil {
		return false, fmt.Errorf("%q isn't a cursor: %w", cursor, err)
	}
	at := atXid > xid || atXid == xid && atEvent >= event
	return at && through == 0 && len(strings.Fields(cursor)) == 4, nil
}

// warmUp fills the caches of the services, and initializes everything that is initialized at its first use.
func (b *bench) warmUp(ctx context.Context) error {
	if err := b.register(ctx, sender); err != nil { // it starts the shard's cursor
		return err
	}
	if err := b.unregister(ctx, sender); err != nil {
		return err
	}
	requests := [][][]byte{}
	for room := range rooms {
		requests = append(requests, b.messages(roomOwner(room), b.org.rooms[room]))
	}
	for _, stream := range []id.Stream{b.org.ten, b.org.huge, b.org.crowd} {
		requests = append(requests, b.messages(sender, stream))
	}
	if _, err := sendFor(ctx, b.api.addr, requests, time.Second); err != nil {
		return err
	}
	return b.drained(ctx)
}

// probe sends one message and waits until it is dispatched: then events has read all queues.
func (b *bench) probe(ctx context.Context) error {
	if err := ask(ctx, b.api.addr, b.messages(roomOwner(0), b.org.rooms[0])[0], nil); err != nil {
		return err
	}
	return b.drained(ctx)
}

//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/hack/dataset"
	"chatserver.dev/pkg/private"
	"chatserver.dev/pkg/store"
)

const (
	// fewMessages and manyMessages are what the two organizations have that reading is compared in.
	fewMessages  = 50_000
	manyMessages = 5_000_000
	// reads is how often each request is made in a row.
	reads = 40
)

// library is an organization to read in, with a server of its own.
type library struct {
	dataset.Organization
	database string
	db       *pgx.Conn
	redis    *private.Redis
	api      *service
	events   *service
}

// measureReading is R1 to R5: what it takes to read where there is much, against where there is little.
func (b *bench) measureReading(ctx context.Context) (err error) {
	small, err := b.openLibrary(ctx, "library_small", fewMessages)
	defer func() { err = errors.Join(err, small.close(ctx)) }()
	if err != nil {
		return err
	}
	large, err := b.openLibrary(ctx, "library_large", manyMessages)
	defer func() { err = errors.Join(err, large.close(ctx)) }()
	if err != nil {
		return err
	}
	for _, goal := range []struct {
		name, what string
		most       float64
		narrow     func(*library) string
	}{
		{"R1", "GET /messages, 100 newest of a topic, 5 million messages against 50 thousand, p50", 1.2, func(l *library) string {
			return fmt.Sprintf(`[{"operator":"stream","operand":%d},{"operator":"topic","operand":%q}]`, l.Streams[0], dataset.Topic(0))
		}},
		{"R2", "GET /messages, 100 newest of everything in 200 streams, p50", 1.5, func(*library) string { return "[]" }},
		{"R2", "GET /messages, 100 newest of a private conversation, p50", 1.5, func(l *library) string {
			return fmt.Sprintf(`[["pm-with",%q]]`, l.Partner.Email)
		}},
	} {
		if !b.wants(goal.name) {
			continue
		}
		r := row{Goal: goal.name, What: goal.what, Unit: "ms", Reach: reach{Most: goal.most}}
		for pair := range b.pairs {
			say("%s, pair %d", goal.name, pair+1)
			few, err := latency(ctx, small.api.addr, newest(small, goal.narrow(small)), reads)
			if err != nil {
				return err
			}
			many, err := latency(ctx, large.api.addr, newest(large, goal.narrow(large)), reads)
			if err != nil {
				return err
			}
			r.addPair(many, few)
		}
		b.table.add(r)
	}
	return b.measureLarge(ctx, large)
}

// measureLarge is what has to be fast enough in the large organization.
func (b *bench) measureLarge(ctx context.Context, large *library) error {
	if b.wants("R3") {
		if err := b.measureSearch(ctx, large); err != nil {
			return err
		}
	}
	if b.wants("R4") {
		say("R4")
		if err := b.measureMarking(ctx, large); err != nil {
			return err
		}
	}
	if !b.wants("R5") {
		return nil
	}
	return b.measureRegistration(ctx, large)
}

func (b *bench) measureSearch(ctx context.Context, large *library) error {
	words := dataset.Words()
	search := row{Goal: "R3", What: "GET /messages, search for 3 words in 5 million messages, p50", Unit: "ms", Reach: reach{Most: 50}}
	for run := range b.pairs {
		say("R3, run %d", run+1)
		text := strings.Join([]string{words[20+run], words[60+run], words[110+run]}, " ")
		ms, err := latency(ctx, large.api.addr, newest(large, fmt.Sprintf(`[["search",%q]]`, text)), reads)
		if err != nil {
			return err
		}
		search.Ours = append(search.Ours, ms)
	}
	b.table.add(search)
	return nil
}

// measureRegistration is what a client waits for that knows nothing yet, of somebody with some hundred
// unread messages and of somebody who has never read anything.
func (b *bench) measureRegistration(ctx context.Context, large *library) error {
	for _, r := range []struct {
		what   string
		unread int
		more   url.Values
		reach  reach
	}{
		{"500 unread messages", 500, nil, reach{Most: 150}},
		{"the same with all subscribers of all streams", 500, url.Values{"include_subscribers": {"true"}}, reach{Most: 150}},
		{"50,000 unread messages, the most in an initial state", 50_000, nil, reach{}},
	} {
		if err := large.leaveUnread(ctx, r.unread); err != nil {
			return err
		}
		params := url.Values{"queue_lifespan_secs": {"1"}}
		maps.Copy(params, r.more)
		register := row{Goal: "R5", What: "POST /register with everything, 10,000 users and 500 streams, " + r.what + ", p50", Unit: "ms", Reach: r.reach}
		for run := range b.pairs {
			say("R5, %s, run %d", r.what, run+1)
			ms, err := latency(ctx, large.events.addr, large.request("POST", "/api/v1/register", large.Reader, params), reads/4)
			if err != nil {
				return err
			}
			register.Ours = append(register.Ours, ms)
		}
		b.table.add(register)
	}
	return nil
}

// leaveUnread makes the reader have read everything but the newest messages.
func (l *library) leaveUnread(ctx context.Context, count int) error {
	_, err := l.db.Exec(ctx, `update users set read_upto = (
			select m.message_id from messages m
			where m.org_id = $1 and (m.stream_id in (select stream_id from subscriptions where org_id = $1 and user_id = $2 and active)
				or m.conversation_id in (select conversation_id from conversation_members where org_id = $1 and user_id = $2))
			order by m.message_id desc offset $3 limit 1)
		where org_id = $1 and user_id = $2`, l.ID, l.Reader.User, count)
	return err
}

// measureMarking counts the rows that are written when all is marked as read.
func (b *bench) measureMarking(ctx context.Context, large *library) error {
	if err := large.leaveUnread(ctx, 50_000); err != nil {
		return err
	}
	written := func() (rows int64, err error) {
		if err := pause(ctx, 11*time.Second); err != nil { // idle sessions report every ten seconds
			return 0, err
		}
		err = large.db.QueryRow(ctx, `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint from pg_stat_user_tables
			where relname not like 'event\_log%'`).Scan(&rows)
		return rows, err
	}
	before, err := written()
	if err != nil {
		return err
	}
	if _, err := latency(ctx, large.api.addr, large.request("POST", "/api/v1/mark_all_as_read", large.Reader, nil), 1); err != nil {
		return err
	}
	after, err := written()
	if err != nil {
		return err
	}
	b.table.add(row{
		Goal: "R4", What: "mark_all_as_read with 50,000 unread, rows written besides the event",
		Ours: []float64{float64(after - before)}, Reach: reach{Most: 1},
	})
	return nil
}

// openLibrary makes a database with an organization, and servers for it. What it returns has to be closed
// even where it fails.
func (b *bench) openLibrary(ctx context.Context, name string, messages int) (*library, error) {
	say("loading %d messages", messages)
	l := &library{database: b.postgres.URL(name)}
	if _, err := b.db.Exec(ctx, "create database "+name); err != nil {
		return l, err
	}
	if _, err := store.Migrate(ctx, l.database); err != nil {
		return l, err
	}
	var err error
	if l.db, err = pgx.Connect(ctx, l.database); err != nil {
		return l, err
	}
	if l.Organization, err = dataset.Load(ctx, l.db, dataset.Spec{
		Users: 10_000, Streams: 500, Subscriptions: 30, ReaderStreams: 200, Topics: 50, Messages: messages, Private: 0.1,
	}); err != nil {
		return l, err
	}
	if l.redis, err = private.StartRedis(ctx, private.Options{}); err != nil {
		return l, err
	}
	if l.api, err = b.startService(ctx, "api", l.database, l.redis); err != nil {
		return l, err
	}
	l.events, err = b.startService(ctx, "events", l.database, l.redis)
	return l, err
}

func (l *library) close(ctx context.Context) error {
	var errs []error
	for _, s := range []*service{l.api, l.events} {
		if s != nil {
			errs = append(errs, s.stop())
		}
	}
	if l.redis != nil {
		errs = append(errs, l.redis.Stop())
	}
	if l.db != nil {
		errs = append(errs, l.db.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(errs...)
}

// newest asks for the hundred newest messages of a narrow.
func newest(l *library, narrow string) []byte {
	return l.request("GET", "/api/v1/messages", l.Reader, url.Values{
		"anchor": {"newest"}, "num_before": {"100"}, "num_after": {"0"}, "narrow": {narrow},
	})
}

// request makes a request of an account.
func (l *library) request(method, path string, as dataset.Account, params url.Values) []byte {
	return requestTo(l.api.addr, method, path, as.Authorization(), params)
}

// warmups is how often a request is made before it counts, for what is read or made at the first use.
const warmups = 3

// latency is the median of so many calls of the server at an address, in milliseconds. A call that is
// made once isn't made before.
func latency(ctx context.Context, addr string, request []byte, calls int) (float64, error) {
	conn, err := dial(ctx, addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // everything is answered
	first := warmups
	if calls == 1 {
		first = 0
	}
	times := make([]time.Duration, 0, calls)
	for i := range calls + first {
		began := time.Now()
		if err := conn.accepted(request); err != nil {
			return 0, err
		}
		if i >= first {
			times = append(times, time.Since(began))
		}
	}
	return milliseconds(quantile(times, 0.5)), nil
}

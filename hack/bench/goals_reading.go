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

	"chatserver.dev/hack/dataset"
	"chatserver.dev/pkg/localserver"
)

const (
	// fewMessages and manyMessages are the numbers of messages in the two organizations in which reading is compared.
	fewMessages  = 50_000
	manyMessages = 5_000_000
	// reads is the number of consecutive repetitions of each request.
	reads = 40
	// warmups is the number of requests that aren't measured, to fill caches.
	warmups = 3
)

// library is an organization to read in, with its own server.
type library struct {
	dataset.Organization
	installation
}

// measureReading measures R1 to R5: reading with many messages compared with few, and requests that must be fast enough
// with many messages.
func (b *bench) measureReading(ctx context.Context) (err error) {
	small, err := b.openLibrary(ctx, "library_small", fewMessages)
	defer func() { err = errors.Join(err, small.close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return err
	}
	large, err := b.openLibrary(ctx, "library_large", manyMessages)
	defer func() { err = errors.Join(err, large.close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return err
	}
	for _, goal := range []struct {
		name, what string
		limit      float64
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
		r := b.row(goal.name, goal.what, "ms", reach{Max: goal.limit})
		for range b.turns(goal.name) {
			few, err := latency(ctx, small.api.addr, small.newest(goal.narrow(small)), reads, nil)
			if err != nil {
				return err
			}
			many, err := latency(ctx, large.api.addr, large.newest(goal.narrow(large)), reads, nil)
			if err != nil {
				return err
			}
			r.addPair(many, few)
		}
	}
	for _, goal := range []struct {
		name    string
		measure func(context.Context, *library) error
	}{{"R3", b.measureSearch}, {"R4", b.measureMarking}, {"R5", b.measureRegistration}} {
		if !b.wants(goal.name) {
			continue
		}
		if err := goal.measure(ctx, large); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measureSearch(ctx context.Context, large *library) error {
	words := dataset.Words()
	search := b.row("R3", "GET /messages, search for 3 words in 5 million messages, p50", "ms", reach{Max: 50})
	for run := range b.turns("R3") {
		text := strings.Join([]string{words[20+run], words[60+run], words[110+run]}, " ")
		ms, err := latency(ctx, large.api.addr, large.newest(fmt.Sprintf(`[["search",%q]]`, text)), reads, nil)
		if err != nil {
			return err
		}
		search.Ours = append(search.Ours, ms)
	}
	return nil
}

// measureMarking counts the rows that are written when all messages are marked as read.
func (b *bench) measureMarking(ctx context.Context, large *library) error {
	say("R4")
	if err := large.leaveUnread(ctx, 50_000); err != nil {
		return err
	}
	written, err := rowsWritten(ctx, large.db, "^(?!event_log)", func() error {
		return ask(ctx, large.api.addr, large.request("POST", "/api/v1/mark_all_as_read", nil), nil)
	})
	r := b.row("R4", "mark_all_as_read with 50,000 unread, rows written besides the event", "", reach{Max: 1})
	r.Ours = append(r.Ours, float64(written))
	return err
}

// measureRegistration measures how long a new client waits for its initial state, for an account with a few hundred
// unread messages and for one that has never read any.
func (b *bench) measureRegistration(ctx context.Context, large *library) error {
	subscribers := url.Values{"include_subscribers": {"true"}}
	for _, r := range []struct {
		what   string
		unread int
		more   url.Values
		before func(context.Context) error
		reach  reach
	}{
		{"500 unread messages", 500, nil, nil, reach{Max: 150}},
		{"the same with all subscribers of all streams", 500, subscribers, nil, reach{Max: 150}},
		{"the same after the subscribers of all streams have changed", 500, subscribers, large.changeSubscribers, reach{}},
		{"50,000 unread messages, the most in an initial state", 50_000, nil, nil, reach{}},
	} {
		if err := large.leaveUnread(ctx, r.unread); err != nil {
			return err
		}
		params := url.Values{"queue_lifespan_secs": {"1"}}
		maps.Copy(params, r.more)
		register := b.row("R5", "POST /register with everything, 10,000 users and 500 streams, "+r.what+", p50", "ms", r.reach)
		for range b.turns("R5, " + r.what) {
			ms, err := latency(ctx, large.events.addr, large.request("POST", "/api/v1/register", params), reads/4, r.before)
			if err != nil {
				return err
			}
			register.Ours = append(register.Ours, ms)
		}
	}
	return nil
}

// openLibrary creates a database with an organization, and servers for it. The result must be closed even if it fails.
func (b *bench) openLibrary(ctx context.Context, name string, messages int) (*library, error) {
	say("loading %d messages", messages)
	l := &library{}
	if _, err := b.db.Exec(ctx, "create database "+name); err != nil {
		return l, err
	}
	return l, l.install(ctx, b, name, localserver.Options{}, func() (err error) {
		l.Organization, err = dataset.Load(ctx, l.db, dataset.Spec{
			Users: 10_000, Streams: 500, Subscriptions: 30, ReaderStreams: 200, Topics: 50, Messages: messages, Private: 0.1,
		})
		return err
	})
}

// leaveUnread marks all messages as read by the reader except for the newest count ones.
func (l *library) leaveUnread(ctx context.Context, count int) error {
	_, err := l.db.Exec(ctx, `update users set read_upto = (
			select m.message_id from messages m
			where m.org_id = $1 and (m.stream_id in (select stream_id from subscriptions where org_id = $1 and user_id = $2 and active)
				or m.conversation_id in (select conversation_id from conversation_members where org_id = $1 and user_id = $2))
			order by m.message_id desc offset $3 limit 1)
		where org_id = $1 and user_id = $2`, l.ID, l.Reader.User, count)
	return err
}

// changeSubscribers marks the subscribers of all streams as changed. It removes the old rows, as autovacuum would.
func (l *library) changeSubscribers(ctx context.Context) error {
	if _, err := l.db.Exec(ctx, "update streams set subscribers_xid = pg_current_xact_id() where org_id = $1", l.ID); err != nil {
		return err
	}
	_, err := l.db.Exec(ctx, "vacuum streams")
	return err
}

// newest returns a request for the hundred newest messages of a narrow.
func (l *library) newest(narrow string) []byte {
	return l.request("GET", "/api/v1/messages", url.Values{
		"anchor": {"newest"}, "num_before": {"100"}, "num_after": {"0"}, "narrow": {narrow},
	})
}

// request returns a request of the reader.
func (l *library) request(method, path string, params url.Values) []byte {
	return requestTo("localhost", method, path, l.Reader.Authorization(), params)
}

// latency returns the median latency of a request, in milliseconds, after warming up. Unless before is nil, it is
// called before each request.
func latency(ctx context.Context, addr string, request []byte, calls int, before func(context.Context) error) (float64, error) {
	conn, err := dial(ctx, addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // everything is answered
	times := make([]time.Duration, 0, warmups+calls)
	for range warmups + calls {
		if before != nil {
			if err := before(ctx); err != nil {
				return 0, err
			}
		}
		start := time.Now()
		if _, err := conn.do(request); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	return percentile(times[warmups:], 50), nil
}

//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
)

// Sizes of the large organization, and of its calls. Where the server has a limit, the size is that limit.
const (
	people      = 1_000  // in a call that names people
	recipients  = 300    // of a private message
	manyStreams = 4_800  // besides the others
	topicLength = 10_000 // messages of a topic that is moved or deleted
	largeTexts  = 5_000  // messages of the greatest length
	flagged     = 5_000
	onceEach    = 8 // number of objects for calls that are possible only once per object
	everything  = sender - 1
)

// large is a kind of calls of the large organization.
type large struct {
	name string
	// next returns the call number i of the kind; false: there are no more.
	next func(i int) (calling, bool)
}

// calling is one call: a request to an address.
type calling struct {
	addr    string
	request []byte
}

// stage has the objects that the calls of one turn use.
type stage struct {
	number    int
	annex     id.Stream   // like huge
	teams     []string    // streams to subscribe people to
	archived  []id.Stream // streams to archive, each with 10,000 subscribers
	extra     []string    // streams with one subscriber
	first     id.Message  // of the topic that is moved
	sample    id.Message  // a message to 10,000
	toFlag    []int64
	principal []int // accounts to subscribe
}

// topicOf returns the name of a topic for one turn.
func (s stage) topicOf(name string) string { return fmt.Sprintf("%s %d", name, s.number) }

// setStage creates the objects of a turn without the interface. events must be restarted afterwards, to read the
// streams.
func (b *bench) setStage(ctx context.Context, number int) (s stage, err error) {
	s = stage{number: number}
	for i := range people {
		s.principal = append(s.principal, 1+i)
	}
	if s.annex, err = b.makeStream(ctx, b.org.id, s.topicOf("annex"), sender-9_999, sender); err != nil {
		return s, err
	}
	for i := range 10 {
		name := s.topicOf(fmt.Sprintf("team %d of", i))
		if _, err := b.makeStream(ctx, b.org.id, name, sender, sender); err != nil {
			return s, err
		}
		s.teams = append(s.teams, name)
	}
	for i := range onceEach {
		stream, err := b.makeStream(ctx, b.org.id, s.topicOf(fmt.Sprintf("hall %d of", i)), sender-9_999, sender)
		if err != nil {
			return s, err
		}
		s.archived = append(s.archived, stream)
	}
	if number == 0 {
		if err := b.enlarge(ctx); err != nil {
			return s, err
		}
	}
	for i := range manyStreams {
		s.extra = append(s.extra, fmt.Sprintf("extra %d", i))
	}
	if s.first, err = b.fill(ctx, s.topicOf("long"), topicLength); err != nil {
		return s, err
	}
	for i := range onceEach {
		if _, err := b.fill(ctx, s.topicOf(fmt.Sprintf("doomed %d of", i)), topicLength); err != nil {
			return s, err
		}
	}
	if s.sample, err = b.fill(ctx, s.topicOf("sample"), flagged); err != nil {
		return s, err
	}
	for i := range flagged {
		s.toFlag = append(s.toFlag, int64(s.sample)+int64(i))
	}
	_, err = b.db.Exec(ctx, "vacuum (analyze)")
	return s, err
}

// enlarge creates the objects that all turns use.
func (b *bench) enlarge(ctx context.Context) error {
	for _, sql := range []string{
		fmt.Sprintf("update users set role = 100 where org_id = %d and user_id in (%d, %d)", b.org.id, sender, everything),
		fmt.Sprintf("insert into users (org_id, email, full_name, bot_type, system) values (%d, 'notices@bench.example', 'Notices', 1, true)", b.org.id),
		fmt.Sprintf("update organizations set settings = settings || '{\"max_streams\": 100000}' where org_id = %d", b.org.id),
		fmt.Sprintf("insert into streams (org_id, name, description) select %d, 'extra ' || i, repeat('about this stream ', 50) from generate_series(0, %d) i",
			b.org.id, manyStreams-1),
		fmt.Sprintf(`insert into subscriptions (org_id, stream_id, user_id, color, received)
			select org_id, stream_id, %d, '#c2c2c2', '{[1,)}' from streams where org_id = %d and name like 'extra %%'`, everything, b.org.id),
		fmt.Sprintf(`insert into messages (org_id, sender_id, stream_id, topic, content, rendered, renderer, client)
			select %d, %d, %d, 'heavy', repeat('<&', 5000), repeat('&lt;&amp;', 5000), 1, 'bench' from generate_series(1, %d)`,
			b.org.id, sender, b.org.huge, largeTexts),
	} {
		if _, err := b.db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// fill inserts messages of a topic of the stream with 10,000 subscribers, and returns the first one.
func (b *bench) fill(ctx context.Context, topic string, count int) (first id.Message, err error) {
	err = b.db.QueryRow(ctx, `with made as (
			insert into messages (org_id, sender_id, stream_id, topic, content, rendered, renderer, client)
			select $1, $2, $3, $4, $5, '<p>' || $5 || '</p>', 1, 'bench' from generate_series(1, $6::int) returning message_id)
		select min(message_id) from made`, b.org.id, sender, b.org.huge, topic, b.texts[0], count).Scan(&first)
	return first, err
}

// kinds returns the largest calls that the server allows.
func (b *bench) kinds(s stage) []large {
	owner := func(addr, method, path string, form url.Values) calling {
		return calling{addr: addr, request: request(method, "/api/v1"+path, "", sender, form)}
	}
	again := func(number func(i int) calling) func(int) (calling, bool) {
		return func(i int) (calling, bool) { return number(i), true }
	}
	text := strings.Repeat("**word** `code` :smile: @**all** https://a.example/b ", 185)
	return []large{
		{"a message of 10,000 bytes to 10,000 subscribers", again(func(int) calling {
			return owner(b.api.addr, "POST", "/messages", url.Values{"type": {"stream"}, "to": {text64(b.org.huge)}, "topic": {"large"}, "content": {text}})
		})},
		{"an edit of a message to 10,000 subscribers", again(func(i int) calling {
			return owner(b.api.addr, "PATCH", "/messages/"+text64(s.sample), url.Values{"content": {strconv.Itoa(i) + " " + text}})
		})},
		{"subscribing 1,000 people to 10 streams, and unsubscribing them", again(func(i int) calling {
			form := url.Values{"principals": {asJSON(s.principal)}}
			if i%2 == 1 {
				form.Set("subscriptions", asJSON(s.teams))
				return owner(b.api.addr, "DELETE", "/users/me/subscriptions", form)
			}
			form.Set("subscriptions", asJSON(named(s.teams...)))
			return owner(b.api.addr, "POST", "/users/me/subscriptions", form)
		})},
		{"creating 100 streams", again(func(i int) calling {
			names := make([]string, 100)
			for n := range names {
				names[n] = fmt.Sprintf("new %d of %d in %d", n, i, s.number)
			}
			return owner(b.api.addr, "POST", "/users/me/subscriptions", url.Values{"subscriptions": {asJSON(named(names...))}})
		})},
		{"moving a topic of 10,000 messages", again(func(i int) calling {
			to := s.annex
			if i%2 == 1 {
				to = b.org.huge
			}
			return owner(b.api.addr, "PATCH", "/messages/"+text64(s.first), url.Values{"stream_id": {text64(to)}, "propagate_mode": {"change_all"}})
		})},
		{"deleting a topic of 10,000 messages", func(i int) (calling, bool) {
			return owner(b.api.addr, "POST", "/streams/"+text64(b.org.huge)+"/delete_topic",
				url.Values{"topic_name": {s.topicOf(fmt.Sprintf("doomed %d of", i))}}), i < onceEach
		}},
		{"marking 50,000 unread messages as read", func(i int) (calling, bool) {
			account := 2 + i + s.number*1000
			return calling{addr: b.api.addr, request: request("POST", "/api/v1/mark_all_as_read", "", account, nil)}, i < 1000
		}},
		{"flags of 5,000 messages", again(func(i int) calling {
			op := []string{"add", "remove"}[i%2]
			return owner(b.api.addr, "POST", "/messages/flags", url.Values{"messages": {asJSON(s.toFlag)}, "op": {op}, "flag": {"starred"}})
		})},
		{"archiving a stream with 10,000 subscribers", func(i int) (calling, bool) {
			if i >= len(s.archived) {
				return calling{}, false
			}
			return owner(b.api.addr, "DELETE", "/streams/"+text64(s.archived[i]), nil), true
		}},
		{"a bot with 4,800 subscriptions, and its deactivation", again(func(i int) calling {
			name := fmt.Sprintf("bot-%d-%d", s.number, i/2)
			path := "/organizations/bench/bots/" + name
			if i%2 == 1 {
				return b.administer("DELETE", path, "")
			}
			return b.administer("PUT", path, asJSON(map[string]any{"short_name": name, "full_name": name, "subscriptions": s.extra}))
		})},
		{"registering with everything", again(func(int) calling {
			return calling{addr: b.events.addr, request: request("POST", "/api/v1/register", "", everything, url.Values{
				"include_subscribers": {"true"}, "queue_lifespan_secs": {"1"},
			})}
		})},
		{"GET /messages of 5,000 with large contents", again(func(int) calling {
			return owner(b.api.addr, "GET", "/messages", url.Values{
				"anchor": {"newest"}, "num_before": {"5000"}, "num_after": {"0"}, "narrow": {`[["topic","heavy"]]`},
			})
		})},
		{"GET /users", again(func(int) calling { return owner(b.api.addr, "GET", "/users", nil) })},
		{"GET /streams", again(func(int) calling { return owner(b.api.addr, "GET", "/streams", nil) })},
		{"typing to 300 people", again(func(i int) calling {
			return owner(b.api.addr, "POST", "/typing", url.Values{"op": {[]string{"start", "stop"}[i%2]}, "to": {asJSON(s.principal[:recipients])}})
		})},
	}
}

// administer returns a call of the admin interface.
func (b *bench) administer(method, path, body string) calling {
	return calling{b.api.admin, encode(method, "/admin/v1"+path, b.api.admin, "Bearer "+adminToken, body)}
}

func text64[T ~int64](number T) string { return strconv.FormatInt(int64(number), 10) }

// named returns streams to subscribe to, as a parameter.
func named(names ...string) []map[string]string {
	streams := make([]map[string]string, len(names))
	for i, name := range names {
		streams[i] = map[string]string{"name": name, "description": strings.Repeat("About this stream. ", 50)}
	}
	return streams
}

// asJSON encodes a value, which must be encodable.
func asJSON(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

package feed_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// newHall returns a service, a member who has received ten messages of a stream, and a session of the superuser.
func newHall(t *testing.T) (service *feed.Service, who actor.Actor, session *storetest.Session) {
	t.Helper()
	db, url := storetest.OpenURL(t)
	session = storetest.Connect(t, url)
	orgs := org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	users := user.New(db, orgs, time.Now)
	acme, err := orgs.Create(t.Context(), org.Draft{Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ann := user.User{}
	err = db.Write(t.Context(), acme.ID, func(tx *store.Tx) (err error) {
		ann, _, err = users.Create(t.Context(), tx, acme, user.Draft{RealEmail: "ann@chat.example", FullName: "Ann", Role: actor.Member})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	session.Exec(`insert into streams (org_id, stream_id, name) values ($1, 1, 'hall')`, acme.ID)
	session.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 1, $2, '#fff', '{[1,)}')`, acme.ID, ann.ID)
	session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, 1 as stream_id, 'valve' as topic,
		'the valve leaks' as content, '<p>the valve leaks</p>' as rendered from generate_series(1, 10)`), acme.ID, ann.ID)
	return feed.New(db, orgs, linkifier.New(db, testbed.Logger(t))), ann.Actor(acme, nil), session
}

// Any narrow is answered or refused with a fault. None makes a statement fail.
func TestAnyNarrow(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	service, who, _ := newHall(t)
	names := []string{
		"stream", "streams", "topic", "sender", "pm-with", "pm_with", "group-pm-with", "is", "has", "in", "id", "near", "search",
	}
	words := []string{
		"hall", "public", "valve", "ann@chat.example", "private", "starred", "unread", "mentioned", "alerted", "link", "image", "attachment",
		"home", "all", "1", "the", `"the valve"`, `"`, "'", "%", `\`, "a & | ! b", strconv.FormatInt(int64(who.User), 10), "", "9223372036854775808",
		":*", "<->", "(", strings.Repeat("word ", 1900), strings.Repeat("x", 9000), "$1", "--", ";", "\U0001F642", "\u200f",
	}
	term := rapid.Custom(func(rt *rapid.T) any {
		name := rapid.SampledFrom(names).Draw(rt, "operator")
		operand := any(rapid.SampledFrom(words).Draw(rt, "operand"))
		switch rapid.IntRange(0, 5).Draw(rt, "kind") {
		case 0:
			operand = rapid.String().Draw(rt, "text")
		case 1:
			operand = rapid.Int64().Draw(rt, "id")
		case 2:
			operand = []int64{int64(who.User), rapid.Int64Range(0, 5).Draw(rt, "other")}
		case 3:
			return []any{name, operand}
		}
		return map[string]any{"operator": name, "operand": operand, "negated": rapid.Bool().Draw(rt, "negated")}
	})
	anchors := rapid.SampledFrom([]feed.Anchor{feed.Newest, feed.Oldest, feed.FirstUnread, 1, 5, 100})
	rapid.Check(t, func(rt *rapid.T) {
		text, err := json.Marshal(rapid.SliceOfN(term, 0, 4).Draw(rt, "terms"))
		if err != nil {
			rt.Fatal(err)
		}
		parsed, err := narrow.Parse(string(text))
		if err != nil {
			if fault.Of(err) == nil {
				rt.Fatalf("%s: %v", text, err)
			}
			return
		}
		request := feed.Request{Anchor: anchors.Draw(rt, "anchor"), Before: rapid.IntRange(0, 5).Draw(rt, "before"), After: rapid.IntRange(0, 5).Draw(rt, "after"), Narrow: parsed}
		page, err := service.Fetch(t.Context(), who, request)
		if err != nil && !errors.Is(err, narrow.ErrTerm) {
			rt.Fatalf("%s: %v", text, err)
		}
		if len(page.Messages) > request.Before+request.After+1 {
			rt.Fatalf("%s: %d messages", text, len(page.Messages))
		}
		if _, err := service.Matches(t.Context(), who, []id.Message{1, 2, 3, 1 << 62, -1}, parsed, feed.PageBytes); err != nil && !errors.Is(err, narrow.ErrTerm) {
			rt.Fatalf("%s: %v", text, err)
		}
	})
}

package subscription_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// world is an organization with one account of each kind, in its own database.
type world struct {
	db      *store.DB
	sql     *storetest.Session
	url     string // of the database
	orgs    *org.Service
	service *subscription.Service
	streams *stream.Service
	notices *notices
	clock   *testbed.Clock
	org     org.Org
	users   map[string]user.User
	at      store.Position // entries up to here have been read
}

// notices records the messages that the notification bot was to send.
type notices struct{ said []string }

func (n *notices) ToStream(_ context.Context, _ *store.Tx, to id.Stream, says catalogue.StreamNotice, readBy ...id.User) error {
	topic, content := says(catalogue.In("en"))
	n.said = append(n.said, fmt.Sprintf("stream %d > %s: %s", to, topic, content))
	for _, user := range readBy {
		n.said[len(n.said)-1] += fmt.Sprintf(" (read by %d)", user)
	}
	return nil
}

func (n *notices) ToUsers(_ context.Context, _ *store.Tx, to []id.User, says []catalogue.Notice) (send func(context.Context) error, err error) {
	return func(context.Context) error {
		for i, text := range says {
			n.said = append(n.said, fmt.Sprintf("user %d: %s", to[i], text(catalogue.In("en"))))
		}
		return nil
	}, nil
}

func (n *notices) ToNew(
	_ context.Context, tx *store.Tx, says catalogue.StreamNotice, readBy ...id.User,
) (send func(ctx context.Context, to []sqlc.Stream) error, err error) {
	return func(ctx context.Context, to []sqlc.Stream) error {
		for _, row := range to {
			if err := n.ToStream(ctx, tx, row.StreamID, says, readBy...); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func newWorld(t *testing.T, settings func(*org.Settings)) *world {
	t.Helper()
	db, url := storetest.OpenURL(t)
	w := &world{
		db: db, sql: storetest.Connect(t, url), url: url, notices: &notices{}, clock: testbed.NewClock(time.Now().Add(-100 * 24 * time.Hour)),
		users: map[string]user.User{},
	}
	w.orgs = org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, w.clock.Now)
	w.streams = stream.New(db, w.orgs, markdown.New(markdown.Config{}), w.notices, time.Now)
	w.service = subscription.New(db, w.orgs, markdown.New(markdown.Config{}), w.notices, w.clock.Now)
	w.org = w.newOrg(t, "acme", settings)
	for _, account := range []struct {
		name string
		role actor.Role
		bot  actor.BotType
	}{
		{"owner", actor.Owner, actor.Human},
		{"admin", actor.Administrator, actor.Human},
		{"ann", actor.Member, actor.Human},
		{"bob", actor.Member, actor.Human},
		{"guest", actor.Guest, actor.Human},
		{"robot", actor.Member, actor.GenericBot},
	} {
		w.join(t, account.name, account.role, account.bot)
	}
	w.clock.Advance(100 * 24 * time.Hour)
	w.events(t)
	return w
}

func (w *world) newOrg(t *testing.T, subdomain string, settings func(*org.Settings)) org.Org {
	t.Helper()
	draft := org.Draft{Subdomain: subdomain, Name: subdomain, Settings: org.Defaults()}
	if settings != nil {
		settings(&draft.Settings)
	}
	made, err := w.orgs.Create(t.Context(), draft, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// join creates an account at the current time.
func (w *world) join(t *testing.T, name string, role actor.Role, bot actor.BotType) {
	t.Helper()
	draft := user.Draft{RealEmail: name + "@acme.example", FullName: strings.ToUpper(name), Role: role, Bot: bot}
	if bot != actor.Human {
		draft.Owner = w.users["ann"].ID
	}
	w.write(t, func(tx *store.Tx) error {
		made, _, err := user.New(w.db, w.orgs, w.clock.Now).Create(t.Context(), tx, w.org, draft)
		w.users[name] = made
		return err
	})
}

func (w *world) write(t *testing.T, work func(tx *store.Tx) error) {
	t.Helper()
	if err := w.db.Write(t.Context(), w.org.ID, work); err != nil {
		t.Fatal(err)
	}
}

func (w *world) actor(name string) actor.Actor {
	u := w.users[name]
	owner := (*user.User)(nil)
	if found, ok := w.users["ann"]; ok && u.Owner == found.ID {
		owner = &found
	}
	return u.Actor(w.org, owner)
}

func (w *world) principals(names ...string) subscription.Principals {
	p := subscription.Principals{}
	for _, name := range names {
		p.IDs = append(p.IDs, w.users[name].ID)
	}
	return p
}

// wanted returns a request with streams. private makes one private.
func wanted(names ...string) subscription.Request {
	r := subscription.Request{New: stream.Settings{PostPolicy: permit.PostAnyone}}
	for _, name := range names {
		r.Streams = append(r.Streams, subscription.Wanted{Name: name})
	}
	return r
}

func private(r subscription.Request) subscription.Request {
	r.New.InviteOnly = true
	return r
}

func (w *world) with(r subscription.Request, names ...string) subscription.Request {
	r.Principals = w.principals(names...)
	return r
}

func (w *world) subscribe(t *testing.T, who string, r subscription.Request) subscription.Answer {
	t.Helper()
	answer, err := w.service.Subscribe(t.Context(), w.actor(who), r)
	if err != nil {
		t.Fatalf("%s subscribes: %v", who, err)
	}
	return answer
}

// row returns a stream by its name, including deactivated ones.
func (w *world) row(t *testing.T, name string) sqlc.Stream {
	t.Helper()
	found := sqlc.Stream{}
	w.write(t, func(tx *store.Tx) error {
		row, err := tx.StreamByName(t.Context(), 0, name)
		found = row.Stream
		return err
	})
	return found
}

// own returns an account's subscription to a stream, which may have ended.
func (w *world) own(t *testing.T, who, name string) sqlc.Subscription {
	t.Helper()
	found := sqlc.Subscription{}
	w.write(t, func(tx *store.Tx) error {
		rows, err := tx.SubscriptionsOf(t.Context(), w.users[who].ID, true)
		for _, row := range rows {
			if row.Stream.Name == name {
				found = row.Subscription
			}
		}
		return err
	})
	if found.StreamID == 0 {
		t.Fatalf("%s has never been subscribed to %q", who, name)
	}
	return found
}

// send stores a message from the notification bot in a stream.
func (w *world) send(t *testing.T, name string) id.Message {
	t.Helper()
	row := w.row(t, name)
	sent := []id.Message(nil)
	w.write(t, func(tx *store.Tx) (err error) {
		sent, err = tx.Send(t.Context(), store.NewMessage{
			Sender: w.users["ann"].ID, Stream: row.StreamID, StreamVersion: row.Version, Topic: "t", Content: "c", Rendered: "c", Renderer: 1,
			Client: "test", Payload: `"x":1}}`, Audience: event.Audience{},
		})
		return err
	})
	return sent[0]
}

package inbox_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
)

// world is a server with two organizations. Tests insert rows directly, because most of these cases can't be made
// through the interface yet.
type world struct {
	t           testing.TB
	db          *store.DB
	conn        *pgx.Conn // as a superuser
	notices     *[]string // on conn
	url         string    // of a superuser
	session     *storetest.Session
	acme, other org.Org
	users       *user.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	db, url := storetest.OpenURL(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	notices := []string(nil)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	orgs := org.New(db, org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	w := &world{t: t, db: db, conn: conn, notices: &notices, url: url, session: storetest.Connect(t, url), users: user.New(db, orgs, time.Now)}
	for name, made := range map[string]*org.Org{"acme": &w.acme, "other": &w.other} {
		if *made, err = orgs.Create(t.Context(), org.Draft{Subdomain: name, Name: name, Settings: org.Defaults()}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) person(o org.Org, name string) id.User {
	w.t.Helper()
	made := user.User{}
	err := w.db.Write(w.t.Context(), o.ID, func(tx *store.Tx) (err error) {
		made, _, err = w.users.Create(w.t.Context(), tx, o, user.Draft{RealEmail: name + "@corp.example", FullName: name + " Test", Role: actor.Member})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made.ID
}

// actor creates a person and returns their actor.
func (w *world) actor(o org.Org, name string) actor.Actor {
	w.t.Helper()
	return user.User{ID: w.person(o, name), Role: actor.Member}.Actor(o, nil)
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.conn.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

func (w *world) stream(o org.Org, stream id.Stream) {
	w.t.Helper()
	w.exec(`insert into streams (org_id, stream_id, name) values ($1, $2, 'stream ' || ($2::bigint)::text)`, o.ID, stream)
}

func (w *world) conversation(o org.Org, conversation id.Conversation, members ...id.User) {
	w.t.Helper()
	w.exec(`insert into conversations (org_id, conversation_id, members) values ($1, $2, $3)`, o.ID, conversation, members)
	w.exec(`insert into conversation_members (org_id, conversation_id, user_id) select $1, $2, unnest($3::bigint[])`, o.ID, conversation, members)
}

// row is a message.
type row struct {
	ID           id.Message
	Sender       id.User
	Stream       id.Stream       // or
	Conversation id.Conversation // this
	Topic        string
	Flags        int16
}

func (w *world) messages(o org.Org, rows ...row) {
	w.t.Helper()
	batch := &pgx.Batch{}
	for _, m := range rows {
		batch.Queue(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as message_id, $3::bigint as sender_id,
			nullif($4::bigint, 0) as stream_id, nullif($5::bigint, 0) as conversation_id, $6::text as topic, $7::smallint as flags`),
			o.ID, m.ID, m.Sender, m.Stream, m.Conversation, m.Topic, m.Flags)
	}
	if err := w.conn.SendBatch(w.t.Context(), batch).Close(); err != nil {
		w.t.Fatal(err)
	}
}

// read runs work in a snapshot of the organization.
func read[T any](w *world, o org.Org, work func(tx *store.Tx) (T, error)) T {
	w.t.Helper()
	got := *new(T)
	err := w.db.Snapshot(w.t.Context(), o.ID, func(tx *store.Tx, _ store.Snapshot) (err error) {
		got, err = work(tx)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

package store_test

import (
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// sender opens a migrated database, and returns a message that causes all kinds of rows, but no file. In any database that is new, it
// has the same ids.
func sender(t *testing.T, url string) (db *store.DB, org id.Org, message store.NewMessage) {
	t.Helper()
	w := &world{t: t, waker: &waker{}, url: url, session: storetest.Connect(t, url)}
	db, err := store.Open(t.Context(), store.Config{URL: url, Connections: 2}, w.waker)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w.db = db
	org = w.org()
	user := w.users(org, 1)[0]
	message = to(user, w.streams(org, "a")[0], "x")
	message.Widget = "{}"
	message.FlaggedAnyway = []store.Flagged{{User: user, Flags: 1}}
	message.BotCalls = store.BotCalls{Bots: []id.User{user}, Cause: store.ByMention}
	return db, org, message
}

// checkSend has the release before send the message of [sender]. PREPARE doesn't look into functions, which lack what only later releases pass to them.
func checkSend(t *testing.T, conn *preparer, send string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "set role chatserver_service; "+send); err != nil {
		t.Errorf("the release before can't send messages: %v\n%s", err, send)
	}
	if _, err := conn.Exec(t.Context(), "reset role"); err != nil {
		t.Fatal(err)
	}
}

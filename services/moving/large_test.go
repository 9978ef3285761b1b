package moving_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

// However many readers messages have, an export reads them in portions.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do("POST", "/messages", params{"type": "private", "to": []id.User{ann.ID}, "content": "for me"}).OK()
	db := storetest.Connect(t, w.DatabaseURL)
	const subscribers, messages = 100, 999
	db.Exec("insert into users (org_id, email, full_name) select $1, 'p' || n || '@chat.example', 'P' || n from generate_series(1, $2::int) n", w.Org.ID, subscribers)
	db.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) select org_id, stream_id, user_id, '#c2c2c2', '{[1,)}'
		from users join streams using (org_id) where org_id = $1 and email like 'p%@chat.example' and name = 'hall'`, w.Org.ID)
	db.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, stream_id, 't' as topic from streams, generate_series(1, $3::int)
		where org_id = $1 and name = 'hall'`), w.Org.ID, ann.ID, messages)
	// The function is called for each reader.
	db.Exec(`create or replace function is_read(message bigint, own boolean, message_flags smallint, upto bigint, read int8multirange, again int8multirange)
		returns boolean language plpgsql volatile as $$
		declare
			rows int := coalesce(nullif(current_setting('test.rows', true), ''), '0')::int + 1;
		begin
			perform set_config('test.rows', rows::text, true);
			if rows > 60000 then raise 'a query reads more than 60,000 readers'; end if;
			return true;
		end $$`)
	all := read(t, export(t, w, w.Org.ID, transfer.Options{}))
	readers := map[[2]any]bool{}
	for _, row := range all[archive.UserMessages] {
		readers[[2]any{row["user_profile"], row["message"]}] = true
	}
	const inHall = 1 + messages // the first one says that it was created
	if rows := len(all[archive.UserMessages]); rows != 1+inHall*(1+subscribers) || len(readers) != rows {
		t.Errorf("%d rows of readers, of which %d are different", rows, len(readers))
	}
}

// Messages with long histories are in several files, none of which is too large for an import. Large texts of bots are
// read in portions, too.
func TestLargeRows(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	for range 40 {
		ann.SendStream("hall", "t", "edited")
	}
	db := storetest.Connect(t, w.DatabaseURL)
	said := storetest.Values[int](db, "select count(*)::int from messages where org_id = $1", w.Org.ID)[0]
	db.Exec("update messages set edits = jsonb_build_array(jsonb_build_object('user_id', $1::bigint, 'timestamp', 1, 'prev_content', repeat('x', 1000000)))", ann.ID)
	db.Exec("insert into bot_storage (org_id, user_id, key, value) select $1, $2, n::text, repeat('x', 1000000) from generate_series(1, 40) n", w.Org.ID, ann.ID)
	dir := export(t, w, w.Org.ID, transfer.Options{})
	messages, keys := map[float64]bool{}, map[any]bool{}
	names, err := filepath.Glob(filepath.Join(dir, "messages-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 20<<20 {
			t.Errorf("%s has %d bytes", filepath.Base(name), len(text))
		}
		one := tables{}
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		for _, row := range one[archive.Messages] {
			messages[row["id"].(float64)] = true
		}
	}
	for _, row := range read(t, dir)[archive.BotStorage] {
		keys[row["key"]] = true
	}
	if len(messages) != said || len(keys) != 40 {
		t.Errorf("%d of %d messages in %d files, %d of 40 texts of bots", len(messages), said, len(names), len(keys))
	}
}

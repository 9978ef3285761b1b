package moving_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/servicetest"
)

// interposed is a sink that calls meanwhile once, as soon as the table after begins in realm.json.
type interposed struct {
	archive.Sink

	after     string
	meanwhile func()
}

func (s *interposed) Create(name string) (io.WriteCloser, error) {
	file, err := s.Sink.Create(name)
	if name != archive.RealmFile {
		return file, err
	}
	return &interposedFile{WriteCloser: file, sink: s}, err
}

type interposedFile struct {
	io.WriteCloser

	sink *interposed
	text strings.Builder
}

func (f *interposedFile) Write(p []byte) (int, error) {
	f.text.Write(p)
	if f.sink.meanwhile != nil && strings.Contains(f.text.String(), `"`+f.sink.after+`": [`) {
		f.sink.meanwhile()
		f.sink.meanwhile = nil
	}
	return f.WriteCloser.Write(p)
}

// The archive has no row of an account that was created after the accounts were written.
func TestAccountDuringExport(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	// So many bytes of streams that they aren't all in the buffer of the file when the next tables are read.
	db.Exec(`insert into streams (org_id, name, description) select $1, 'stream ' || i, repeat('x', 1000) from generate_series(1, 200) i`, w.Org.ID)
	dir := filepath.Join(t.TempDir(), "archive")
	to, err := archive.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	sink := &interposed{Sink: to, after: archive.Streams, meanwhile: func() {
		db.Exec(`with made as (
				insert into users (org_id, email, full_name) values ($1, 'new@chat.example', 'Newcomer') returning org_id, user_id
			), words as (insert into alert_words (org_id, user_id, word) select org_id, user_id, 'steam' from made
			), statuses as (insert into user_statuses (org_id, user_id, text) select org_id, user_id, 'in' from made
			), services as (insert into bot_services (org_id, user_id, url, interface, token) select org_id, user_id, 'https://new.example', 1, 'x' from made
			), configs as (insert into bot_configs (org_id, user_id, config) select org_id, user_id, '{"k": "v"}' from made)
			insert into bot_storage (org_id, user_id, key, value) select org_id, user_id, 'k', 'v' from made`, w.Org.ID)
	}}
	if _, err := w.Exporter.Export(t.Context(), w.Org.ID, sink, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if sink.meanwhile != nil {
		t.Fatal("no account was created during the export")
	}
	all := read(t, dir)
	for _, row := range all[archive.Users] {
		if row["full_name"] == "Newcomer" {
			t.Fatal("the account was created before the accounts were written")
		}
	}
	for _, table := range []string{archive.AlertWords, archive.Statuses, archive.Services, archive.BotConfigs, archive.BotStorage} {
		if len(all[table]) > 0 {
			t.Errorf("%s: %v", table, all[table])
		}
	}
}

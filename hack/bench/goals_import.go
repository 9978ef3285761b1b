//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chatserver.dev/hack/dataset"
	"chatserver.dev/pkg/archive"
)

const (
	importedPeople  = 1_000
	importedStreams = 100
	perFile         = 1_000 // messages, as exports have them
)

// importedTables returns the tables that have nearly all rows of an imported organization.
func importedTables() []string {
	return []string{"users", "streams", "subscriptions", "messages", "message_flags"}
}

// measureImport measures I1: importing an organization, compared with COPY of the resulting rows into the same tables.
func (b *bench) measureImport(ctx context.Context) error {
	dir := filepath.Join(b.dir, "archive")
	say("I1, writing an archive")
	if err := writeArchive(dir, b.imported); err != nil {
		return err
	}
	row := b.row("I1", fmt.Sprintf("chatserver import, %d messages, against COPY of its rows", b.imported), "messages/s", reach{Min: 0.3})
	for pair := range b.turns("I1") {
		ours, err := b.importArchive(ctx, dir, fmt.Sprintf("import%d", pair))
		if err != nil {
			return err
		}
		floor, err := b.copyImported(ctx, fmt.Sprintf("import%d", pair))
		if err != nil {
			return err
		}
		row.addPair(float64(b.imported)/ours.Seconds(), float64(b.imported)/floor.Seconds())
	}
	return os.RemoveAll(dir)
}

// writeArchive writes an archive of an organization with messages, each of which another person has read.
func writeArchive(dir string, messages int) (err error) {
	to, err := archive.NewFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := writeRealm(to); err != nil {
		return err
	}
	if err := writeMessages(to, messages); err != nil {
		return err
	}
	files, err := archive.NewTables(to, archive.AttachmentFile) // an import demands it
	if err != nil {
		return err
	}
	return files.Close()
}

// writeRealm writes the file with people and streams.
func writeRealm(to archive.Sink) error {
	realm, err := archive.NewTables(to, archive.RealmFile)
	if err != nil {
		return err
	}
	add := func(row any) { err = errors.Join(err, realm.Add(row)) }
	realm.Begin(archive.Realms)
	add(archive.Realm{ID: 1, Name: "Import"})
	realm.Begin(archive.Users)
	for i := range importedPeople {
		add(archive.User{ID: int64(i + 1), DeliveryEmail: fmt.Sprintf("i%d@bench.example", i), FullName: fmt.Sprintf("Import User %d", i), Role: 400, Active: true})
	}
	realm.Begin(archive.Streams)
	for i := range importedStreams {
		add(archive.Stream{ID: int64(i + 1), Name: fmt.Sprintf("import %d", i)})
	}
	realm.Begin(archive.Recipients)
	for i := range importedStreams {
		add(archive.Recipient{ID: int64(i + 1), Type: archive.ToStream, TypeID: int64(i + 1)})
	}
	realm.Begin(archive.Subscriptions)
	for i := range 10 * importedStreams {
		add(archive.Subscription{ID: int64(i + 1), User: int64(i%importedPeople + 1), Recipient: int64(i%importedStreams + 1), Active: true})
	}
	return errors.Join(err, realm.Close())
}

// writeMessages writes the files with messages.
func writeMessages(to archive.Sink, messages int) error {
	random, words := rand.New(rand.NewPCG(5, 6)), dataset.Words() //nolint:gosec // the same each time
	word := rand.NewZipf(random, 1.1, 8, uint64(len(words)-1))
	for first := 0; first < messages; first += perFile {
		out, err := archive.NewTables(to, fmt.Sprintf("messages-%06d.json", first/perFile+1))
		if err != nil {
			return err
		}
		out.Begin(archive.Messages)
		many := min(perFile, messages-first)
		for i := first + 1; i <= first+many; i++ {
			text := strings.Builder{}
			for range 4 + random.IntN(12) {
				text.WriteString(words[word.Uint64()] + " ")
			}
			content := text.String()
			err = errors.Join(err, out.Add(archive.Message{
				ID: int64(i), Sender: int64(i%importedPeople + 1), Recipient: int64(i%importedStreams + 1), Subject: dataset.Topic(i % 50), Content: content,
				Rendered: "<p>" + content + "</p>", Renderer: 1, Sent: archive.Time{Time: time.Unix(1_600_000_000+int64(i), 0)}, Client: 1,
			}))
		}
		out.Begin(archive.UserMessages)
		for i := first + 1; i <= first+many; i++ {
			err = errors.Join(err, out.Add(archive.UserMessage{ID: int64(i), User: int64(i%importedPeople + 1), Message: int64(i), Flags: 1}))
		}
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// importArchive runs the command, and returns how long it takes.
func (b *bench) importArchive(ctx context.Context, dir, subdomain string) (time.Duration, error) {
	if _, err := b.db.Exec(ctx, "checkpoint"); err != nil {
		return 0, err
	}
	command := exec.CommandContext(ctx, b.api.path, "import", dir, "--subdomain", subdomain)
	command.Env = append(os.Environ(), b.api.env...)
	start := time.Now()
	if out, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("import: %w: %s", err, out)
	}
	return time.Since(start), nil
}

// copyImported copies the rows of an organization from files into tables with the same structure, and returns how long
// that takes.
func (b *bench) copyImported(ctx context.Context, subdomain string) (took time.Duration, err error) {
	for _, table := range importedTables() {
		one, err := b.copyTable(ctx, table, subdomain)
		if err != nil {
			return 0, fmt.Errorf("copy %s: %w", table, err)
		}
		took += one
	}
	return took, nil
}

func (b *bench) copyTable(ctx context.Context, table, subdomain string) (took time.Duration, err error) {
	columns := ""
	if err := b.db.QueryRow(ctx, `select string_agg(quote_ident(attname), ',' order by attnum) from pg_attribute
		where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, table).Scan(&columns); err != nil {
		return 0, err
	}
	rows, err := os.Create(filepath.Join(b.dir, table+".copy"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close(), os.Remove(rows.Name())) }()
	from := fmt.Sprintf("copy (select %s from %s where org_id = (select org_id from organizations where subdomain = '%s')) to stdout (format binary)", columns, table, subdomain)
	if _, err := b.db.PgConn().CopyTo(ctx, rows, from); err != nil {
		return 0, err
	}
	if _, err := rows.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	if _, err := b.db.Exec(ctx, fmt.Sprintf("create table floor_import (like %s including all); checkpoint", table)); err != nil {
		return 0, err
	}
	start := time.Now()
	if _, err := b.db.PgConn().CopyFrom(ctx, rows, fmt.Sprintf("copy floor_import (%s) from stdin (format binary)", columns)); err != nil {
		return 0, err
	}
	took = time.Since(start)
	_, err = b.db.Exec(ctx, "drop table floor_import")
	return took, err
}

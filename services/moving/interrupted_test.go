package moving_test

import (
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
)

// failing is a sink that fails at the first file whose name begins with at.
type failing struct {
	archive.Sink

	at string
}

var errFull = errors.New("no space left")

func (f failing) Create(name string) (io.WriteCloser, error) {
	if strings.HasPrefix(name, f.at) {
		return nil, errFull
	}
	return f.Sink.Create(name)
}

// The archive of an export that was interrupted is refused, wherever that was, and no organization is created.
func TestInterruptedExport(t *testing.T) {
	t.Parallel()
	w := full(t)
	for at, want := range map[string]error{
		"messages-": archive.ErrNone, "realm.json": archive.ErrNone, "uploads/": transfer.ErrIncomplete, "uploads/records.json": transfer.ErrIncomplete,
		"avatars/": transfer.ErrIncomplete, "emoji/records.json": transfer.ErrIncomplete, "realm_icons/": transfer.ErrIncomplete, "attachment.json": transfer.ErrIncomplete,
	} {
		dir := filepath.Join(t.TempDir(), "archive")
		to, err := archive.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Exporter.Export(t.Context(), w.Org.ID, failing{to, at}, transfer.Options{}); !errors.Is(err, errFull) {
			t.Errorf("an export that can't write %s: %v", at, err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := load(t, w, dir, "half"); !errors.Is(err, want) {
			t.Errorf("an archive that ends before %s: %v", at, err)
		}
	}
	if n := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from organizations where subdomain = 'half'")[0]; n != 0 {
		t.Error("there is an organization")
	}
}

// What a failed export has written to the standard output can't be unpacked.
func TestFailedPipe(t *testing.T) {
	t.Parallel()
	w := full(t)
	storetest.Connect(t, w.DatabaseURL).Exec("alter table attachments rename to gone")
	piped, _, err := run(t, w, "export", "--output", "-")
	if err == nil {
		t.Fatal("no error")
	}
	unpacked, err := gzip.NewReader(strings.NewReader(piped))
	if err == nil {
		_, err = io.Copy(io.Discard, unpacked)
	}
	if err == nil {
		t.Error("the output looks complete")
	}
}

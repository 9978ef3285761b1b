package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/archive"
)

// packed returns a file with the content.
func packed(t *testing.T, content []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "packed")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// tarOf returns a tar file with the headers, each with the content "x".
func tarOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	out := bytes.Buffer{}
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, h := range headers {
		if h.Typeflag == 0 {
			h.Size = 1
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == 0 {
			_, _ = io.WriteString(w, "x")
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipOf(t *testing.T, names ...string) []byte {
	t.Helper()
	out := bytes.Buffer{}
	w := zip.NewWriter(&out)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, "x")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Reading returns what was written.
func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	out := bytes.Buffer{}
	to, err := archive.NewTar(&out, "top")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := archive.NewTables(to, archive.RealmFile)
	if err != nil {
		t.Fatal(err)
	}
	tables.Begin(archive.Realms)
	want := []archive.Realm{{ID: 7, Name: "a <b>", Settings: map[string]json.RawMessage{"x": json.RawMessage("1")}}, {ID: 8}}
	for _, r := range want {
		if err := tables.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	tables.Begin(archive.Users)
	if err := errors.Join(tables.Close(), archive.WriteRecords(to, archive.UploadFolder, []archive.Record{{User: 3, Path: "a/b"}}), to.Close()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := archive.Unpack(t.Context(), packed(t, out.Bytes()), dir); err != nil {
		t.Fatal(err)
	}
	a, err := archive.New(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	names, records := []string{}, 0
	err = a.Tables(t.Context(), archive.RealmFile, map[string]archive.Row{
		archive.Realms: archive.Rows(func(r archive.Realm) error { names = append(names, r.Name); return nil }),
		"not there":    archive.Rows(func(archive.Realm) error { t.Error("called"); return nil }),
	})
	if err := errors.Join(err, a.Records(t.Context(), archive.UploadFolder, func(archive.Record) error { records++; return nil })); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a <b>", ""}, names); diff != "" || records != 1 {
		t.Error(diff, records)
	}
}

// Nothing is written outside of the folder, whatever names an archive contains.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for what, content := range map[string][]byte{
		"up":             tarOf(t, tar.Header{Name: "../x", Mode: 0o600}),
		"up and down":    tarOf(t, tar.Header{Name: "a/../../x", Mode: 0o600}),
		"root":           tarOf(t, tar.Header{Name: "/etc/x", Mode: 0o600}),
		"symlink":        tarOf(t, tar.Header{Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"through a link": tarOf(t, tar.Header{Name: "a", Linkname: "..", Typeflag: tar.TypeSymlink}, tar.Header{Name: "a/x", Mode: 0o600}),
		"hard link":      tarOf(t, tar.Header{Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeLink, Mode: 0o600}),
		"device":         tarOf(t, tar.Header{Name: "a", Typeflag: tar.TypeChar}),
		"twice":          tarOf(t, tar.Header{Name: "a", Mode: 0o600}, tar.Header{Name: "a", Mode: 0o600}),
		"long":           tarOf(t, tar.Header{Name: strings.Repeat("a", 2000), Mode: 0o600}),
		"zip, up":        zipOf(t, "../x"),
		"zip, backslash": zipOf(t, `..\x`),
		"cut off":        tarOf(t, tar.Header{Name: "a", Mode: 0o600})[:30],
		"text":           []byte("hello, this is no archive"),
		"short":          []byte("a"),
	} {
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := archive.Unpack(t.Context(), packed(t, content), dir); err == nil && what != "hard link" { // that becomes an empty file
			t.Errorf("%s: unpacked", what)
		}
		if found, _ := filepath.Glob(filepath.Join(top, "*")); len(found) != 1 {
			t.Errorf("%s: %v", what, found)
		}
	}
}

// A file that expands to far more than its size isn't unpacked completely.
func TestBomb(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it writes a gigabyte")
	}
	const size = 1<<30 + 1<<20
	header := bytes.Buffer{}
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "a", Size: size, Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	compress := func(text []byte) []byte {
		out := bytes.Buffer{}
		w := gzip.NewWriter(&out)
		if _, err := w.Write(text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	// A file may be compressed in parts, so one part can be repeated.
	bomb := append(compress(header.Bytes()), bytes.Repeat(compress(make([]byte, 1<<20)), size>>20)...)
	if err := archive.Unpack(t.Context(), packed(t, bomb), t.TempDir()); !errors.Is(err, archive.ErrLarge) {
		t.Errorf("%d bytes: %v", len(bomb), err)
	}
}

// Errors of an invalid file contain the position.
func TestHostileTables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                     "EOF",
		`[]`:                   "instead of {",
		`{"zerver_realm": {}}`: "zerver_realm: there is { instead of [",
		`{"zerver_realm": [{"id": 1}, {"id": "x"}]}`: "zerver_realm: row 2:",
		`{"zerver_realm": [{"id": 1e300}]}`:          "row 1:",
		`{"zerver_realm": [{"date_created": -5}]}`:   "isn't a time between 1970 and 9999",
		`{"zerver_realm": [{"id": 1}`:                "EOF",
		`{"zerver_realm": [1}`:                       "zerver_realm",
		`{"a": [` + strings.Repeat("[", 20_000):      "row 1:",
		`{"a": ["` + strings.Repeat("x", 33<<20):     "larger than 32 MiB",
	} {
		a, err := archive.New(fstest.MapFS{archive.RealmFile: {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		err = a.Tables(t.Context(), archive.RealmFile, map[string]archive.Row{archive.Realms: archive.Rows(func(archive.Realm) error { return nil })})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), archive.RealmFile) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

// For any file, the amount that is read at a time is limited, and skipped members are counted.
func TestCount(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short")
	}
	t.Parallel()
	large := `"` + strings.Repeat("x", 20<<20) + `"`
	a, err := archive.New(fstest.MapFS{archive.RealmFile: {Data: []byte(`{"a": {"b": ` + large + `, "c": ` + large + `}, "d": ` + large + `, "e": ` + large + `, "e": ` + large + `, "e": ` + large + `, "f": [{}, [1], 2], "g": {}, "h": [` + large + `]}`)}})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	err = a.Count(t.Context(), archive.RealmFile, func(table string, rows int) { got = append(got, fmt.Sprint(table, rows)) })
	if diff := cmp.Diff([]string{"a2", "d0", "e0", "e0", "e0", "f3", "g0", "h1"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, text := range []string{
		`{"a": {"b": "` + strings.Repeat("x", 33<<20) + `"}}`, `{"a": {"` + strings.Repeat("x", 33<<20) + `": 1}}`, `{"` + strings.Repeat("x", 33<<20) + `": 1}`,
		`{"a": {"b": 1}`, `{"a": {"b": }}`, `{"a": {1: 1}}`, `{"a": [1}`,
	} {
		a, err := archive.New(fstest.MapFS{archive.RealmFile: {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Count(t.Context(), archive.RealmFile, func(string, int) {}); err == nil {
			t.Errorf("%.30s: read", text)
		}
	}
}

// An archive is found at the top level, or in the only folder there.
func TestFind(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("{}")}
	for _, files := range []fstest.MapFS{{"realm.json": file}, {"export/realm.json": file, "readme": file}} {
		if _, err := archive.New(files); err != nil {
			t.Error(err)
		}
	}
	for _, files := range []fstest.MapFS{{}, {"a/realm.json": file, "b/realm.json": file}, {"a/b/realm.json": file}} {
		if _, err := archive.New(files); !errors.Is(err, archive.ErrNone) {
			t.Error(err)
		}
	}
	a, err := archive.New(fstest.MapFS{"realm.json": file, "messages-1000000.json": file, "messages-999999.json": file, "messages-000001.json": file})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.MessageFiles()
	if diff := cmp.Diff([]string{"messages-000001.json", "messages-999999.json", "messages-1000000.json"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

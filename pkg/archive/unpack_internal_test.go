package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files and folders count as what they take, however few bytes they are when they are packed.
func TestManyEntries(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	u := &unpacking{root: root, left: 14 * entrySize, files: maxFiles}
	add := func(name string) error { return u.add(t.Context(), name, 0o600, strings.NewReader("x")) }
	for _, name := range []string{"a", "b/c/d/e", "b/c/d/f", "b/g"} {
		if err := add(name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if want := int64(14*entrySize - 3*entrySize - 4*(entrySize+1)); u.left != want {
		t.Errorf("%d bytes are left, want %d", u.left, want)
	}
	if err := add(strings.Repeat("x/", 20) + "y"); !errors.Is(err, ErrLarge) {
		t.Errorf("20 folders of 6: %v", err)
	}
	u.left = 20 * entrySize
	if err := add(strings.Repeat("z/", maxFolders+1) + "y"); !errors.Is(err, errDeep) {
		t.Errorf("a file in too many folders: %v", err)
	}
	if err := add("a/b"); err == nil || errors.Is(err, ErrLarge) {
		t.Errorf("a folder that is a file: %v", err)
	}
	u.left = 5 * entrySize
	for i := range 10 {
		if err := add(fmt.Sprintf("small%d", i)); errors.Is(err, ErrLarge) != (i >= 4) || err != nil && i < 4 {
			t.Errorf("small file %d: %v", i, err)
		}
	}
}

// A zip's directory is kept in memory, so its size has a limit, and reading ends there.
func TestLargeDirectory(t *testing.T) {
	t.Parallel()
	packed := &bytes.Buffer{}
	writer := zip.NewWriter(packed)
	for i := range 2_000 {
		if _, err := writer.Create(fmt.Sprintf("channel/%d.json", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]error{50_000: errDirectory, 300_000: nil} {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		u := &unpacking{root: root, left: minUnpacked, files: maxFiles, directory: limit}
		if err := u.zip(t.Context(), bytes.NewReader(packed.Bytes()), int64(packed.Len())); !errors.Is(err, want) {
			t.Errorf("with a limit of %d bytes: %v, want %v", limit, err, want)
		}
	}
}

// FuzzUnpack checks that no archive writes outside of its folder, or more than it may.
func FuzzUnpack(f *testing.F) {
	const most, files = 1 << 15, 50
	for _, names := range [][]string{{"realm.json", "uploads/1/a"}, {"../a"}, {"a/../../b"}, {"/a", "a/", "a/b"}, {"a", "a"}, {"..\\a"}, {strings.Repeat("x/", 30)}} {
		packed, zipped := &bytes.Buffer{}, &bytes.Buffer{}
		unzipped, w := gzip.NewWriter(packed), zip.NewWriter(zipped)
		entries := tar.NewWriter(unzipped)
		for _, name := range names {
			_ = entries.WriteHeader(&tar.Header{Name: name, Size: 4, Mode: 0o600})
			_, _ = entries.Write([]byte("text"))
			if to, err := w.Create(name); err == nil {
				_, _ = to.Write([]byte(strings.Repeat("text", 10_000)))
			}
		}
		if err := errors.Join(entries.Close(), unzipped.Close(), w.Close()); err != nil {
			f.Fatal(err)
		}
		f.Add(packed.Bytes())
		f.Add(zipped.Bytes())
	}
	links := &bytes.Buffer{}
	entries := tar.NewWriter(links)
	for _, h := range []tar.Header{{Name: "l", Linkname: "..", Typeflag: tar.TypeSymlink}, {Name: "h", Linkname: "../x", Typeflag: tar.TypeLink}, {Name: "l/x"}} {
		_ = entries.WriteHeader(&h)
	}
	f.Add(links.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := t.TempDir()
		if err := os.Mkdir(parent+"/into", 0o700); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(parent + "/into")
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		u := &unpacking{root: root, left: most, files: files, directory: 1 << 16}
		switch {
		case bytes.HasPrefix(data, []byte("PK\x03\x04")):
			err = u.zip(t.Context(), bytes.NewReader(data), int64(len(data)))
		case bytes.HasPrefix(data, []byte("\x1f\x8b")):
			err = u.tar(t.Context(), bytes.NewReader(data))
		default: // nearly every change of what is compressed breaks it
			packed := &bytes.Buffer{}
			w := gzip.NewWriter(packed)
			_, _ = w.Write(data)
			_ = w.Close()
			err = u.tar(t.Context(), packed)
		}
		size, count := int64(0), 0
		walked := filepath.WalkDir(parent, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if path != parent && !strings.HasPrefix(path, parent+"/into") || !info.IsDir() && !info.Mode().IsRegular() {
				t.Errorf("%s was made: %v", path, info.Mode())
			}
			if info.Mode().IsRegular() {
				size, count = size+entrySize+info.Size(), count+1
			}
			return err
		})
		if walked != nil || size > most+1 || err == nil && size > most || count > files {
			t.Errorf("%d bytes in %d files: %v, %v", size, count, err, walked)
		}
	})
}

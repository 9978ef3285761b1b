package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Folders count as what they take, however few bytes their names are when they are packed.
func TestManyFolders(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	u := &unpacking{root: root, left: 10 * folderSize, files: maxFiles}
	add := func(name string) error { return u.add(t.Context(), name, 0o600, strings.NewReader("x")) }
	for _, name := range []string{"a", "b/c/d/e", "b/c/d/f", "b/g"} {
		if err := add(name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if want := int64(10*folderSize - 3*folderSize - 4); u.left != want {
		t.Errorf("%d bytes are left, want %d", u.left, want)
	}
	if err := add(strings.Repeat("x/", 20) + "y"); !errors.Is(err, ErrLarge) {
		t.Errorf("20 folders of 6: %v", err)
	}
	if err := add(strings.Repeat("z/", maxFolders+1) + "y"); !errors.Is(err, errDeep) {
		t.Errorf("a file in too many folders: %v", err)
	}
	if err := add("a/b"); err == nil || errors.Is(err, ErrLarge) {
		t.Errorf("a folder that is a file: %v", err)
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

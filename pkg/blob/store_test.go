package blob_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"chatserver.dev/pkg/blob"
)

// stores runs a test with each kind of store.
func stores(t *testing.T, test func(t *testing.T, s blob.Store)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		s, err := blob.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		s, err := blob.OpenBucket(bucket(t))
		if err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

func read(t *testing.T, s blob.Store, name string) string {
	t.Helper()
	file, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || file.Size() != int64(len(content)) {
		t.Errorf("%s has %d bytes, Size returns %d: %v", name, len(content), file.Size(), err)
	}
	return string(content)
}

func TestStore(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s blob.Store) {
		t.Helper()
		large := make([]byte, 6<<20+1)
		random := rand.NewChaCha8([32]byte{})
		_, _ = random.Read(large)
		for name, content := range map[string]string{"1/ab/small": "bytes", "1/ab/empty": "", "2/large": string(large)} {
			size, err := s.Put(t.Context(), name, strings.NewReader(content))
			if err != nil || size != int64(len(content)) {
				t.Fatal(name, size, err)
			}
			if read(t, s, name) != content {
				t.Errorf("%s differs from the stored content", name)
			}
		}
		file, err := s.Open(t.Context(), "2/large")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for _, at := range []int64{5 << 20, 17, 0} {
			part := make([]byte, 100)
			if _, err := file.Seek(at, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(file, part); err != nil || string(part) != string(large[at:at+100]) {
				t.Errorf("from byte %d: %v", at, err)
			}
		}
		for range 2 {
			if err := s.Remove(t.Context(), "1/ab/small"); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Open(t.Context(), "1/ab/small"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("the removed file: %v", err)
		}
	})
}

// A file whose upload fails doesn't exist, and can be stored again after it has been removed.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s blob.Store) {
		t.Helper()
		gone := errors.New("the client has left")
		from := io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), iotest.ErrReader(gone))
		if _, err := s.Put(t.Context(), "1/half", from); !errors.Is(err, gone) {
			t.Errorf("stored: %v", err)
		}
		if _, err := s.Open(t.Context(), "1/half"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("half of a file: %v", err)
		}
		if err := s.Remove(t.Context(), "1/half"); err != nil {
			t.Error(err)
		}
		if _, err := s.Put(t.Context(), "1/half", strings.NewReader("all")); err != nil || read(t, s, "1/half") != "all" {
			t.Error(err)
		}
	})
}

// No name refers to a file outside of the store.
func TestNames(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s blob.Store) {
		t.Helper()
		for _, name := range []string{
			"", ".", "..", "../x", "a/../b", "/etc/passwd", "a//b", "a/", `a\b`, "a b", "ä", "a\x00b", "a\nb", "x.part~", strings.Repeat("x", 201),
		} {
			if _, err := s.Put(t.Context(), name, strings.NewReader("x")); !errors.Is(err, blob.ErrName) {
				t.Errorf("store %q: %v", name, err)
			}
			if _, err := s.Open(t.Context(), name); !errors.Is(err, blob.ErrName) {
				t.Errorf("open %q: %v", name, err)
			}
			if err := s.Remove(t.Context(), name); !errors.Is(err, blob.ErrName) {
				t.Errorf("remove %q: %v", name, err)
			}
		}
	})
}

// Somebody else with access to the folder can neither make a read wait for ever nor lead it to other files.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	for _, err := range []error{
		os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, filepath.Join(dir, "link")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.Mkdir(filepath.Join(dir, "folder"), 0o700), os.Symlink(filepath.Dir(secret), filepath.Join(dir, "away")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "pipe", "folder", "away/secret"} {
		opened := make(chan error, 1)
		go func() {
			_, err := s.Open(t.Context(), name)
			opened <- err
		}()
		select {
		case err := <-opened:
			if err == nil {
				t.Errorf("%s was opened", name)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: opening it takes for ever", name)
		}
	}
}

// A store that can't be reached fails, and soon.
func TestNoStore(t *testing.T) {
	t.Parallel()
	c := bucket(t)
	for what, wrong := range map[string]func(c *blob.Config){
		"no such bucket": func(c *blob.Config) { c.Bucket = "nowhere" },
		"a wrong key":    func(c *blob.Config) { c.SecretKey = "wrong-secret" },
		"no server":      func(c *blob.Config) { c.Endpoint = "http://127.0.0.1:1" },
	} {
		c := c
		wrong(&c)
		s, err := blob.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := s.Put(ctx, "x", strings.NewReader("x")); err == nil {
			t.Errorf("%s: storing succeeded", what)
		}
		if _, err := s.Open(ctx, "x"); err == nil || errors.Is(err, blob.ErrNotFound) && what != "no such bucket" {
			t.Errorf("%s: %v", what, err)
		}
		cancel()
	}
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// copyOfModules is the part of hack/testcluster that builds depend on.
func copyOfModules(t *testing.T) string {
	t.Helper()
	source := t.TempDir()
	for _, module := range []string{"coredns", "etcd", "kubernetes", "pause"} {
		if err := os.CopyFS(filepath.Join(source, module), os.DirFS(module)); err != nil {
			t.Fatal(err)
		}
	}
	return source
}

func TestSum(t *testing.T) {
	t.Parallel()
	source := copyOfModules(t)
	before, err := sumOf(source)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := sumOf(copyOfModules(t)); err != nil || again != before {
		t.Errorf("the same modules have sums %s and %s, %v", before, again, err)
	}
	write(t, filepath.Join(source, "etcd", "go.sum"), "another version")
	after, err := sumOf(source)
	if err != nil || after == before {
		t.Errorf("another etcd has the same sum %s, %v", after, err)
	}
	if err := os.Remove(filepath.Join(source, "pause", "go.mod")); err != nil {
		t.Fatal(err)
	}
	if _, err := sumOf(source); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a module: %v", err)
	}
}

func TestMakeOnce(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "bin", "program")
	var calls atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			err := makeOnce(target, func(temporary string) error {
				calls.Add(1)
				time.Sleep(20 * time.Millisecond) // long enough for the other calls to start
				return os.WriteFile(temporary, []byte("whole"), 0o755)
			})
			if err != nil {
				t.Error(err)
			}
			if content, err := os.ReadFile(target); err != nil || string(content) != "whole" {
				t.Errorf("made %q, %v", content, err)
			}
		})
	}
	group.Wait()
	if calls.Load() != 1 {
		t.Errorf("made %d times", calls.Load())
	}
}

func TestMakeOnceFails(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "program")
	failure := errors.New("no space")
	err := makeOnce(target, func(temporary string) error {
		return errors.Join(os.WriteFile(temporary, []byte("half"), 0o755), failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{target, target + ".part"} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

func TestLinkFlags(t *testing.T) {
	t.Parallel()
	flags, err := linkFlags("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"component-base/version.gitVersion=v1.36.3", "client-go/pkg/version.gitMinor=36"} {
		if !strings.Contains(flags, want) {
			t.Errorf("flags lack %q: %s", want, flags)
		}
	}
	if flags, err := linkFlags("etcd"); err != nil || flags != "-s -w" {
		t.Errorf("etcd gets %q, %v", flags, err)
	}
}

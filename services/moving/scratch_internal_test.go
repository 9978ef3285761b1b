package moving

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The next import removes the temporary files of a killed one, but not those of another one in progress.
func TestScratch(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	begin := func() *scratch {
		t.Helper()
		s, err := newScratch(work)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, "messages.json"), []byte("secrets"), 0o600); err != nil {
			t.Fatal(err)
		}
		return s
	}
	killed, running := begin(), begin()
	// The system closes the files of a killed process. Here a process that another test starts has them, too, until it
	// executes its program, so the lock has to be released.
	if err := syscall.Flock(int(killed.lock.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := killed.lock.Close(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(work, "chatserver-import-2026")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	next := begin()
	for dir, stays := range map[string]bool{killed.dir: false, running.dir: true, next.dir: true, other: true} {
		if _, err := os.Stat(dir); os.IsNotExist(err) == stays {
			t.Errorf("%s: %v, want it to stay: %t", dir, err, stays)
		}
	}
	for _, s := range []*scratch{running, next} {
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(work, leftovers)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

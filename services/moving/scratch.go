package moving

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// leftovers matches the folders that imports make.
const leftovers = "chatserver-import-*.tmp"

// scratch is a folder for what an import unpacks or converts: all that an organization has written. A process that is killed leaves it, and
// the next import removes it: otherwise a Job that is restarted again and again would fill its volume.
type scratch struct {
	dir  string
	lock *os.File // the folder, locked as long as the process lives; nil: the file system has no locks
}

// newScratch makes one in the folder work; empty: in that of temporary files.
func newScratch(work string) (*scratch, error) {
	if work == "" {
		work = os.TempDir()
	}
	removeLeft(work)
	for {
		dir, err := os.MkdirTemp(work, leftovers)
		if err != nil {
			return nil, err
		}
		lock, err := lockFolder(dir)
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.EWOULDBLOCK) { // another import takes it for one that was left
			return &scratch{dir, lock}, nil
		}
	}
}

func (s *scratch) remove() error {
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// removeLeft removes the folders of imports that were killed, as far as they are the caller's to remove.
func removeLeft(work string) {
	left, _ := filepath.Glob(filepath.Join(work, leftovers)) // fails for other patterns alone
	for _, dir := range left {
		if lock, err := lockFolder(dir); err == nil {
			_ = (&scratch{dir, lock}).remove() // what stays is in nobody's way but that of the volume's space
		}
	}
}

// lockFolder locks a folder. It fails with [syscall.EWOULDBLOCK] if a process has locked it, and with [os.ErrNotExist] if one has removed it.
func lockFolder(dir string) (*os.File, error) {
	folder, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0) //nolint:gosec // ours, or the operator's
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Lstat(dir) // before it was locked
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

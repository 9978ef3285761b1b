package moving

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// leftovers matches the folders that imports create.
const leftovers = "chatserver-import-*.tmp"

// scratch is a folder for the unpacked and converted files of an import, which contain all messages of an organization.
// If the process is killed, the folder stays, and the next import removes it. Otherwise a Job that is restarted
// repeatedly would fill its volume.
type scratch struct {
	dir  string
	lock *os.File // the folder, locked until the process ends; nil: the file system has no locks
}

// newScratch creates a scratch folder in the folder work; empty: in the system's folder for temporary files.
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
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.EWOULDBLOCK) { // another import may have removed it as a leftover
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

// removeLeft removes the folders of imports that were killed, unless the caller isn't allowed to.
func removeLeft(work string) {
	left, _ := filepath.Glob(filepath.Join(work, leftovers)) // fails only for invalid patterns
	for _, dir := range left {
		if lock, err := lockFolder(dir); err == nil {
			_ = (&scratch{dir, lock}).remove() // a folder that can't be removed only takes space
		}
	}
}

// lockFolder locks a folder. It fails with [syscall.EWOULDBLOCK] if another process has locked the folder, and with
// [os.ErrNotExist] if another one has removed it.
func lockFolder(dir string) (*os.File, error) {
	folder, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0) //nolint:gosec // ours, or the operator's
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = os.Lstat(dir) // it may have been removed before it was locked
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

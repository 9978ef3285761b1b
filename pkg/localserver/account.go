package localserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// roof is the parent of data directories that an unprivileged account couldn't reach otherwise, such as those below
// /root.
const roof = "/var/lib"

// account is the account that a server runs as. The zero value is that of this process.
type account struct {
	drop     bool
	uid, gid uint32
}

// unprivileged returns the account for a server that refuses to run as root.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("uid of %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("gid of %s: %w", name, err)
		}
		return account{drop: true, uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is no account postgres or nobody to run it as: create one, or run this as another account")
}

// credential returns the account in the form for starting a process.
func (a account) credential() *syscall.Credential {
	if !a.drop {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// own makes the account the owner of a directory.
func (a account) own(dir string) error {
	if !a.drop {
		return nil
	}
	return os.Chown(dir, int(a.uid), int(a.gid))
}

// reach returns the absolute path of a directory. If the account has no access to one of its parents, reach creates a
// directory below /var/lib, makes dir a symbolic link to it, and returns its path.
func (a account) reach(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the account must pass through; the data directory itself is closed.
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	target, err := filepath.EvalSymlinks(dir)
	switch {
	case err == nil:
		return target, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	if !a.drop || a.passes(filepath.Dir(dir)) {
		return dir, nil
	}
	elsewhere, err := os.MkdirTemp(roof, "chatserver-")
	if err != nil {
		return "", fmt.Errorf("make a data directory that the server's account can reach: %w", err)
	}
	// A dangling link is left when the data were removed by hand.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("remove a dangling link: %w", err)
	}
	return elsewhere, os.Symlink(elsewhere, dir)
}

// passes reports whether the account has access to the directory and all of its parents.
func (a account) passes(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		bit := fs.FileMode(0o001)
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			switch {
			case stat.Uid == a.uid:
				bit = 0o100
			case stat.Gid == a.gid:
				bit = 0o010
			}
		}
		if info.Mode()&bit == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

package private

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

// roof is where data go that an unprivileged account could not reach: below /root, for one.
const roof = "/var/lib"

// account is whom a server runs as; the zero value is whoever runs this process.
type account struct {
	drop     bool
	uid, gid uint32
}

// unprivileged is the account for a server that refuses root.
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
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is neither an account postgres nor nobody")
}

// credential is the account as a new process takes it.
func (a account) credential() *syscall.Credential {
	if !a.drop {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// own changes the owner of a directory to the account.
func (a account) own(dir string) error {
	if !a.drop {
		return nil
	}
	return os.Chown(dir, int(a.uid), int(a.gid))
}

// reach returns the absolute directory, or, when the account may not pass through one of the parents, a
// new one below /var/lib to which the directory then is a link.
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
	// A link that leads nowhere is left when someone removed the data by hand.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("remove a dead link: %w", err)
	}
	return elsewhere, os.Symlink(elsewhere, dir)
}

// passes says whether the account may go through the directory and all of its parents.
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

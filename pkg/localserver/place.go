package localserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// place is the location of a server's data and socket.
type place struct {
	dir      string // for data, log and lock
	socket   string // for the Unix socket; always temporary
	lock     *os.File
	watchdog *watchdog
}

// open makes the directories, locks the data directory and starts a watchdog for the server that will run there.
// Without a directory in options, the data are in a temporary one, which is removed with the server.
func open(ctx context.Context, options Options, as account, stop syscall.Signal) (*place, error) {
	socket, err := os.MkdirTemp(temporary(options), "chat-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the socket: %w", err)
	}
	p := &place{dir: options.Dir, socket: socket}
	if options.Dir == "" {
		p.dir = filepath.Join(socket, "data")
	}
	if err := p.prepare(ctx, as, stop); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

const (
	// memory is a file system in memory on Linux. Tests empty tables all the time, and on ext4 half of the cost of
	// that is creating files after others were deleted.
	memory = "/dev/shm"
	// memoryNeeded is the number of bytes that must be free there. A run of all tests takes less than half of it.
	memoryNeeded = 4 << 30
)

// temporary returns the parent of a server's temporary directories. The path of a Unix socket is limited to 103 bytes
// on macOS and to 107 bytes on Linux. Paths in $TMPDIR and in a checkout may be longer, but these aren't.
func temporary(options Options) string {
	free := syscall.Statfs_t{}
	if options.Dir == "" && !options.Durable && syscall.Statfs(memory, &free) == nil && free.Bavail*uint64(free.Bsize) >= memoryNeeded {
		return memory
	}
	return "/tmp"
}

func (p *place) prepare(ctx context.Context, as account, stop syscall.Signal) error {
	if err := as.own(p.socket); err != nil {
		return err
	}
	dir, err := as.reach(p.dir)
	if err != nil {
		return err
	}
	p.dir = dir
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if err := as.own(p.dir); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(p.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the lock: %w", err)
	}
	p.lock = lock
	// The kernel releases the lock when the process ends for any reason, so it is never stale.
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("%s is in use by another process: if that is a chatserver, stop it first, or choose another directory", p.dir)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", p.dir, err)
	}
	p.watchdog, err = newWatchdog(ctx, stop, p.note(), []string{p.socket})
	return err
}

// note returns the path of the file with the running process and its socket.
func (p *place) note() string { return filepath.Join(p.dir, "running") }

// close releases the lock and removes temporary files.
func (p *place) close() error {
	if p.watchdog != nil {
		p.watchdog.stop()
	}
	err := os.RemoveAll(p.socket)
	if p.lock != nil {
		err = errors.Join(err, p.lock.Close())
	}
	return err
}

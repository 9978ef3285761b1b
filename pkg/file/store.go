package file

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

const (
	// storeTime is the timeout for storing a file, unless it is prolonged. It is longer than a client may take to send the largest file.
	storeTime = time.Hour
	// removeTime is the time in which a process has to remove the files that it has claimed.
	removeTime = 10 * time.Minute
	// removeAtOnce is the number of files that a process claims together.
	removeAtOnce = 100
	// forgetTime is the timeout of forget, which also runs if its request has been canceled.
	forgetTime = 5 * time.Second
)

var (
	// ErrNone says that the server has no storage.
	ErrNone = fault.Bad("This server isn't set up to store files.")
	// ErrUnavailable says that the storage can't be reached.
	ErrUnavailable = fault.New(fault.Unavailable, fault.CodeNone, "The storage of files can't be reached: try again in a few seconds")
	// errLate says that storing a file took so long that it has been removed.
	errLate = errors.New("storing the file took too long")
)

// Store stores files. It is safe for concurrent use.
type Store struct {
	db     *store.DB
	blobs  blob.Store // nil: the server has no storage
	logger *slog.Logger
}

// New returns a store. blobs is nil if the server has no storage.
func New(db *store.DB, blobs blob.Store, logger *slog.Logger) *Store {
	return &Store{db, blobs, logger}
}

// Enabled reports whether the server has a storage.
func (s *Store) Enabled() bool { return s.blobs != nil }

// Saved is a file that is stored.
type Saved struct {
	Path string // its name in the storage, unique: the organization's id, two letters and 26, with slashes
	Size int64  // in bytes
}

// NewPath returns a path for a new file of an organization.
func NewPath(org id.Org) string {
	random := strings.ToLower(rand.Text())
	return strconv.FormatInt(int64(org), 10) + "/" + random[:2] + "/" + random
}

// Save reads from until its end, stores the bytes, and calls commit in a transaction. If reading or commit fails, the file isn't stored,
// and Save returns that error. Save also fails with [ErrNone] or [ErrUnavailable].
func (s *Store) Save(ctx context.Context, org id.Org, from io.Reader, commit func(tx *store.Tx, saved Saved) error) error {
	return s.SaveAs(ctx, org, NewPath(org), from, commit)
}

// SaveAs is [Store.Save] with a path that [NewPath] returned, so that the caller can [Prolong] the time for a file that is read slowly.
func (s *Store) SaveAs(ctx context.Context, org id.Org, path string, from io.Reader, commit func(tx *store.Tx, saved Saved) error) error {
	if s.blobs == nil {
		return ErrNone
	}
	saved := Saved{Path: path}
	err := s.db.Write(ctx, org, func(tx *store.Tx) error { return tx.ExpectFile(ctx, saved.Path, storeTime.Seconds()) })
	if err != nil {
		return err
	}
	source := &watched{Reader: from}
	if saved.Size, err = s.blobs.Put(ctx, saved.Path, source); err != nil {
		s.forget(ctx, org, saved.Path)
		if source.err != nil {
			return source.err
		}
		return ErrUnavailable.Wrap(err)
	}
	err = s.db.Write(ctx, org, func(tx *store.Tx) error { return commit(tx, saved) })
	if err != nil && !errors.Is(err, store.ErrUnsure) {
		s.forget(ctx, org, saved.Path)
	}
	return err
}

// watched is a reader that stores its error.
type watched struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// Prolong moves the end of the time for storing a file to an hour from now.
func Prolong(ctx context.Context, tx *store.Tx, path string) error {
	return tx.ProlongFile(ctx, storeTime.Seconds(), path)
}

// Add keeps a file in a transaction. The function commit of [Store.Save] calls it after its checks and before it writes rows that
// refer to the file.
func Add(ctx context.Context, tx *store.Tx, saved Saved) error {
	rows, err := tx.KeepFile(ctx, saved.Size, saved.Path)
	if err == nil && rows == 0 {
		err = errLate
	}
	return err
}

// Drop drops a file in a transaction, after the last row that refers to it has been removed.
func Drop(ctx context.Context, tx *store.Tx, path string) error { return tx.DropFile(ctx, path) }

// forget makes a file that isn't saved due for removal. If it fails, the file is removed later.
func (s *Store) forget(ctx context.Context, org id.Org, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTime)
	defer cancel()
	if err := s.db.Write(ctx, org, func(tx *store.Tx) error { return tx.ForgetFile(ctx, path) }); err != nil {
		s.logger.WarnContext(ctx, "failed to delete a file from the storage; it will be retried", slog.Any("error", err))
	}
}

// Open returns a file that is saved. The caller closes it. Reading it may fail after ctx has ended. Open fails with [blob.ErrNotFound]
// if the file isn't in the storage, with [ErrNone] or with [ErrUnavailable].
func (s *Store) Open(ctx context.Context, path string) (blob.File, error) {
	if s.blobs == nil {
		return nil, ErrNone
	}
	opened, err := s.blobs.Open(ctx, path)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		err = ErrUnavailable.Wrap(err)
	}
	return opened, err
}

// Clean removes the files of all organizations that are due for removal. Several processes may run it concurrently. If some files
// can't be removed, it returns the first error at its end; they are due again later.
func (s *Store) Clean(ctx context.Context) error {
	failed := error(nil)
	for s.blobs != nil {
		due, err := s.db.TakeDueFiles(ctx, removeAtOnce, removeTime)
		if err != nil {
			return err
		}
		removed := make([]string, 0, len(due))
		for _, path := range due {
			if err := s.blobs.Remove(ctx, path); err != nil {
				failed = cmp.Or(failed, fmt.Errorf("remove a file that nothing keeps: %w", err))
				continue
			}
			removed = append(removed, path)
		}
		if err := s.db.EndRemoved(ctx, removed); err != nil || len(due) < removeAtOnce || len(removed) == 0 {
			return errors.Join(failed, err)
		}
	}
	return failed
}

package file

import (
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
	// storeTime is how long a file may take until it is kept: longer than a client may take to send the largest
	// one.
	storeTime = time.Hour
	// removeTime is how long a process has to remove the files that it claimed.
	removeTime = 10 * time.Minute
	// removeAtOnce is how many files a process claims at a time.
	removeAtOnce = 100
	// forgetTime bounds the work on a file that isn't kept. Its request may be over.
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

// Keeper keeps files. It is safe for concurrent use.
type Keeper struct {
	db     *store.DB
	blobs  blob.Store // nil: there is none
	logger *slog.Logger
}

// New makes a keeper; blobs is nil if the server has no storage.
func New(db *store.DB, blobs blob.Store, logger *slog.Logger) *Keeper {
	return &Keeper{db, blobs, logger}
}

// Enabled reports whether the server has a storage.
func (k *Keeper) Enabled() bool { return k.blobs != nil }

// Kept is a file that is stored.
type Kept struct {
	Path string // its name in the storage, unique: the organization's id, two letters and 26, with slashes
	Size int64  // in bytes
}

// Keep reads from to the end, stores what it read, and keeps it in a transaction together with what commit writes. If
// commit or reading fails, nothing is kept, and Keep returns that error. Keep fails with [ErrNone] or [ErrUnavailable].
func (k *Keeper) Keep(ctx context.Context, org id.Org, from io.Reader, commit func(tx *store.Tx, kept Kept) error) error {
	if k.blobs == nil {
		return ErrNone
	}
	random := strings.ToLower(rand.Text())
	kept := Kept{Path: strconv.FormatInt(int64(org), 10) + "/" + random[:2] + "/" + random}
	err := k.db.Write(ctx, org, func(tx *store.Tx) error { return tx.ExpectFile(ctx, kept.Path, storeTime.Seconds()) })
	if err != nil {
		return err
	}
	source := &watched{Reader: from}
	if kept.Size, err = k.blobs.Put(ctx, kept.Path, source); err != nil {
		k.forget(ctx, org, kept.Path)
		if source.err != nil {
			return source.err
		}
		return ErrUnavailable.Wrap(err)
	}
	err = k.db.Write(ctx, org, func(tx *store.Tx) error { return commit(tx, kept) })
	if err != nil && !errors.Is(err, store.ErrUnsure) {
		k.forget(ctx, org, kept.Path)
	}
	return err
}

// watched is a reader that remembers its error.
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

// Add keeps a file in a transaction: [Keeper.Keep]'s commit calls it when it has decided that the file may be kept, before
// a row refers to it.
func Add(ctx context.Context, tx *store.Tx, kept Kept) error {
	rows, err := tx.KeepFile(ctx, kept.Size, kept.Path)
	if err == nil && rows == 0 {
		err = errLate
	}
	return err
}

// Drop ends a file in a transaction, when no row refers to it any more.
func Drop(ctx context.Context, tx *store.Tx, path string) error { return tx.DropFile(ctx, path) }

// forget causes a file that isn't kept to be removed soon. Without it, that happens later.
func (k *Keeper) forget(ctx context.Context, org id.Org, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTime)
	defer cancel()
	if err := k.db.Write(ctx, org, func(tx *store.Tx) error { return tx.ForgetFile(ctx, path) }); err != nil {
		k.logger.WarnContext(ctx, "failed to delete a file from the storage; it will be retried", slog.Any("error", err))
	}
}

// Open returns a file that is kept, which the caller closes; [blob.ErrNotFound] if the storage has lost it. Reading may fail
// when ctx ends. It fails with [ErrNone] or [ErrUnavailable].
func (k *Keeper) Open(ctx context.Context, path string) (blob.File, error) {
	if k.blobs == nil {
		return nil, ErrNone
	}
	opened, err := k.blobs.Open(ctx, path)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		err = ErrUnavailable.Wrap(err)
	}
	return opened, err
}

// Clean removes files of all organizations that nothing refers to and that are due. Any number of processes may do so.
func (k *Keeper) Clean(ctx context.Context) error {
	for k.blobs != nil {
		due, err := k.db.TakeDueFiles(ctx, removeAtOnce, removeTime)
		if err != nil {
			return err
		}
		for i, path := range due {
			if err := k.blobs.Remove(ctx, path); err != nil {
				return errors.Join(fmt.Errorf("remove a file that nothing keeps: %w", err), k.db.EndRemoved(ctx, due[:i]))
			}
		}
		if err := k.db.EndRemoved(ctx, due); err != nil || len(due) < removeAtOnce {
			return err
		}
	}
	return nil
}

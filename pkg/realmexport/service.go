// Package realmexport manages the archives of organizations that administrators request (rest-api.md, section 5.14).
// Archives contain public data only, are made in the background, and are kept for a week.
package realmexport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/pkg/user"
)

// Prefix is the prefix of the paths of archives.
const Prefix = "/exports/"

const (
	maxPerWeek  = 5
	maxMessages = 250_000
	maxBytes    = 10 << 30
	week        = 7 * 24 * time.Hour
	// maxAttempts is the maximum number of attempts of an export.
	maxAttempts = 3
	batchSize   = 10
)

// Errors (rest-api.md, section 5.14).
var (
	ErrLimit   = fault.Plain("Exceeded rate limit.")
	ErrLarge   = fault.Plain("Please request a manual export from %s.")
	ErrInvalid = fault.Plain("Invalid data export ID")
	ErrDeleted = fault.Plain("Export already deleted")
)

// errSuperseded says that the export was deleted meanwhile, or that another process has taken it over.
var errSuperseded = errors.New("the export was deleted, or another process makes it")

// errAttempts is the failure of an export whose process ended in each attempt.
var errAttempts = errors.New("every attempt was interrupted")

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Exporter *transfer.Exporter
	Files    *file.Store
	Now      func() time.Time
	Logger   *slog.Logger
	// Lease is the time after which another process may take over an export; 0: a minute. The process that makes the export
	// renews it in time.
	Lease time.Duration
}

// Service makes archives. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service {
	d.Lease = cmp.Or(d.Lease, time.Minute)
	return &Service{d}
}

// Request queues an export. It fails with [ErrLimit], [ErrLarge] or [file.ErrNone].
func (s *Service) Request(ctx context.Context, who actor.Actor) error {
	if !s.Files.Enabled() {
		return file.ErrNone
	}
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockExports(ctx); err != nil {
			return err
		}
		all, err := tx.RealmExports(ctx)
		if err != nil {
			return err
		}
		now, recent := s.Now(), 0
		for _, e := range all {
			if now.Sub(e.RequestedAt) < week {
				recent++
			}
		}
		if recent >= maxPerWeek {
			return ErrLimit
		}
		size, err := tx.ArchiveSize(ctx, maxMessages+1)
		if err != nil {
			return err
		}
		if size.Messages > maxMessages || size.Bytes > maxBytes {
			return ErrLarge.Format("admin@" + s.Orgs.Config().Domain())
		}
		if _, err := tx.AddExport(ctx, who.User, now); err != nil {
			return err
		}
		return s.emit(ctx, tx, who.User)
	})
}

// List returns the archives of the caller's organization, oldest first.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]event.Export, error) {
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) ([]event.Export, error) { return s.list(ctx, tx) })
}

func (s *Service) list(ctx context.Context, tx *store.Tx) ([]event.Export, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.RealmExports(ctx)
	all := make([]event.Export, len(rows))
	for i, row := range rows {
		all[i] = event.Export{
			ID: row.ExportID, Requested: seconds(row.RequestedAt), Acting: row.ActingUserID, Deleted: optional(row.DeletedAt), Failed: optional(row.FailedAt),
			Pending: row.DueAt != nil,
		}
		if row.Path != "" {
			all[i].URL = new(o.URI + Prefix + strconv.FormatInt(row.ExportID, 10) + ".tar.gz")
		}
	}
	return all, err
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func optional(t *time.Time) *float64 {
	if t == nil {
		return nil
	}
	return new(seconds(*t))
}

// emit emits the event for the account that requested an archive, unless it isn't an administrator anymore.
func (s *Service) emit(ctx context.Context, tx *store.Tx, to id.User) error {
	requester, err := user.ByID(ctx, tx, to)
	if err != nil || !requester.Role.IsAdmin() {
		return err
	}
	all, err := s.list(ctx, tx)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.RealmExports{To: to, Exports: all})
}

// Delete deletes an archive. It fails with [ErrInvalid] or [ErrDeleted].
func (s *Service) Delete(ctx context.Context, who actor.Actor, number int64) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		_, err := s.delete(ctx, tx, number)
		if err == nil {
			err = s.emit(ctx, tx, who.User)
		}
		return err
	})
}

// delete deletes an archive and returns its row from before.
func (s *Service) delete(ctx context.Context, tx *store.Tx, number int64) (e sqlc.RealmExport, err error) {
	if err := tx.LockExports(ctx); err != nil {
		return e, err
	}
	e, err = tx.RealmExport(ctx, number)
	switch {
	case store.IsNotFound(err):
		return e, ErrInvalid
	case err != nil:
		return e, err
	case e.DeletedAt != nil:
		return e, ErrDeleted
	}
	if err := tx.DeleteExport(ctx, new(s.Now()), number); err != nil || e.Path == "" {
		return e, err
	}
	return e, file.Drop(ctx, tx, e.Path)
}

// Open returns an archive. The caller closes it. It fails with [ErrInvalid] and the errors of file.Store.Open.
func (s *Service) Open(ctx context.Context, who actor.Actor, number int64) (blob.File, error) {
	e, err := store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (sqlc.RealmExport, error) { return tx.RealmExport(ctx, number) })
	if store.IsNotFound(err) || err == nil && e.Path == "" {
		err = ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	return s.Files.Open(ctx, e.Path)
}

// Work makes the archives that are due, and deletes those that are a week old. Any number of processes may call it at
// once.
func (s *Service) Work(ctx context.Context) error {
	if !s.Files.Enabled() {
		return nil
	}
	due, err := s.DB.DueExports(ctx, batchSize)
	if err != nil {
		return err
	}
	for _, one := range due {
		if err := s.make(ctx, one.OrgID, one.ExportID); err != nil {
			return fmt.Errorf("make an archive: %w", err)
		}
	}
	old, err := s.DB.OldExports(ctx, week, batchSize)
	if err != nil {
		return err
	}
	for _, one := range old {
		err := s.DB.Write(ctx, one.OrgID, func(tx *store.Tx) error {
			e, err := s.delete(ctx, tx, one.ExportID)
			if err == nil {
				err = s.emit(ctx, tx, e.ActingUserID)
			}
			return err
		})
		if err != nil && !errors.Is(err, ErrDeleted) {
			return fmt.Errorf("delete an old archive: %w", err)
		}
	}
	return nil
}

// make makes an archive, unless another process is making it. A failed one is retried when its lease has ended.
func (s *Service) make(ctx context.Context, of id.Org, number int64) error {
	taken, err := store.Write(ctx, s.DB, of, func(tx *store.Tx) (sqlc.RealmExport, error) {
		return tx.TakeExport(ctx, s.Lease.Seconds(), number)
	})
	if store.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = errAttempts
	if taken.Attempts <= maxAttempts {
		err = s.write(ctx, of, taken)
	}
	if err == nil || errors.Is(err, errSuperseded) || ctx.Err() != nil {
		return ctx.Err()
	}
	s.Logger.ErrorContext(ctx, "failed to export an organization", slog.Int64("org", int64(of)), slog.Any("error", err))
	if taken.Attempts < maxAttempts {
		return nil
	}
	err = s.DB.Write(ctx, of, func(tx *store.Tx) error { return s.end(ctx, tx, taken, "", new(s.Now())) })
	if errors.Is(err, errSuperseded) {
		err = nil
	}
	return err
}

// write writes an archive to the storage. Meanwhile, it renews the lease and prolongs the time for storing the file.
func (s *Service) write(ctx context.Context, of id.Org, e sqlc.RealmExport) error {
	from, to := io.Pipe()
	path := file.NewPath(of)
	group, inner := errgroup.WithContext(ctx)
	done := make(chan struct{})
	group.Go(func() error {
		err := s.export(inner, of, to)
		_ = to.CloseWithError(err) // it never fails
		return err
	})
	group.Go(func() error {
		defer close(done)
		err := s.Files.SaveAs(inner, of, path, from, func(tx *store.Tx, kept file.Saved) error {
			if err := tx.LockExports(inner); err != nil {
				return err
			}
			if err := file.Add(inner, tx, kept); err != nil {
				return err
			}
			return s.end(inner, tx, e, path, nil)
		})
		_ = from.CloseWithError(err) // it never fails
		return err
	})
	group.Go(func() error { return s.renew(inner, of, e, path, done) })
	return group.Wait()
}

// renew renews the lease, and prolongs the time for storing the file, until done is closed.
func (s *Service) renew(ctx context.Context, of id.Org, e sqlc.RealmExport, path string, done <-chan struct{}) error {
	ticker := time.NewTicker(s.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ticker.C:
		}
		err := s.DB.Write(ctx, of, func(tx *store.Tx) error {
			if err := file.Prolong(ctx, tx, path); err != nil { // first, since the transaction that saves locks in this order, too
				return err
			}
			rows, err := tx.KeepExport(ctx, s.Lease.Seconds(), e.ExportID, e.Attempts)
			if err == nil && rows == 0 {
				err = errSuperseded
			}
			return err
		})
		if err != nil {
			return err
		}
	}
}

func (s *Service) export(ctx context.Context, of id.Org, to io.Writer) error {
	packed, err := archive.NewTar(to, "export")
	if err != nil {
		return err
	}
	if _, err := s.Exporter.Export(ctx, of, packed, transfer.Options{PublicOnly: true}); err != nil {
		_ = packed.Close() // the file has no readers anymore
		return err
	}
	return packed.Close()
}

// end records the result of an attempt. It fails with [errSuperseded].
func (s *Service) end(ctx context.Context, tx *store.Tx, e sqlc.RealmExport, path string, failed *time.Time) error {
	if err := tx.LockExports(ctx); err != nil {
		return err
	}
	rows, err := tx.EndExport(ctx, sqlc.EndExportParams{Path: path, FailedAt: failed, ExportID: e.ExportID, Attempts: e.Attempts})
	if err != nil {
		return err
	}
	if rows == 0 {
		return errSuperseded
	}
	return s.emit(ctx, tx, e.ActingUserID)
}

package moving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/slack"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/domain"
)

// source describes the organization to create, and its archive.
type source struct {
	path      string // of an archive or an export of Slack
	subdomain string
	work      string // the folder for unpacked and converted files; empty: the system's for temporary files
	name      string // of an organization from Slack; empty: taken from the file's name
	download  bool   // download files from Slack
}

// load creates the organization.
func (s source) load(ctx context.Context, in domain.Domain, to IO) (err error) {
	dir, release, err := unpacked(ctx, s.path, s.work, to.In)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // it is only read
	shown := newProgress(to)
	plan := transfer.Plan{Subdomain: s.subdomain, Progress: shown.show, Report: &transfer.Report{}}
	if s.download {
		plan.Fetch = newDownloader(to.Permit).fetch
	}
	plan.Archive, err = archive.New(root.FS())
	if errors.Is(err, archive.ErrNone) {
		from, none := slack.New(root.FS())
		if none != nil {
			return fmt.Errorf("%s: %w", s.path, errors.Join(err, none))
		}
		converted, release, failed := s.convert(ctx, from, plan)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, release()) }()
		plan.AllReceived = true
		plan.Archive, err = archive.New(converted.FS())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	made, report, err := in.Importer.Import(ctx, plan)
	shown.end()
	if err != nil {
		return err
	}
	if err := report.Print(to.Log); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to.Out, "%s is complete: its people sign in after they have had their passwords reset by mail\n", made.URI)
	return err
}

// unpacked returns a folder with an archive, which may come from in. release removes the folder if it was created for unpacking.
func unpacked(ctx context.Context, from, work string, in io.Reader) (dir string, release func() error, err error) {
	file, err := opened(from, work, in)
	if err != nil {
		return "", nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return from, func() error { return nil }, err
	}
	to, err := newScratch(work)
	if err != nil {
		return "", nil, err
	}
	if err := archive.Unpack(ctx, file, to.dir); err != nil {
		return "", nil, errors.Join(fmt.Errorf("%s: %w", from, err), to.remove())
	}
	return to.dir, to.remove, nil
}

// opened opens an archive, or a copy of the one that comes from in, since packed ones aren't read from beginning to end.
func opened(from, work string, in io.Reader) (*os.File, error) {
	if from != standard {
		return os.Open(from) //nolint:gosec // the operator chooses it
	}
	file, err := os.CreateTemp(work, "chatserver-import-")
	if err != nil {
		return nil, fmt.Errorf("copy the archive from the standard input: %w", err)
	}
	err = os.Remove(file.Name()) // so that it disappears with the process
	if err == nil {
		_, err = io.Copy(file, in)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy the archive from the standard input: %w", err), file.Close())
	}
	return file, nil
}

// convert converts an export of Slack to an archive; release removes it.
func (s source) convert(ctx context.Context, from *slack.Export, plan transfer.Plan) (converted *os.Root, release func() error, err error) {
	work, err := newScratch(s.work)
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(work.dir, "archive")
	to, err := archive.NewFolder(dir)
	if err == nil {
		err = slack.Convert(ctx, from, to, slack.Options{
			Name: cmp.Or(s.name, nameIn(s.path), s.subdomain), Leave: plan.Report.Leave,
			Progress: func(done, of int) { plan.Progress("days of Slack's channels", done, of) },
		})
		err = errors.Join(err, to.Close())
	}
	if err == nil {
		converted, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, nil, errors.Join(err, work.remove())
	}
	return converted, func() error { return errors.Join(converted.Close(), work.remove()) }, nil
}

// nameIn returns the name of the organization in the name of an export of Slack, such as "Works Slack export Jan 1 2020
// - Feb 1 2020.zip"; empty: it has none.
func nameIn(path string) string {
	found := regexp.MustCompile(`^(.+) Slack export `).FindStringSubmatch(filepath.Base(path))
	if found == nil {
		return ""
	}
	return found[1]
}

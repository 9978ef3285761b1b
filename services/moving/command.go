package moving

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/transfer"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/remote"
)

// Usage is the help text.
const Usage = `Move organizations between servers, as archives in the reference's export format, and from Slack:

  export --organization NAME --output PATH
      writes the organization at the subdomain NAME (empty: at the root domain) to PATH: a tar.gz, if PATH ends
      with .tar.gz or is - for the standard output, and otherwise a new folder
  import ARCHIVE --subdomain NAME [--work FOLDER] [--name TEXT] [--download]
      creates the organization NAME from an archive or an export of Slack: a folder, a tar.gz or a zip; - is the
      standard input. Packed archives are unpacked in FOLDER first, and exports of Slack are converted there. The
      organization can't be reached until it is complete. An interrupted import continues when it is started again.
      --name is the name of an organization from Slack, and --download downloads its files and pictures from
      Slack; without it, messages have links to them
`

// standard is the path that stands for standard input or output.
const standard = "-"

// config is the part of the server's configuration that the commands use.
type config struct {
	Store  store.Config
	Org    org.Config
	Files  blob.Config
	Images imagelink.Config
}

// IO has the inputs and outputs of a command besides files: In for an archive, Out for its result, and Log for its progress.
type IO struct {
	In       io.Reader
	Out, Log io.Writer
	Now      func() time.Time
	// Permit allows or refuses connections for downloads; nil: [remote.Public].
	Permit remote.Permit
}

// terminal reports whether Log is a terminal, which can show a progress bar.
func (to IO) terminal() bool {
	file, ok := to.Log.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Run runs the command export or import on the server that the environment configures.
func Run(ctx context.Context, command string, args, environ []string, io IO) (err error) {
	do, err := parse(command, args)
	if errors.Is(err, flag.ErrHelp) {
		_, err := fmt.Fprint(io.Out, Usage)
		return err
	}
	if err != nil {
		return err
	}
	c := config{}
	if err := boot.Read(environ, &c); err != nil {
		return err
	}
	if err := errors.Join(c.Store.Check(), c.Org.Check(), c.Files.Check(), c.Images.Check()); err != nil {
		return err
	}
	db, err := store.Open(ctx, c.Store, noWaker{})
	if err != nil {
		return err
	}
	defer db.Close()
	in, err := c.domain(ctx, db, io)
	if err != nil {
		return err
	}
	return do(ctx, in, io)
}

// noWaker is a waker without effect: dispatchers of events also read the log periodically.
type noWaker struct{}

// Wake implements [store.Waker].
func (noWaker) Wake(int) {}

// domain returns the services that archives need.
func (c config) domain(ctx context.Context, db *store.DB, io IO) (domain.Domain, error) {
	blobs, err := blob.Open(c.Files)
	if err != nil {
		return domain.Domain{}, err
	}
	images := (*imagelink.Signer)(nil)
	if c.Images.Proxy {
		if images, err = imagelink.New(ctx, db.ImageKeys, io.Now); err != nil {
			return domain.Domain{}, err
		}
	}
	logger := slog.New(slog.NewTextHandler(io.Log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return domain.New(domain.Deps{DB: db, Orgs: org.New(db, c.Org, io.Now), Blobs: blobs, Images: images, Now: io.Now, Logger: logger}), nil
}

// todo is a parsed command.
type todo func(ctx context.Context, in domain.Domain, io IO) error

// parse parses the arguments of a command.
func parse(command string, args []string) (todo, error) {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	wrong := func(err error) (todo, error) { return nil, fmt.Errorf("%s: %w\n%s", command, err, Usage) }
	if command == "export" {
		organization, output := flags.String("organization", "", ""), flags.String("output", "", "")
		if err := flags.Parse(args); err != nil {
			return wrong(err)
		}
		if flags.NArg() > 0 {
			return wrong(fmt.Errorf("it has no argument %q", flags.Arg(0)))
		}
		if *output == "" {
			return wrong(errors.New("--output is missing"))
		}
		return func(ctx context.Context, in domain.Domain, io IO) error {
			return export(ctx, in, *organization, *output, io)
		}, nil
	}
	from, wanted := "", source{}
	flags.StringVar(&wanted.subdomain, "subdomain", "", "")
	flags.StringVar(&wanted.work, "work", "", "")
	flags.StringVar(&wanted.name, "name", "", "")
	flags.BoolVar(&wanted.download, "download", false, "")
	if len(args) > 0 && (args[0] == standard || !strings.HasPrefix(args[0], "-")) {
		from, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return wrong(err)
	}
	if from == "" && flags.NArg() == 1 {
		from = flags.Arg(0)
	} else if flags.NArg() > 0 {
		return wrong(errors.New("there is more than one archive"))
	}
	if from == "" {
		return wrong(errors.New("the archive is missing"))
	}
	return func(ctx context.Context, in domain.Domain, io IO) error {
		wanted.path, wanted.subdomain = from, strings.ToLower(wanted.subdomain)
		return wanted.load(ctx, in, io)
	}, nil
}

// export writes an organization as an archive.
func export(ctx context.Context, in domain.Domain, organization, output string, to IO) (err error) {
	of, err := in.Exporter.DB.FindOrganization(ctx, strings.ToLower(organization))
	if store.IsNotFound(err) {
		return fmt.Errorf("there is no organization %q", organization)
	}
	if err != nil {
		return err
	}
	sink, finish, err := sink(output, to.Out)
	if err != nil {
		return err
	}
	shown := newProgress(to)
	report, err := in.Exporter.Export(ctx, of, sink, transfer.Options{Progress: func(messages int) { shown.show("messages", messages, 0) }})
	shown.end()
	if err = finish(err); err != nil {
		return err
	}
	return report.Print(to.Log)
}

// exists returns the error of an output that is there already, perhaps as an archive that nobody wants to lose.
func exists(output string) error {
	return fmt.Errorf("%s exists: remove it, or choose another --output", output)
}

// sink opens the output for an archive. finish completes it. If err isn't nil, finish removes a file, and leaves a folder or
// the standard output incomplete, so that an import refuses it.
func sink(output string, out io.Writer) (to archive.Sink, finish func(err error) error, err error) {
	switch {
	case output == standard:
		to, err = archive.NewTar(out, "export")
		return to, func(err error) error {
			if err != nil {
				return err // closed, it would look complete
			}
			return to.Close()
		}, err
	case !strings.HasSuffix(output, ".tar.gz"):
		if to, err = archive.NewFolder(output); errors.Is(err, fs.ErrExist) {
			return nil, nil, exists(output)
		}
		return to, func(err error) error { return errors.Join(err, to.Close()) }, err
	}
	file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator chooses it
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, exists(output)
	}
	if err != nil {
		return nil, nil, err
	}
	top := strings.TrimSuffix(filepath.Base(output), ".tar.gz")
	if to, err = archive.NewTar(file, top); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return to, func(err error) error {
		if err = errors.Join(err, to.Close(), file.Sync(), file.Close()); err != nil {
			err = errors.Join(err, os.Remove(output))
		}
		return err
	}, nil
}

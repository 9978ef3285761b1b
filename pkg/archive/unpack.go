package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
)

// Limits of unpacked archives.
const (
	minUnpacked = 1 << 30  // bytes that any archive may have
	maxPacked   = 100      // multiple of the packed size, if that is more
	maxFiles    = 20 << 20 // files and folders
	maxName     = 1000     // bytes
	maxFolders  = 20       // that a file is in
	entrySize   = 4 << 10  // bytes that a folder takes in most file systems, and a file with a single byte
	// maxDirectory is the size of a zip's directory in bytes. Package zip keeps it in memory, with about six times its size.
	maxDirectory = 256 << 20
)

// The errors of [Unpack].
var (
	// ErrLarge says that the unpacked files are far larger than the packed size suggests.
	ErrLarge = errors.New("unpacked, it has more than a hundred times its size, and more than 1 GiB")
	// ErrFormat says that it isn't packed as tar.gz or zip.
	ErrFormat    = errors.New("it is neither a folder nor a tar.gz nor a zip")
	errDirectory = errors.New("the zip has too many files: pack them as tar.gz")
	errMany      = errors.New("it has more than 20 million files")
	errName      = errors.New("it isn't the name of a file within the archive")
	errDeep      = errors.New("it is in more than 20 folders")
	errKind      = errors.New("it is neither a file nor a folder")
)

// Unpack unpacks an archive, a tar.gz or a zip, into an empty folder. It writes no files outside of it. It fails with
// [ErrLarge] or [ErrFormat].
func Unpack(ctx context.Context, from *os.File, dir string) error {
	info, err := from.Stat()
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer root.Close() //nolint:errcheck // its files are closed
	u := &unpacking{root: root, left: max(minUnpacked, maxPacked*info.Size()), files: maxFiles, directory: maxDirectory}
	begin := make([]byte, 4)
	if _, err := from.ReadAt(begin, 0); err != nil {
		return fmt.Errorf("unpack: %w", ErrFormat)
	}
	switch {
	case string(begin[:2]) == "\x1f\x8b":
		err = u.tar(ctx, from)
	case string(begin) == "PK\x03\x04":
		err = u.zip(ctx, from, info.Size())
	default:
		err = ErrFormat
	}
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return nil
}

// unpacking is the state of unpacking, with the remaining limits.
type unpacking struct {
	root      *os.Root
	left      int64 // bytes
	files     int
	directory int64 // bytes that a zip's directory may have
}

func (u *unpacking) tar(ctx context.Context, from io.Reader) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(from, 1<<16))
	if err != nil {
		return err
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case entry.Typeflag == tar.TypeXGlobalHeader:
			continue
		}
		if err := u.add(ctx, entry.Name, entry.FileInfo().Mode(), entries); err != nil {
			return err
		}
	}
}

func (u *unpacking) zip(ctx context.Context, from io.ReaderAt, size int64) error {
	directory := &limitedReaderAt{from, u.directory}
	packed, err := zip.NewReader(directory, size)
	if err != nil {
		return err
	}
	directory.left = math.MaxInt64
	for _, entry := range packed.File {
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("%q: %w", entry.Name, err)
		}
		if err := errors.Join(u.add(ctx, entry.Name, entry.Mode(), content), content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// limitedReaderAt reads some bytes, and then fails with errDirectory.
type limitedReaderAt struct {
	io.ReaderAt
	left int64
}

func (l *limitedReaderAt) ReadAt(to []byte, offset int64) (int, error) {
	if l.left -= int64(len(to)); l.left < 0 {
		return 0, errDirectory
	}
	return l.ReaderAt.ReadAt(to, offset)
}

// add writes a file.
func (u *unpacking) add(ctx context.Context, name string, mode fs.FileMode, content io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if u.files--; u.files < 0 {
		return errMany
	}
	clean := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	switch {
	case (clean == "" || clean == ".") && mode.IsDir():
		return nil
	case len(name) > maxName || !fs.ValidPath(clean) || strings.ContainsAny(clean, "\\\x00"):
		return fmt.Errorf("%q: %w", shortened(name), errName)
	case strings.Count(clean, "/") > maxFolders:
		return fmt.Errorf("%q: %w", shortened(name), errDeep)
	case mode.IsDir():
		return u.folder(clean)
	case !mode.IsRegular():
		return fmt.Errorf("%q: %w", name, errKind)
	}
	if err := u.folder(path.Dir(clean)); err != nil {
		return err
	}
	if err := u.take(name); err != nil {
		return err
	}
	file, err := u.root.OpenFile(clean, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	written, err := io.Copy(file, io.LimitReader(content, u.left+1))
	if u.left -= written; err == nil && u.left < 0 {
		err = ErrLarge
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// take counts what a file or a folder takes beside its content: many of them take few bytes when they are packed.
func (u *unpacking) take(name string) error {
	if u.left -= entrySize; u.left < 0 {
		return fmt.Errorf("%q: %w", shortened(name), ErrLarge)
	}
	return nil
}

// folder makes a folder and those that it is in, unless there are.
func (u *unpacking) folder(name string) error {
	err := u.root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = u.folder(path.Dir(name)); err == nil {
			err = u.root.Mkdir(name, 0o700)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return u.take(name)
}

func shortened(name string) string { return name[:min(len(name), 100)] }

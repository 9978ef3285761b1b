package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// partSuffix is added to the name of an incomplete file. Valid names don't contain '~'.
const partSuffix = ".part~"

// Folder is a [Store] in a folder. Several processes may share it if all of them see the same files.
type Folder struct{ root *os.Root }

// OpenFolder opens a folder, and creates it if it doesn't exist.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("FILES_DIR: make the folder for files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder for files: %w", err)
	}
	return &Folder{root}, nil
}

// Put implements [Store].
func (f *Folder) Put(_ context.Context, name string, from io.Reader) (size int64, err error) {
	if err := checkName(name); err != nil {
		return 0, err
	}
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	part := name + partSuffix
	if size, err = f.write(part, from); err == nil {
		err = f.root.Rename(part, name)
	}
	if err != nil {
		_ = f.root.Remove(part) // if this fails, Remove deletes it
		return 0, fmt.Errorf("store a file: %w", err)
	}
	if err := f.syncParents(name); err != nil {
		return 0, fmt.Errorf("store a file: %w", err)
	}
	return size, nil
}

// write writes a file and syncs it to the disk.
func (f *Folder) write(name string, from io.Reader) (size int64, err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	if size, err = drain(file, from); err == nil {
		err = file.Sync()
	}
	return size, errors.Join(err, file.Close())
}

// syncParents syncs the folders above a file to the disk, so that its name survives a crash.
func (f *Folder) syncParents(name string) error {
	for name != "." {
		name = path.Dir(name)
		dir, err := f.root.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Open implements [Store]. What isn't a regular file, such as a pipe that somebody else put there, isn't waited for.
func (f *Folder) Open(_ context.Context, name string) (File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open a file: %w", err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("open a file: %w", err), file.Close())
	case !info.Mode().IsRegular():
		return nil, errors.Join(ErrNotFound, file.Close())
	}
	return folderFile{file, info.Size()}, nil
}

// folderFile is a [File] of a folder.
type folderFile struct {
	*os.File
	size int64
}

// Size implements [File].
func (f folderFile) Size() int64 { return f.size }

// Remove implements [Store]. It leaves the folders, which are few.
func (f *Folder) Remove(_ context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	for _, each := range []string{name + partSuffix, name} {
		if err := f.root.Remove(each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file: %w", err)
		}
	}
	return nil
}

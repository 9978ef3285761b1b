package blob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrNotFound says that nothing is stored under a name.
var ErrNotFound = errors.New("no such file in the storage")

// ErrName says that a name isn't one: segments of letters, digits, '.', '_' and '-' with a slash in between.
var ErrName = errors.New("not a name of a file in the storage")

// maxName is the length of the longest name, in bytes.
const maxName = 200

// Store keeps files by name. It is safe for concurrent use.
type Store interface {
	// Put stores what it reads, to the end, under a name that nothing is stored under, and returns how many bytes there
	// were. An error of from ends it.
	Put(ctx context.Context, name string, from io.Reader) (size int64, err error)
	// Open returns a file, which the caller closes, or [ErrNotFound]. Reading it may fail when ctx ends.
	Open(ctx context.Context, name string) (File, error)
	// Remove removes a file, and what a Put of it has left. It is no failure if there is nothing.
	Remove(ctx context.Context, name string) error
	// Check fails if files can't be stored at the moment.
	Check(ctx context.Context) error
}

// File is a file that is read, from any place in it.
type File interface {
	io.ReadSeekCloser
	// Size is how many bytes it has.
	Size() int64
}

// checkName fails with [ErrName].
func checkName(name string) error {
	if len(name) > maxName || !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%w: %q", ErrName, name)
	}
	for i := range len(name) {
		switch b := name[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '/', b == '.', b == '_', b == '-':
		default:
			return fmt.Errorf("%w: %q", ErrName, name)
		}
	}
	return nil
}

// pieceBytes is how many bytes are written at a time.
const pieceBytes = 64 << 10

// drain writes what it reads, to the end. What clients send comes in small pieces.
func drain(into io.Writer, from io.Reader) (size int64, err error) {
	pieces := bufio.NewWriterSize(struct{ io.Writer }{into}, pieceBytes) // which would leave the pieces to a file
	if size, err = pieces.ReadFrom(from); err == nil {
		err = pieces.Flush()
	}
	return size, err
}

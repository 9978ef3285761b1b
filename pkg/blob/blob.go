package blob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrNotFound says that there is no file with a name.
var ErrNotFound = errors.New("no such file in the storage")

// ErrName says that a name is invalid. A name has segments of ASCII letters, digits, '.', '_' and '-', separated by slashes.
var ErrName = errors.New("not a name of a file in the storage")

// maxName is the maximum length of a name in bytes.
const maxName = 200

// Store keeps files by name. It is safe for concurrent use.
type Store interface {
	// Put reads from until its end, stores the bytes under a new name, and returns their number. It fails with the error of from.
	Put(ctx context.Context, name string, from io.Reader) (size int64, err error)
	// Open returns a file, which the caller closes, or fails with [ErrNotFound]. Reading the file may fail after ctx has ended. Neither
	// waits for a server that has become silent for longer than a few seconds.
	Open(ctx context.Context, name string) (File, error)
	// Remove removes a file, or the remains of a failed Put. It succeeds if there is nothing to remove.
	Remove(ctx context.Context, name string) error
}

// File is a file that is open for reading.
type File interface {
	io.ReadSeekCloser
	// Size returns the number of bytes in the file.
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

// pieceBytes is the size of one write in bytes.
const pieceBytes = 64 << 10

// drain writes all bytes of from in pieces of [pieceBytes]: clients send smaller ones.
func drain(into io.Writer, from io.Reader) (size int64, err error) {
	pieces := bufio.NewWriterSize(struct{ io.Writer }{into}, pieceBytes) // hides ReadFrom of a file, which would bypass the buffer
	if size, err = pieces.ReadFrom(from); err == nil {
		err = pieces.Flush()
	}
	return size, err
}

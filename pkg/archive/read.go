package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxRow is the maximum size of a row, in bytes of JSON.
const maxRow = 32 << 20

// errRow says that a row is larger than [maxRow].
var errRow = errors.New("it is larger than 32 MiB")

// ErrNone says that there is no archive of the reference's format.
var ErrNone = errors.New("neither it nor the only folder in it has a realm.json")

// Archive is an archive to be read. It is safe for concurrent use.
type Archive struct{ files fs.FS }

// New finds the archive in files: at the top, or in the only folder there. It fails with [ErrNone].
func New(files fs.FS) (*Archive, error) {
	if _, err := fs.Stat(files, RealmFile); err == nil {
		return &Archive{files}, nil
	}
	found, err := fs.Glob(files, "*/"+RealmFile)
	if err != nil || len(found) != 1 {
		return nil, errors.Join(ErrNone, err)
	}
	below, err := fs.Sub(files, path.Dir(found[0]))
	return &Archive{below}, err
}

// Open opens a file of the archive.
func (a *Archive) Open(name string) (fs.File, error) {
	file, err := a.files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s isn't a file", name), err, file.Close())
	}
	return file, nil
}

// Has reports whether the archive has a file.
func (a *Archive) Has(name string) bool {
	info, err := fs.Stat(a.files, name)
	return err == nil && info.Mode().IsRegular()
}

// MessageFiles returns the names of the files with messages, in order.
func (a *Archive) MessageFiles() ([]string, error) {
	found, err := fs.Glob(a.files, "messages-*.json")
	slices.SortFunc(found, func(x, y string) int {
		if len(x) != len(y) { // from a million files on, numbers have more digits
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	return found, err
}

// Row is called with each row of a table, and its number, from 1.
type Row func(number int, row json.RawMessage) error

// Rows returns a Row that decodes rows and passes them to handle.
func Rows[T any](handle func(row T) error) Row {
	return func(_ int, raw json.RawMessage) error {
		row := *new(T)
		if err := json.Unmarshal(raw, &row); err != nil {
			return err
		}
		return handle(row)
	}
}

// Tables reads the tables in each from a file, row by row. It skips other tables, and stops after the last one in each. Errors of a
// row, or of its function, name the file, the table and the row.
func (a *Archive) Tables(ctx context.Context, name string, each map[string]Row) error {
	wanted := maps.Clone(each)
	return a.members(name, func(in *stream, table string) (more bool, err error) {
		row, ok := wanted[table]
		if !ok {
			_, err = in.skip(ctx)
			return true, err
		}
		delete(wanted, table)
		return len(wanted) > 0, in.table(ctx, row)
	})
}

// Count reads a file of tables, and calls each with the name and the number of rows of every member. Members that aren't tables
// have no rows.
func (a *Archive) Count(ctx context.Context, name string, each func(table string, rows int)) error {
	return a.members(name, func(in *stream, table string) (more bool, err error) {
		rows, err := in.skip(ctx)
		each(table, rows)
		return true, err
	})
}

// members calls read at each member of a file's object, to read it, while read returns true.
func (a *Archive) members(name string, read func(in *stream, table string) (more bool, err error)) error {
	file, err := a.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	in := newStream(file)
	if err := in.begin('{'); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for in.json.More() {
		in.from.left = maxRow
		token, err := in.json.Token()
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		table, _ := token.(string)
		more, err := read(in, table)
		if err != nil {
			return fmt.Errorf("read %s: %s: %w", name, table, err)
		}
		if !more {
			return nil
		}
	}
	if _, err := in.json.Token(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Records reads the list of a folder's files, row by row. It does nothing if there is no such list.
func (a *Archive) Records(ctx context.Context, folder string, handle func(r Record) error) error {
	name := path.Join(folder, RecordsFile)
	if !a.Has(name) {
		return nil
	}
	file, err := a.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if err := ReadList(ctx, file, Rows(handle)); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// ReadList reads a list, row by row. Errors of a row, or of its function, name the row.
func ReadList(ctx context.Context, from io.Reader, row Row) error {
	return newStream(from).table(ctx, row)
}

// stream reads JSON of any size, whose rows have a limited size.
type stream struct {
	json *json.Decoder
	from *bounded
}

func newStream(file io.Reader) *stream {
	from := &bounded{file: file, left: maxRow}
	return &stream{json.NewDecoder(from), from}
}

// begin reads the beginning of an object or a list.
func (s *stream) begin(want json.Delim) error {
	token, err := s.json.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("there is %v instead of %v", token, want)
	}
	return nil
}

// table reads the rows of a table.
func (s *stream) table(ctx context.Context, row Row) error {
	if err := s.begin('['); err != nil {
		return err
	}
	_, err := s.rows(ctx, false, row)
	return err
}

// skip skips a value, and returns its number of rows. It may be a list, an object, or a plain value, which has none.
func (s *stream) skip(ctx context.Context) (rows int, err error) {
	token, err := s.json.Token()
	if err != nil {
		return 0, err
	}
	if _, composed := token.(json.Delim); !composed {
		return 0, nil
	}
	return s.rows(ctx, token == json.Delim('{'), func(int, json.RawMessage) error { return nil })
}

// rows reads the elements of a list or, if named, the members of an object, whose beginning has been read. It returns their number.
func (s *stream) rows(ctx context.Context, named bool, row Row) (read int, err error) {
	for s.json.More() {
		if err := ctx.Err(); err != nil {
			return read, err
		}
		s.from.left = maxRow
		if named {
			if _, err := s.json.Token(); err != nil {
				return read, err
			}
		}
		read++
		raw := json.RawMessage{}
		if err := s.json.Decode(&raw); err != nil {
			return read, fmt.Errorf("row %d: %w", read, err)
		}
		if err := row(read, raw); err != nil {
			return read, fmt.Errorf("row %d: %w", read, err)
		}
	}
	s.from.left = maxRow
	_, err = s.json.Token()
	return read, err
}

// bounded is a reader that fails after left bytes.
type bounded struct {
	file io.Reader
	left int
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errRow
	}
	n, err := b.file.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

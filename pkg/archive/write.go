package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Sink writes an archive, one file after the other.
type Sink interface {
	// Create begins a file, whose name has slashes as separators. The file is complete when it is closed.
	Create(name string) (io.WriteCloser, error)
	// Close completes the archive.
	Close() error
}

// Folder is a [Sink] that writes the archive as a folder.
type Folder struct{ root *os.Root }

// NewFolder creates a folder, which must not exist yet.
func NewFolder(dir string) (*Folder, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the archive: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the archive: %w", err)
	}
	return &Folder{root}, nil
}

// Create implements [Sink].
func (f *Folder) Create(name string) (io.WriteCloser, error) {
	if err := f.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return file, nil
}

// Close implements [Sink].
func (f *Folder) Close() error { return f.root.Close() }

// Tar is a [Sink] that packs the archive as tar.gz. It first writes each file to a temporary one, because in the
// archive a file's size comes before its content.
type Tar struct {
	top   string
	zip   *gzip.Writer
	tar   *tar.Writer
	spool *os.File
}

// NewTar returns a packed archive, whose files are in a folder with the name top.
func NewTar(to io.Writer, top string) (*Tar, error) {
	spool, err := os.CreateTemp("", "export-*")
	if err != nil {
		return nil, fmt.Errorf("pack the archive: %w", err)
	}
	if err := os.Remove(spool.Name()); err != nil { // so that it disappears with the process
		return nil, errors.Join(fmt.Errorf("pack the archive: %w", err), spool.Close())
	}
	zip := gzip.NewWriter(to)
	return &Tar{top: top, zip: zip, tar: tar.NewWriter(zip), spool: spool}, nil
}

// Create implements [Sink].
func (t *Tar) Create(name string) (io.WriteCloser, error) {
	if _, err := t.spool.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &tarFile{t, name}, t.spool.Truncate(0)
}

// Close implements [Sink].
func (t *Tar) Close() error { return errors.Join(t.tar.Close(), t.zip.Close(), t.spool.Close()) }

// tarFile is a file that is being written.
type tarFile struct {
	in   *Tar
	name string
}

// Write implements [io.Writer].
func (f *tarFile) Write(p []byte) (int, error) { return f.in.spool.Write(p) }

// Close packs the file.
func (f *tarFile) Close() error {
	size, err := f.in.spool.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := f.in.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := f.in.tar.WriteHeader(&tar.Header{Name: path.Join(f.in.top, f.name), Size: size, Mode: 0o600}); err != nil {
		return fmt.Errorf("pack %s: %w", f.name, err)
	}
	if _, err := io.CopyN(f.in.tar, f.in.spool, size); err != nil {
		return fmt.Errorf("pack %s: %w", f.name, err)
	}
	return nil
}

// Tables writes a file of tables, row by row.
type Tables struct {
	name  string
	file  io.WriteCloser
	text  *bufio.Writer
	names int
	rows  int
}

// NewTables begins a file of tables.
func NewTables(to Sink, name string) (*Tables, error) {
	file, err := to.Create(name)
	if err != nil {
		return nil, err
	}
	return &Tables{name: name, file: file, text: bufio.NewWriterSize(file, 1<<16)}, nil
}

// Begin begins a table, and ends the previous one.
func (t *Tables) Begin(table string) {
	before := "{"
	if t.names > 0 {
		before = "],\n"
	}
	t.names, t.rows = t.names+1, 0
	_, _ = t.text.WriteString(before + `"` + table + `": [`) // Close returns its error
}

// Add writes a row of the table.
func (t *Tables) Add(row any) error {
	line := bytes.Buffer{}
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(row); err != nil {
		return fmt.Errorf("write %s: %w", t.name, err)
	}
	before := "\n"
	if t.rows > 0 {
		before = ",\n"
	}
	t.rows++
	_, _ = t.text.WriteString(before)
	if _, err := t.text.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n"))); err != nil {
		return fmt.Errorf("write %s: %w", t.name, err)
	}
	return nil
}

// Close completes the file.
func (t *Tables) Close() error {
	end := "{}\n"
	if t.names > 0 {
		end = "]}\n"
	}
	_, _ = t.text.WriteString(end)
	if err := errors.Join(t.text.Flush(), t.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", t.name, err)
	}
	return nil
}

// WriteRecords writes the list of records of a folder.
func WriteRecords(to Sink, folder string, records []Record) error {
	file, err := to.Create(path.Join(folder, RecordsFile))
	if err != nil {
		return err
	}
	if records == nil {
		records = []Record{}
	}
	return errors.Join(json.NewEncoder(file).Encode(records), file.Close())
}

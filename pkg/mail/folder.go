package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// maxKept is the maximum number of mails in a folder. Older ones are removed.
const maxKept = 200

// suffix is the extension of files with mail.
const suffix = ".eml"

// Folder is a [Transport] that writes each mail to a file in a folder, for development.
type Folder struct {
	path string
	from string
	now  func() time.Time
}

// NewFolder returns the folder in the configuration.
func NewFolder(c Config, now func() time.Time) *Folder {
	return &Folder{path: c.Dir, from: c.From, now: now}
}

// Deliver implements [Transport].
func (f *Folder) Deliver(_ context.Context, l Letter) error {
	m, err := l.message(f.from, f.now())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("make the folder for mail: %w", err)
	}
	// Names are unique and sort by time.
	name := filepath.Join(f.path, f.now().UTC().Format("20060102-150405.000000")+"-"+newToken()[:8])
	if err := m.WriteToFile(name); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	if err := os.Rename(name, name+suffix); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	for _, old := range names[min(maxKept, len(names)):] {
		if err := os.Remove(filepath.Join(f.path, old)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove old mail: %w", err)
		}
	}
	return nil
}

// names returns the names of the files, the newest first.
func (f *Folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the folder with mail: %w", err)
	}
	names := []string(nil)
	for _, entry := range slices.Backward(entries) {
		if strings.HasSuffix(entry.Name(), suffix) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Message is a mail in a folder.
type Message struct {
	To      string
	Subject string
	Date    time.Time
	Text    string
}

// List returns the mail in the folder, the newest first.
func (f *Folder) List() ([]Message, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	all := []Message(nil)
	for _, name := range names {
		message, err := read(filepath.Join(f.path, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, message)
	}
	return all, nil
}

func read(path string) (Message, error) {
	parsed, err := gomail.EMLToMsgFromFile(path)
	if err != nil {
		return Message{}, fmt.Errorf("read mail: %w", err)
	}
	m := Message{To: strings.Join(parsed.GetToString(), ", ")}
	if subject := parsed.GetGenHeader(gomail.HeaderSubject); len(subject) > 0 {
		m.Subject = subject[0]
		if decoded, err := new(mime.WordDecoder).DecodeHeader(subject[0]); err == nil {
			m.Subject = decoded
		}
	}
	if date := parsed.GetGenHeader(gomail.HeaderDate); len(date) > 0 {
		if m.Date, err = mail.ParseDate(date[0]); err != nil {
			return Message{}, fmt.Errorf("read mail: %w", err)
		}
	}
	for _, part := range parsed.GetParts() {
		if part.GetContentType() != gomail.TypeTextPlain {
			continue
		}
		text, err := part.GetContent()
		if err != nil {
			return Message{}, fmt.Errorf("read mail: %w", err)
		}
		m.Text = string(text)
	}
	return m, nil
}

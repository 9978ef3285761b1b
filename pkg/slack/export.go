package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"chatserver.dev/pkg/archive"
)

// Limits of an export, because it is held in memory.
const (
	maxUsers   = 1_000_000
	maxPlaces  = 1_000_000
	maxMembers = 20_000_000 // total of all channels
)

// errMany says that an export exceeds these limits.
var errMany = errors.New("it has more than a million rows, or 20 million members")

// ErrNone says that there is no export in Slack's format.
var ErrNone = errors.New("neither it nor the only folder in it has a users.json, with a channels.json, groups.json, dms.json or mpims.json beside it")

// Kinds of places.
const (
	channels = "channels.json"
	groups   = "groups.json"
	dms      = "dms.json"
	mpims    = "mpims.json"
	users    = "users.json"
	allUsers = "org_users.json"
)

// Export is an export to convert. It is safe for concurrent use.
type Export struct {
	files fs.FS
	users string // the name of the file with the accounts
}

// New finds the export in files: at the top level, or in the only folder there. It fails with [ErrNone].
func New(files fs.FS) (*Export, error) {
	if e, ok := at(files); ok {
		return e, nil
	}
	found := []*Export(nil)
	entries, err := fs.ReadDir(files, ".")
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		below, failed := fs.Sub(files, entry.Name())
		if e, ok := at(below); failed == nil && ok {
			found = append(found, e)
		}
	}
	if err != nil || len(found) != 1 {
		return nil, errors.Join(ErrNone, err)
	}
	return found[0], nil
}

// at returns the export at the top level of files, if there is one.
func at(files fs.FS) (*Export, bool) {
	if !slices.ContainsFunc([]string{channels, groups, dms, mpims}, func(name string) bool { return isFile(files, name) }) {
		return nil, false
	}
	for _, name := range []string{users, allUsers} {
		if isFile(files, name) {
			return &Export{files, name}, true
		}
	}
	return nil, false
}

func isFile(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.Mode().IsRegular()
}

// rows calls handle with each row of a list in a file. It does nothing if the file doesn't exist.
func rows[T any](ctx context.Context, c *conversion, name string, handle func(row T) error) error {
	if !isFile(c.from.files, name) {
		return nil
	}
	file, err := c.from.files.Open(name)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	err = archive.ReadList(ctx, file, func(number int, raw json.RawMessage) error {
		row := *new(T)
		odd, err := decode(raw, &row)
		if odd {
			c.Leave("members of rows that have another type than in Slack's exports", fmt.Sprintf("%s, row %d", name, number))
		}
		if err != nil {
			return err
		}
		return handle(row)
	})
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// place is a channel or a conversation.
type place struct {
	placeRow

	kind     string
	number   int64 // in the archive
	name     string
	folders  []string          // possible folders of its messages
	attached map[string]string // files next to them, by id; nil: not read yet
	spoke    map[int64]bool    // if it is archived: who wrote there
}

// isStream reports whether the place is a channel.
func (p *place) isStream() bool { return p.kind == channels || p.kind == groups }

// readPlaces reads all channels and conversations.
func (c *conversion) readPlaces(ctx context.Context) error {
	members := 0
	for _, kind := range []string{channels, groups, dms, mpims} {
		err := rows(ctx, c, kind, func(row placeRow) error {
			if members += len(row.Members); members > maxMembers || len(c.places) == maxPlaces {
				return errMany
			}
			p := &place{placeRow: row, kind: kind, number: int64(len(c.places) + 1), spoke: map[int64]bool{}}
			for _, folder := range []string{row.Name, row.ID} {
				if folder != "" && folder != "." && fs.ValidPath(folder) && !strings.ContainsAny(folder, `/\`) {
					p.folders = append(p.folders, folder)
				}
			}
			if row.Created > 0 && row.Created <= lastSecond && (c.created == 0 || row.Created < c.created) {
				c.created = row.Created
			}
			c.places = append(c.places, p)
			c.byID[row.ID] = p
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// day is a file with messages.
type day struct {
	date  string
	place int
	name  string
}

// folder returns the first of a place's folders that exists, and its entries; an empty name: none exists.
func (c *conversion) folder(p *place) (name string, entries []fs.DirEntry, err error) {
	for _, name := range p.folders {
		entries, err := fs.ReadDir(c.from.files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, fmt.Errorf("read folder %s: %w", name, err)
		}
		return name, entries, nil
	}
	return "", nil, nil
}

// days returns the files with messages, oldest first.
func (c *conversion) days() ([]day, error) {
	all, taken := []day(nil), map[string]bool{}
	for number, p := range c.places {
		folder, entries, err := c.folder(p)
		switch {
		case err != nil:
			return nil, err
		case folder == "":
			continue
		case taken[folder]:
			c.Leave("channels whose folder is another one's, too", p.ID)
			continue
		}
		taken[folder] = true
		for _, entry := range entries {
			date, ok := strings.CutSuffix(entry.Name(), ".json")
			if _, err := time.Parse(time.DateOnly, date); err == nil && ok && entry.Type().IsRegular() {
				all = append(all, day{date, number, path.Join(folder, entry.Name())})
			} else if entry.Name() != attachmentFolder {
				c.Leave("files in channels' folders that aren't those of days", path.Join(folder, entry.Name()))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b day) int { return strings.Compare(a.date, b.date) })
	return all, c.leaveOthers(taken)
}

// leaveOthers reports everything else in the export.
func (c *conversion) leaveOthers(taken map[string]bool) error {
	entries, err := fs.ReadDir(c.from.files, ".")
	known := []string{channels, groups, dms, mpims, users, allUsers, uploadFolder}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case taken[name], slices.Contains(known, name):
		case entry.IsDir():
			c.Leave("folders of no channel", name)
		default:
			c.Leave("other files", name)
		}
	}
	return err
}

package transfer

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"chatserver.dev/pkg/archive"
)

// maxPerFile is the maximum total size of the messages of a file, in bytes, since they are held in memory. Files usually have
// a thousand messages.
const maxPerFile = 256 << 20

// index is the files with messages of an archive.
type index struct {
	files []messageFile // by their first message
	total int
}

// messageFile is a file with messages.
type messageFile struct {
	name        string
	first, last int64
}

// find reads the messages of all files, without the readers' rows.
func (x *index) find(ctx context.Context, from *archive.Archive) error {
	names, err := from.MessageFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		at, bytes := messageFile{name: name}, 0
		err := from.Tables(ctx, name, map[string]archive.Row{archive.Messages: archive.Rows(func(m archive.Message) error {
			if at.first == 0 || m.ID < at.first {
				at.first = m.ID
			}
			at.last = max(at.last, m.ID)
			x.total++
			if bytes += held(m); bytes > maxPerFile {
				return fmt.Errorf("the messages of the file have more than %d bytes", maxPerFile)
			}
			if m.ID <= 0 {
				return fmt.Errorf("message %d: ids are positive", m.ID)
			}
			return nil
		})})
		if err != nil {
			return err
		}
		if at.first != 0 {
			x.files = append(x.files, at)
		}
	}
	slices.SortFunc(x.files, func(a, b messageFile) int { return int(min(1, max(-1, a.first-b.first))) })
	return nil
}

// held returns the size of the texts of a message that are held in memory.
func held(m archive.Message) int {
	size := len(m.Content) + len(m.Subject)
	if m.EditHistory != nil {
		size += len(*m.EditHistory)
	}
	return size
}

// each calls handle with all messages in the order of their ids, in whatever files they are. Of several messages with the same
// id, it uses the first.
func (x *index) each(ctx context.Context, from *archive.Archive, report *Report, handle func(m archive.Message) error) error {
	waiting, next, last := []archive.Message(nil), 0, int64(0)
	for {
		for next < len(x.files) && (len(waiting) == 0 || x.files[next].first <= waiting[0].ID) {
			more, err := readMessages(ctx, from, x.files[next].name)
			if err != nil {
				return err
			}
			next++
			waiting = append(waiting, more...)
			slices.SortStableFunc(waiting, func(a, b archive.Message) int { return int(min(1, max(-1, a.ID-b.ID))) })
		}
		if len(waiting) == 0 {
			return nil
		}
		m := waiting[0]
		waiting = waiting[1:]
		if m.ID == last {
			report.leave("messages with the id of another one", strconv.FormatInt(m.ID, 10))
			continue
		}
		last = m.ID
		if err := handle(m); err != nil {
			return err
		}
	}
}

func readMessages(ctx context.Context, from *archive.Archive, name string) (all []archive.Message, err error) {
	return all, from.Tables(ctx, name, map[string]archive.Row{archive.Messages: archive.Rows(func(m archive.Message) error {
		m.Rendered = "" // not trusted, see the package's comment
		all = append(all, m)
		return nil
	})})
}

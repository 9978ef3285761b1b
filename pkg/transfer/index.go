package transfer

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"chatserver.dev/pkg/archive"
)

// maxHeld is the maximum size in bytes of the messages that are held in memory: those of a file, and of others that have messages
// of the same times. Files usually have a thousand messages.
const maxHeld = 256 << 20

// index is the files with messages of an archive.
type index struct {
	files []messageFile // by their first message
	total int
}

// messageFile is a file with messages.
type messageFile struct {
	name        string
	first, last moment
	bytes       int // held in memory
}

// moment is when a message was sent. Archives that were converted from other programs often have ids in another order.
type moment struct {
	sent time.Time
	id   int64 // distinguishes messages of the same time
}

func momentOf(m archive.Message) moment { return moment{m.Sent.Time, m.ID} }

func (a moment) compare(b moment) int { return cmp.Or(a.sent.Compare(b.sent), cmp.Compare(a.id, b.id)) }

// find reads the messages of all files, without the readers' rows.
func (x *index) find(ctx context.Context, from *archive.Archive) error {
	names, err := from.MessageFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		at, before := messageFile{name: name}, x.total
		err := from.Tables(ctx, name, map[string]archive.Row{archive.Messages: archive.Rows(func(m archive.Message) error {
			if m.ID <= 0 {
				return fmt.Errorf("message %d: ids are positive", m.ID)
			}
			of := momentOf(m)
			if x.total == before || of.compare(at.first) < 0 {
				at.first = of
			}
			if x.total == before || of.compare(at.last) > 0 {
				at.last = of
			}
			x.total++
			at.bytes += held(m)
			return nil
		})})
		if err != nil {
			return err
		}
		if x.total > before {
			x.files = append(x.files, at)
		}
	}
	slices.SortFunc(x.files, func(a, b messageFile) int { return a.first.compare(b.first) })
	return x.fits(maxHeld)
}

// fits fails if files that are held in memory at the same time have messages of more than limit bytes.
func (x *index) fits(limit int) error {
	ends := slices.SortedFunc(slices.Values(x.files), func(a, b messageFile) int { return a.last.compare(b.last) })
	bytes, ended := 0, 0
	for i, file := range x.files {
		bytes += file.bytes
		for ; ends[ended].last.compare(file.first) < 0; ended++ {
			bytes -= ends[ended].bytes
		}
		if bytes > limit {
			return fmt.Errorf("%s: its messages, with those of the same times in %d other files, take %d bytes in memory, which is more than %d: "+
				"distribute them to more files, in the order of their times", file.name, i-ended, bytes, limit)
		}
	}
	return nil
}

// held returns the size of a message in memory, in bytes.
func held(m archive.Message) int {
	size := int(reflect.TypeFor[archive.Message]().Size()) + len(m.Content) + len(m.Subject)
	if m.EditHistory != nil {
		size += len(*m.EditHistory)
	}
	return size
}

// each calls handle with all messages in the order of their times, in whatever files they are. Of several messages with the same
// time and id, it uses the first.
func (x *index) each(ctx context.Context, from *archive.Archive, report *Report, handle func(m archive.Message) error) error {
	open, next, last := runs(nil), 0, moment{}
	for {
		for next < len(x.files) && (len(open) == 0 || x.files[next].first.compare(momentOf(open[0][0])) <= 0) {
			more, err := readMessages(ctx, from, x.files[next].name)
			if err != nil {
				return err
			}
			next++
			open = open.with(more)
		}
		if len(open) == 0 {
			return nil
		}
		m, rest := open[0][0], open[0][1:]
		open = slices.Delete(open, 0, 1).with(rest)
		if momentOf(m).compare(last) == 0 {
			report.leave("messages with an id that another message has", strconv.FormatInt(m.ID, 10))
			continue
		}
		last = momentOf(m)
		if err := handle(m); err != nil {
			return err
		}
	}
}

// runs are the messages of several files, each in the order of times. The one whose first message is the earliest is the first.
type runs [][]archive.Message

// with adds a run, unless it is empty.
func (r runs) with(run []archive.Message) runs {
	if len(run) == 0 {
		return r
	}
	at, _ := slices.BinarySearchFunc(r, momentOf(run[0]), func(other []archive.Message, first moment) int {
		return cmp.Or(momentOf(other[0]).compare(first), -1) // after those with an equal one
	})
	return slices.Insert(r, at, run)
}

// readMessages returns the messages of a file in the order of their times.
func readMessages(ctx context.Context, from *archive.Archive, name string) (all []archive.Message, err error) {
	err = from.Tables(ctx, name, map[string]archive.Row{archive.Messages: archive.Rows(func(m archive.Message) error {
		m.Rendered = "" // not trusted, see the package's comment
		all = append(all, m)
		return nil
	})})
	slices.SortStableFunc(all, func(a, b archive.Message) int { return momentOf(a).compare(momentOf(b)) })
	return all, err
}

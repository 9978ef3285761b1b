package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatserver.dev/pkg/archive"
)

const (
	// inFile is the number of messages in a file of the archive.
	inFile = 1000
	// maxPerDay is the maximum number of bytes that the messages of a day may take in memory.
	maxPerDay = 1 << 30
	// firstPersonal and firstGroup are the first recipient ids of people, and of conversations of two with messages
	// from a third account. Those of channels are smaller.
	firstPersonal = 1 << 40
	firstGroup    = 1 << 41
	// client is the id of the client of all messages.
	client = 1
)

// errDay says that the messages of a day exceed [maxPerDay].
var errDay = errors.New("the messages of the day have more than 1 GiB")

// Options are options of a conversion.
type Options struct {
	// Name is the name of the organization, which exports don't contain.
	Name string
	// Leave is called with the reason and an example of data that archives can't contain.
	Leave func(why, example string)
	// Progress is called occasionally with the number of files with messages that have been read, and their total
	// number.
	Progress func(done, of int)
}

// Convert converts an export to an archive. It writes several files at a time. The caller closes the sink. The
// archive contains per-reader rows only for mentioned accounts: members of a channel count as having received and
// read all of its messages.
func Convert(ctx context.Context, from *Export, to archive.Sink, options Options) error {
	c := &conversion{
		Options: options, from: from, to: to, people: map[string]*person{}, byBot: map[string]*person{}, byID: map[string]*place{},
		topics: newTopics(), files: map[string]bool{},
	}
	if err := c.run(ctx); err != nil {
		return fmt.Errorf("convert Slack's export: %w", err)
	}
	return nil
}

// conversion is a conversion in progress.
type conversion struct {
	Options

	from    *Export
	to      archive.Sink
	created int64 // when the oldest channel was created, in Unix seconds
	people  map[string]*person
	byBot   map[string]*person // by the bot id in messages of bots
	all     []*person          // by number, from 1
	places  []*place           // by number, from 1
	byID    map[string]*place
	topics  *topics
	files   map[string]bool // uploaded files, by id

	realm       *archive.Tables
	uploads     *archive.Tables // attachment.json
	records     []archive.Record
	messages    *archive.Tables // the current file; nil: none
	inMessages  int             // number of messages in it
	last        int64           // the newest message
	mentioned   []archive.UserMessage
	mentions    map[int64]bool // accounts that the current message mentions
	lastFlag    int64
	lastFile    int64
	lastReacted int64
}

func (c *conversion) run(ctx context.Context) (err error) {
	if err := c.readUsers(ctx); err != nil {
		return err
	}
	if err := c.readPlaces(ctx); err != nil {
		return err
	}
	c.namePlaces()
	days, err := c.days()
	if err != nil {
		return err
	}
	if c.realm, err = archive.NewTables(c.to, archive.RealmFile); err != nil {
		return err
	}
	if c.uploads, err = archive.NewTables(c.to, archive.AttachmentFile); err != nil {
		return errors.Join(err, c.realm.Close())
	}
	c.realm.Begin(archive.Reactions)
	c.uploads.Begin(archive.Attachments)
	if err = c.writeDays(ctx, days); err == nil {
		err = c.endFile()
	}
	if err == nil {
		err = c.writeRealm()
	}
	return errors.Join(err, c.realm.Close(), c.uploads.Close())
}

// writeDays writes the messages of all channels, day by day.
func (c *conversion) writeDays(ctx context.Context, days []day) error {
	for done := 0; done < len(days); {
		many := 1
		for done+many < len(days) && days[done+many].date == days[done].date {
			many++
		}
		if err := c.writeDay(ctx, days[done:done+many]); err != nil {
			return err
		}
		done += many
		c.Progress(done, len(days))
	}
	return nil
}

// said is a message with its channel or conversation.
type said struct {
	messageRow

	place int
}

// writeDay writes the messages of a day ordered by time.
func (c *conversion) writeDay(ctx context.Context, files []day) error {
	messages, size := []said(nil), 0
	for _, f := range files {
		err := rows(ctx, c, f.name, func(m messageRow) error {
			if size += m.size(); size > maxPerDay {
				return errDay
			}
			messages = append(messages, said{m, f.place})
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(messages, func(a, b said) int {
		if a.TS != b.TS {
			return int(min(1, max(-1, a.TS-b.TS)))
		}
		return a.place - b.place
	})
	for i, m := range messages {
		if i > 0 && m.TS == messages[i-1].TS && m.place == messages[i-1].place {
			c.Leave("messages with the time of another one in the channel", c.example(m))
			continue
		}
		if err := c.writeMessage(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// example returns a description of a message for a report.
func (c *conversion) example(m said) string {
	p := c.places[m.place]
	return first(p.Name, p.ID) + " " + m.TS.time().Format("2006-01-02 15:04:05")
}

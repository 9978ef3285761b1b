package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatserver.dev/pkg/archive"
)

const (
	// inFile is how many messages a file of the archive has.
	inFile = 1000
	// mostInDay is how many bytes the messages of a day may take in memory.
	mostInDay = 1 << 30
	// firstPersonal and firstGroup are where the ids of recipients begin that are people, and conversations of two in which a third
	// speaks. Those of channels are below.
	firstPersonal = 1 << 40
	firstGroup    = 1 << 41
	// client is the program that messages are said to be from.
	client = 1
)

// errDay says that a day has more messages than [mostInDay].
var errDay = errors.New("the messages of the day have more than 1 GiB")

// Options say how an export becomes an archive.
type Options struct {
	// Name is that of the organization: an export has none.
	Name string
	// Leave is called with what has no place in an archive: why, and an example.
	Leave func(why, example string)
	// Progress is called now and then with how many files of messages are read.
	Progress func(done, of int)
}

// Convert writes an export as an archive, several files of it at a time; the caller closes it. The archive has no rows of readers: members
// of a channel have received and read all of its messages. Only those who are mentioned have one.
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

// conversion is an export that is being converted.
type conversion struct {
	Options

	from    *Export
	to      archive.Sink
	created int64 // when the oldest channel was made, in Unix seconds
	people  map[string]*person
	byBot   map[string]*person // by what messages of bots name
	all     []*person          // by number, from 1
	places  []*place           // by number, from 1
	byID    map[string]*place
	topics  *topics
	files   map[string]bool // uploaded files, by id

	realm       *archive.Tables
	uploads     *archive.Tables // attachment.json
	records     []archive.Record
	messages    *archive.Tables // the file that is being written; nil: none
	inMessages  int             // messages in it
	last        int64           // the newest message
	mentioned   []archive.UserMessage
	mentions    map[int64]bool // accounts that the message mentions which is being written
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

// said is a message with its place.
type said struct {
	messageRow

	place int
}

// writeDay writes the messages of a day in the order of their times.
func (c *conversion) writeDay(ctx context.Context, files []day) error {
	messages, size := []said(nil), 0
	for _, f := range files {
		err := rows(ctx, c, f.name, func(m messageRow) error {
			if size += m.size(); size > mostInDay {
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

// example names a message.
func (c *conversion) example(m said) string {
	p := c.places[m.place]
	return first(p.Name, p.ID) + " " + m.TS.time().Format("2006-01-02 15:04:05")
}

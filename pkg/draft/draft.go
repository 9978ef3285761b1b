package draft

import (
	"math"
	"strings"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/store/sqlc"
)

// Max is the maximum number of an account's drafts, and of those in a call.
const Max = 100

// The types of drafts besides the empty one.
const (
	toPeople = "private"
	toStream = "stream"
)

// Faults of drafts (rest-api.md, section 2.17), besides stream.ErrInvalidID and, in package message, ErrContentLong, ErrTopicNul,
// ErrTopicLong, ErrManyRecipients and ErrInvalidUser.
var (
	ErrNone          = fault.New(fault.NotFound, fault.CodeNone, "Draft does not exist")
	ErrOneStream     = fault.Bad("Must specify exactly 1 stream ID for stream messages")
	ErrTimestamp     = fault.Bad("Timestamp must not be negative.")
	ErrLateTimestamp = fault.Bad("Timestamp must be before the year 10000.")
	ErrContentNul    = fault.Bad("Content must not contain null bytes")
	ErrMany          = fault.Bad("Too many drafts (limit: 100)")
)

// lastTimestamp is the end of the year 9999, in Unix seconds.
const lastTimestamp = 253402300800

// Draft is a message that isn't sent. Its fields are those of the interface.
type Draft struct {
	// Where the message goes: to a stream (stream), to people (private), or not chosen yet (empty).
	Type string `json:"type" enum:",private,stream"`
	// ID of the stream, or IDs of the people, of whom there may be none yet. Ignored if the type is empty.
	To []int64 `json:"to"`
	// Topic in the stream, of at most 60 characters; empty if it isn't chosen yet.
	Topic string `json:"topic" nul:"passed"`
	// Content, in Markdown, of at most 10000 bytes; not blank.
	Content string `json:"content" check:"text" nul:"passed"`
	// When it was changed last, in seconds since 1970; by default, now.
	Timestamp *float64 `json:"timestamp,omitempty"`
}

// checked is a draft as it is stored.
type checked struct {
	stream         id.Stream // 0: none
	people         []int64   // nil: it isn't for people
	topic, content string
	at             time.Time
}

// check returns a draft as it is stored, without checking whether the stream and the people exist.
func (d Draft) check(now time.Time) (checked, error) {
	c := checked{at: now}
	if strings.ContainsRune(d.Content, 0) {
		return c, ErrContentNul
	}
	content, err := message.CheckContent(d.Content)
	if err != nil {
		return c, err
	}
	c.content = content
	if d.Timestamp != nil {
		switch {
		case *d.Timestamp < 0:
			return c, ErrTimestamp
		case *d.Timestamp >= lastTimestamp:
			return c, ErrLateTimestamp
		}
		c.at = time.UnixMicro(int64(math.Round(*d.Timestamp * 1e6)))
	}
	switch d.Type {
	case toStream:
		if len(d.To) != 1 {
			return c, ErrOneStream
		}
		c.stream = id.Stream(d.To[0])
		if strings.TrimSpace(d.Topic) != "" { // it may not be chosen yet
			c.topic, err = message.CheckTopic(&d.Topic)
		}
	case toPeople:
		if len(d.To) > message.MaxRecipients {
			return c, message.ErrManyRecipients.Format(len(d.To), message.MaxRecipients)
		}
		c.people = append([]int64{}, d.To...)
	}
	return c, err
}

// stored returns a draft from its row.
func stored(row sqlc.DraftsRow) Draft {
	at := float64(row.ChangedAt.UnixMicro()) / 1e6
	d := Draft{To: []int64{}, Topic: row.Topic, Content: row.Content, Timestamp: &at}
	switch {
	case row.StreamID != nil:
		d.Type, d.To = toStream, []int64{int64(*row.StreamID)}
	case row.People != nil:
		d.Type, d.To = toPeople, id.Convert[int64](row.People)
	}
	return d
}

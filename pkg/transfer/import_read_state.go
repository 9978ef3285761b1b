package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// personalFlags are the flags that are stored for each reader. Others are computed.
const personalFlags = event.Starred | event.Collapsed | event.Mentioned | event.HasAlertWord

type flagColumns struct {
	UserID    id.User     `json:"user_id"`
	MessageID int64       `json:"message_id"`
	Flags     event.Flags `json:"flags"`
}

type subscriptionColumns struct {
	StreamID id.Stream `json:"stream_id"`
	UserID   id.User   `json:"user_id"`
	Active   bool      `json:"active"`
	Color    string    `json:"color"`
	Muted    bool      `json:"muted"`
	Pinned   bool      `json:"pin_to_top"`
	Desktop  *bool     `json:"desktop_notifications"`
	Email    *bool     `json:"email_notifications"`
	Push     *bool     `json:"push_notifications"`
	Audible  *bool     `json:"audible_notifications"`
	Wildcard *bool     `json:"wildcard_mentions_notify"`
	Received string    `json:"received"`
}

type unreadColumns struct {
	UserID   id.User `json:"user_id"`
	Messages string  `json:"messages"`
}

// readState imports subscriptions, flags and read messages. It is idempotent, so a continued import repeats it.
func (m *importing) readState(ctx context.Context) error {
	flags := newTable[flagColumns](m, "message_flags")
	byPlace := make([]id.Stream, len(m.readers.streams))
	for stream, place := range m.readers.streams {
		byPlace[place] = stream
	}
	if m.readers.people == nil {
		m.readers.people = map[id.User]*unread{}
	}
	for done, file := range m.index.files {
		err := m.Archive.Tables(ctx, file.name, map[string]archive.Row{archive.UserMessages: archive.Rows(func(row archive.UserMessage) error {
			return m.reader(ctx, flags, byPlace, row)
		})})
		if err != nil {
			return err
		}
		m.Progress("read state", done+1, len(m.index.files))
	}
	if err := flags.flush(ctx); err != nil {
		return err
	}
	m.readers.missed()
	if err := m.storeSubscriptions(ctx); err != nil {
		return err
	}
	return m.storeMarks(ctx)
}

// reader adds a reader's row.
func (m *importing) reader(ctx context.Context, flags *table[flagColumns], byPlace []id.Stream, row archive.UserMessage) error {
	who := m.users[row.User]
	at, ok := m.readers.find(row.Message)
	if who == 0 || !ok {
		m.report.leave("marks of unknown messages or accounts", strconv.FormatInt(row.Message, 10))
		return nil
	}
	marked := event.Flags(row.Flags & 0xffff)
	received, kept := marked&event.Historical == 0, marked&personalFlags
	if place := m.readers.places[at]; place >= 0 && received {
		subscription := m.readers.subs[subscriber{who, byPlace[place]}]
		if subscription != nil {
			subscription.received.add(m.readers.sequence[at])
		} else { // as a mentioned bot
			received = false
			kept |= event.Delivered | marked&event.Read
		}
	}
	if received {
		of := m.readers.people[who]
		if of == nil {
			of = &unread{last: -1}
			m.readers.people[who] = of
		}
		of.note(int32(at), marked&event.Read != 0) // messages are fewer than two billion
	}
	if marked&event.Historical != 0 {
		kept |= event.Historical
	}
	if kept == 0 {
		return nil
	}
	return flags.add(ctx, flagColumns{who, m.readers.ids[at], kept})
}

// storeSubscriptions stores the subscriptions with the messages received. Active ones also receive messages from now on.
func (m *importing) storeSubscriptions(ctx context.Context) error {
	rows := newTable[subscriptionColumns](m, "subscriptions")
	keys := slices.SortedFunc(maps.Keys(m.readers.subs), func(a, b subscriber) int {
		if a.stream != b.stream {
			return int(a.stream - b.stream)
		}
		return int(a.user - b.user)
	})
	for _, key := range keys {
		s, ids := m.readers.subs[key], m.readers.inStream[key.stream]
		received := strings.Builder{}
		if m.AllReceived && len(ids) > 0 {
			s.received = spans{{0, int32(len(ids) - 1)}} // messages are fewer than two billion
		}
		for _, r := range s.received.sorted() {
			fmt.Fprintf(&received, ",[%d,%d]", ids[r[0]], ids[r[1]])
		}
		if s.Active {
			fmt.Fprintf(&received, ",[%d,)", m.readers.end())
		}
		m.report.count("subscriptions", 1)
		err := rows.add(ctx, subscriptionColumns{
			StreamID: key.stream, UserID: key.user, Active: s.Active, Color: color(s.Color), Muted: s.Muted, Pinned: s.Pinned, Desktop: s.Desktop,
			Email: s.Email, Push: s.Push, Audible: s.Audible, Wildcard: s.Wildcard, Received: "{" + strings.TrimPrefix(received.String(), ",") + "}",
		})
		if err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// color returns a valid color: the given one, or a default.
func color(given string) string {
	if len(given) == 7 && given[0] == '#' && strings.Trim(given[1:], "0123456789abcdefABCDEF") == "" {
		return strings.ToLower(given)
	}
	return "#c2c2c2"
}

// storeMarks stores the read marks of people: everything up to the newest message is read, except for unread ranges.
func (m *importing) storeMarks(ctx context.Context) error {
	ids := m.readers.ids
	if len(ids) == 0 {
		return nil
	}
	rows, people, uptos := newTable[unreadColumns](m, "unread_again"), []int64(nil), []int64(nil)
	flush := func() error {
		err := m.write(ctx, func(tx *store.Tx) error { return tx.SetReadMarks(ctx, people, uptos) })
		people, uptos = people[:0], uptos[:0]
		return err
	}
	everybody := slices.Sorted(maps.Values(m.users))
	for _, who := range slices.Compact(everybody) {
		upto, again := m.readers.people[who].marks(ids)
		if again != "" {
			if err := rows.add(ctx, unreadColumns{who, again}); err != nil {
				return err
			}
		}
		people, uptos = append(people, int64(who)), append(uptos, upto)
		if len(people) == rowsAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return rows.flush(ctx)
}

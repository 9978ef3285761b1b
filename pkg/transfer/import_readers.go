package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// personalFlags are those of which a row is stored for each reader; the others follow from elsewhere.
const personalFlags = event.Starred | event.Collapsed | event.Mentioned | event.HasAlertWord

// readers finds out which messages people received, and which of them they have read, from what the archive says of each message. It has
// some 20 bytes for each message, and some 100 for each subscription; what follows one another is one range.
type readers struct {
	sources  []int64 // ids of messages in the archive, ascending
	ids      []int64 // what they are here
	places   []int32 // where in streams they are, of which stream; -1: in none
	sequence []int32 // the how manieth of their stream they are

	streams  map[id.Stream]int32
	inStream map[id.Stream][]int64 // ids of a stream's messages
	subs     map[subscriber]*subscribed
	people   map[id.User]*unread

	absent map[id.User]int64    // the newest message before which rows say what an idle account received
	since  map[subscriber]int64 // the newest message before the last time that an idle account subscribed
}

// subscriber is somebody in a stream.
type subscriber struct {
	user   id.User
	stream id.Stream
}

// subscribed is a subscription, and what was received by it.
type subscribed struct {
	archive.Subscription

	received spans // of places in the stream
}

// addMessage adds a message; ids ascend.
func (r *readers) addMessage(source, made int64, in id.Stream) {
	if r.streams == nil {
		r.streams, r.inStream = map[id.Stream]int32{}, map[id.Stream][]int64{}
	}
	place, sequence := int32(-1), int32(0)
	if in != 0 {
		known, ok := r.streams[in]
		if !ok {
			known = int32(len(r.streams)) // streams are fewer
			r.streams[in] = known
		}
		place, sequence = known, int32(len(r.inStream[in])) // messages are fewer than two billion
		r.inStream[in] = append(r.inStream[in], made)
	}
	r.sources, r.ids = append(r.sources, source), append(r.ids, made)
	r.places, r.sequence = append(r.places, place), append(r.sequence, sequence)
}

// idle notes an account that has no rows for messages in streams after one.
func (r *readers) idle(who id.User, last int64) {
	if r.absent == nil {
		r.absent, r.since = map[id.User]int64{}, map[subscriber]int64{}
	}
	r.absent[who] = last
}

// subscribedSince notes that an account subscribed to a stream after a message. That of others doesn't matter: they have rows.
func (r *readers) subscribedSince(who id.User, to id.Stream, last int64) {
	if _, ok := r.absent[who]; ok {
		key := subscriber{who, to}
		r.since[key] = max(r.since[key], last)
	}
}

// missed has idle accounts have received, and not read, what their subscriptions brought since they became idle.
func (r *readers) missed() {
	for key, s := range r.subs {
		last, ok := r.absent[key.user]
		if !ok || !s.Active {
			continue
		}
		last = max(last, r.since[key])
		at, _ := slices.BinarySearch(r.sources, last+1)
		in := r.inStream[key.stream]
		if at == len(r.ids) {
			continue
		}
		if begin, _ := slices.BinarySearch(in, r.ids[at]); begin < len(in) {
			s.received = append(s.received, [2]int32{int32(begin), int32(len(in) - 1)}) // messages are fewer than two billion
		}
	}
	for who, last := range r.absent {
		at, _ := slices.BinarySearch(r.sources, last+1)
		if at == len(r.ids) {
			continue
		}
		of := r.people[who]
		if of == nil {
			of = &unread{}
			r.people[who] = of
		}
		of.all(int32(at), int32(len(r.ids)-1)) // messages are fewer than two billion
	}
}

// find returns where a message of the archive is in the lists.
func (r *readers) find(source int64) (at int, ok bool) { return slices.BinarySearch(r.sources, source) }

// subscribe adds a subscription; of several of somebody to a stream the first counts.
func (r *readers) subscribe(who id.User, to id.Stream, row archive.Subscription) {
	if r.subs == nil {
		r.subs, r.people = map[subscriber]*subscribed{}, map[id.User]*unread{}
	}
	key := subscriber{who, to}
	if _, ok := r.subs[key]; !ok && who != 0 {
		r.subs[key] = &subscribed{Subscription: row}
	}
}

// spans are ranges of numbers, from and to, both of them in it.
type spans [][2]int32

// add adds a number; the ranges are in order as long as numbers ascend.
func (s *spans) add(n int32) {
	if last := len(*s) - 1; last >= 0 && (*s)[last][1]+1 == n {
		(*s)[last][1] = n
		return
	}
	*s = append(*s, [2]int32{n, n})
}

// sorted returns the ranges in order, joined where they touch.
func (s spans) sorted() spans {
	if slices.IsSortedFunc(s, func(a, b [2]int32) int { return int(a[0]) - int(b[0]) }) {
		return s
	}
	slices.SortFunc(s, func(a, b [2]int32) int { return int(a[0]) - int(b[0]) })
	out := spans{}
	for _, one := range s {
		if last := len(out) - 1; last >= 0 && out[last][1]+1 >= one[0] {
			out[last][1] = max(out[last][1], one[1])
			continue
		}
		out = append(out, one)
	}
	return out
}

// unread is what somebody hasn't read, of what they received. A range reaches over messages that they didn't receive.
type unread struct {
	ranges spans // of indexes of messages
	open   bool  // the next one that is unread belongs to the last range
	last   int32 // the newest message that they received
}

// note notes that somebody received a message.
func (u *unread) note(at int32, read bool) {
	switch {
	case at > u.last && read:
		u.last, u.open = at, false
	case at > u.last && u.open:
		u.last, u.ranges[len(u.ranges)-1][1] = at, at
	case at > u.last:
		u.last, u.open, u.ranges = at, true, append(u.ranges, [2]int32{at, at})
	case read: // out of order: no range may have it
		for i, r := range u.ranges {
			if r[0] <= at && at <= r[1] {
				rest := slices.Clone(u.ranges[i+1:])
				u.ranges = u.ranges[:i]
				if r[0] < at {
					u.ranges = append(u.ranges, [2]int32{r[0], at - 1})
				}
				if at < r[1] {
					u.ranges = append(u.ranges, [2]int32{at + 1, r[1]})
				}
				u.ranges = append(u.ranges, rest...)
				u.open = u.open && len(rest) > 0
				return
			}
		}
	default:
		if !slices.ContainsFunc(u.ranges, func(r [2]int32) bool { return r[0] <= at && at <= r[1] }) {
			u.ranges, u.open = append(spans{{at, at}}, u.ranges...), u.open && len(u.ranges) > 0
		}
	}
}

// all makes unread whatever was received from one message to the newest.
func (u *unread) all(from, newest int32) {
	u.ranges = slices.DeleteFunc(u.ranges, func(r [2]int32) bool { return r[0] >= from })
	for i := range u.ranges {
		u.ranges[i][1] = min(u.ranges[i][1], from-1)
	}
	u.ranges, u.last, u.open = append(u.ranges, [2]int32{from, newest}), newest, true
}

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

// readState stores subscriptions, and what people did with messages. It is the same each time, so an import that is continued does it again.
func (m *importing) readState(ctx context.Context) error {
	flags := newTable[flagColumns](m, "message_flags", "")
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

// reader notes what somebody did with a message.
func (m *importing) reader(ctx context.Context, flags *table[flagColumns], byPlace []id.Stream, row archive.UserMessage) error {
	who := m.users[row.User]
	at, ok := m.readers.find(row.Message)
	if who == 0 || !ok {
		m.report.leave("marks of unknown messages or accounts", strconv.FormatInt(row.Message, 10))
		return nil
	}
	marked := event.Flags(row.Flags & 0xffff)
	received := marked&event.Historical == 0
	if place := m.readers.places[at]; place >= 0 && received {
		subscription := m.readers.subs[subscriber{who, byPlace[place]}]
		if received = subscription != nil; received {
			subscription.received.add(m.readers.sequence[at])
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
	marked &= personalFlags
	if !received {
		marked |= event.Historical
	}
	if marked == 0 {
		return nil
	}
	return flags.add(ctx, 0, 0, flagColumns{who, m.readers.ids[at], marked})
}

// storeSubscriptions stores who is subscribed, and what they received. Whoever is subscribed receives what is sent from now on.
func (m *importing) storeSubscriptions(ctx context.Context) error {
	rows := newTable[subscriptionColumns](m, "subscriptions", "")
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
		err := rows.add(ctx, 0, 0, subscriptionColumns{
			StreamID: key.stream, UserID: key.user, Active: s.Active, Color: color(s.Color), Muted: s.Muted, Pinned: s.Pinned, Desktop: s.Desktop,
			Email: s.Email, Push: s.Push, Audible: s.Audible, Wildcard: s.Wildcard, Received: "{" + strings.TrimPrefix(received.String(), ",") + "}",
		})
		if err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// end is the least id that no imported message has, and all later ones are above.
func (r *readers) end() int64 {
	if len(r.ids) == 0 {
		return 1
	}
	return r.ids[len(r.ids)-1] + 1
}

// color is one that clients understand.
func color(given string) string {
	if len(given) == 7 && given[0] == '#' && strings.Trim(given[1:], "0123456789abcdefABCDEF") == "" {
		return strings.ToLower(given)
	}
	return "#c2c2c2"
}

// storeMarks stores what people have read: everything up to the newest message, except for what they haven't.
func (m *importing) storeMarks(ctx context.Context) error {
	ids := m.readers.ids
	if len(ids) == 0 {
		return nil
	}
	rows, people, uptos := newTable[unreadColumns](m, "unread_again", ""), []int64(nil), []int64(nil)
	flush := func() error {
		err := m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error { return tx.SetReadMarks(ctx, people, uptos) })
		people, uptos = people[:0], uptos[:0]
		return err
	}
	everybody := slices.Sorted(maps.Values(m.users))
	for _, who := range slices.Compact(everybody) {
		upto, again := ids[len(ids)-1], strings.Builder{}
		if of := m.readers.people[who]; of != nil && len(of.ranges) > 0 {
			if newest := of.ranges[len(of.ranges)-1]; newest[1] == of.last && sort.SliceIsSorted(of.ranges, func(i, j int) bool { return of.ranges[i][0] < of.ranges[j][0] }) {
				upto, of.ranges = ids[newest[0]]-1, of.ranges[:len(of.ranges)-1]
			}
			for _, r := range of.ranges {
				fmt.Fprintf(&again, ",[%d,%d]", ids[r[0]], ids[r[1]])
			}
		}
		if again.Len() > 0 {
			if err := rows.add(ctx, 0, 0, unreadColumns{who, "{" + again.String()[1:] + "}"}); err != nil {
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

package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
)

// readers collects which messages people received, and which of them they have read, from the archive's rows of readers. It
// takes about 28 bytes for each message and 100 for each subscription, plus the ranges.
type readers struct {
	sources  []int64 // ids of messages in the archive
	bySource []int32 // the indexes of sources, in the order of the ids there; see sort
	ids      []int64 // their ids here, ascending
	places   []int32 // their streams, as numbers of the map streams; -1: none
	sequence []int32 // their indexes among the messages of their streams

	streams  map[id.Stream]int32
	inStream map[id.Stream][]int64 // ids of a stream's messages
	subs     map[subscriber]*subscribed
	people   map[id.User]*unread

	absent map[id.User]int64    // the last message up to which the archive has the rows of an idle account
	since  map[subscriber]int64 // the last message before an idle account last subscribed
}

// subscriber is an account and a stream.
type subscriber struct {
	user   id.User
	stream id.Stream
}

// subscribed is a subscription, and the messages received by it.
type subscribed struct {
	archive.Subscription

	received spans // of indexes in the stream
}

// addMessage adds a message. Its id here must be greater than those before.
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

// sort makes messages findable by their ids in the archive, after the last one was added.
func (r *readers) sort() {
	r.bySource = make([]int32, len(r.sources))
	for i := range r.bySource {
		r.bySource[i] = int32(i) // messages are fewer than two billion
	}
	slices.SortFunc(r.bySource, func(a, b int32) int { return cmp.Compare(r.sources[a], r.sources[b]) })
}

// idle adds an account without rows for the messages in streams after last.
func (r *readers) idle(who id.User, last int64) {
	if r.absent == nil {
		r.absent, r.since = map[id.User]int64{}, map[subscriber]int64{}
	}
	r.absent[who] = last
}

// subscribedSince records that an idle account subscribed to a stream after the message last. It ignores other accounts,
// which have rows.
func (r *readers) subscribedSince(who id.User, to id.Stream, last int64) {
	if _, ok := r.absent[who]; ok {
		key := subscriber{who, to}
		r.since[key] = max(r.since[key], last)
	}
}

// missed makes the messages of idle accounts' subscriptions since they became idle received and unread.
func (r *readers) missed() {
	for key, s := range r.subs {
		last, ok := r.absent[key.user]
		if !ok || !s.Active {
			continue
		}
		last = max(last, r.since[key])
		at, in := r.after(last), r.inStream[key.stream]
		if at == len(r.ids) {
			continue
		}
		if begin, _ := slices.BinarySearch(in, r.ids[at]); begin < len(in) {
			s.received = append(s.received, [2]int32{int32(begin), int32(len(in) - 1)}) // messages are fewer than two billion
		}
	}
	for who, last := range r.absent {
		at := r.after(last)
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

// search returns where in bySource a message of the archive is, or would be.
func (r *readers) search(source int64) (place int, ok bool) {
	return slices.BinarySearchFunc(r.bySource, source, func(at int32, source int64) int { return cmp.Compare(r.sources[at], source) })
}

// find returns the index of a message of the archive in the lists.
func (r *readers) find(source int64) (at int, ok bool) {
	place, ok := r.search(source)
	if !ok {
		return 0, false
	}
	return int(r.bySource[place]), true
}

// after returns the index of the message that follows one of the archive, or the number of messages. Only the reference's own
// archives have idle accounts, and ids in these are in the order of times.
func (r *readers) after(source int64) (at int) {
	place, _ := r.search(source + 1)
	if place == len(r.bySource) {
		return place
	}
	return int(r.bySource[place])
}

// subscribe adds a subscription, unless the account has one to the stream already.
func (r *readers) subscribe(who id.User, to id.Stream, row archive.Subscription) {
	if r.subs == nil {
		r.subs, r.people = map[subscriber]*subscribed{}, map[id.User]*unread{}
	}
	key := subscriber{who, to}
	if _, ok := r.subs[key]; !ok && who != 0 {
		r.subs[key] = &subscribed{Subscription: row}
	}
}

// spans are ranges of numbers, both ends included.
type spans [][2]int32

// add adds a number. The ranges are in order as long as numbers ascend.
func (s *spans) add(n int32) {
	if last := len(*s) - 1; last >= 0 && (*s)[last][1]+1 == n {
		(*s)[last][1] = n
		return
	}
	*s = append(*s, [2]int32{n, n})
}

// find returns the index of the range that has a number; -1: none has it.
func (s spans) find(n int32) int {
	return slices.IndexFunc(s, func(r [2]int32) bool { return r[0] <= n && n <= r[1] })
}

func byBegin(a, b [2]int32) int { return cmp.Compare(a[0], b[0]) }

func (s spans) isSorted() bool { return slices.IsSortedFunc(s, byBegin) }

// sorted returns the ranges in order. It joins adjacent ones.
func (s spans) sorted() spans {
	if s.isSorted() {
		return s
	}
	slices.SortFunc(s, byBegin)
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

// unread is the unread messages of an account. Its ranges may include messages that the account didn't receive.
type unread struct {
	ranges spans // of indexes of messages
	open   bool  // the next unread message extends the last range
	last   int32 // the newest message that the account received
}

// note records that the account received a message.
func (u *unread) note(at int32, read bool) {
	switch {
	case at > u.last && read:
		u.last, u.open = at, false
	case at > u.last && u.open:
		u.last, u.ranges[len(u.ranges)-1][1] = at, at
	case at > u.last:
		u.last, u.open, u.ranges = at, true, append(u.ranges, [2]int32{at, at})
	case read: // out of order
		u.remove(at)
	case u.ranges.find(at) < 0: // out of order
		u.ranges, u.open = append(spans{{at, at}}, u.ranges...), u.open && len(u.ranges) > 0
	}
}

// remove makes a message read.
func (u *unread) remove(at int32) {
	i := u.ranges.find(at)
	if i < 0 {
		return
	}
	isLast, r, rest := i == len(u.ranges)-1, u.ranges[i], spans(nil)
	if r[0] < at {
		rest = append(rest, [2]int32{r[0], at - 1})
	}
	if at < r[1] {
		rest = append(rest, [2]int32{at + 1, r[1]})
	}
	u.ranges, u.open = slices.Replace(u.ranges, i, i+1, rest...), u.open && !isLast
}

// marks returns up to which of all messages the account has read, and the ranges of ids of the unread ones among these, as a
// multirange of PostgreSQL; empty: none. ids are the ids of all messages, at least one. u may be nil: all are read.
func (u *unread) marks(ids []int64) (upto int64, again string) {
	upto = ids[len(ids)-1]
	if u == nil || len(u.ranges) == 0 {
		return upto, ""
	}
	ranges := u.ranges
	if newest := ranges[len(ranges)-1]; newest[1] == u.last && ranges.isSorted() {
		upto, ranges = ids[newest[0]]-1, ranges[:len(ranges)-1]
	}
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = fmt.Sprintf("[%d,%d]", ids[r[0]], ids[r[1]])
	}
	if len(texts) == 0 {
		return upto, ""
	}
	return upto, "{" + strings.Join(texts, ",") + "}"
}

// all makes the received messages from one to the newest unread.
func (u *unread) all(from, newest int32) {
	u.ranges = slices.DeleteFunc(u.ranges, func(r [2]int32) bool { return r[0] >= from })
	for i := range u.ranges {
		u.ranges[i][1] = min(u.ranges[i][1], from-1)
	}
	u.ranges, u.last, u.open = append(u.ranges, [2]int32{from, newest}), newest, true
}

// end returns the id after the last imported message.
func (r *readers) end() int64 {
	if len(r.ids) == 0 {
		return 1
	}
	return r.ids[len(r.ids)-1] + 1
}

package store

import (
	"math"
	"strconv"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// MessageRange selects some messages of a narrow: the newest or oldest ones with ids from First through Last, at most Limit.
type MessageRange struct {
	First, Last id.Message
	Newest      bool
	Limit       int // at least 1
	// Bytes is the approximate size of the answer, in bytes, at which [Tx.Messages] stops, but not before the first
	// message. 0: no limit.
	Bytes int
}

// lastMessage is larger than any message id.
const lastMessage = math.MaxInt64 - 1

// scan builds the steps of a statement that find the messages of one range. The step called name returns
// them, in a column message_id.
type scan struct {
	*builder
	MessageRange
	name string
}

// order returns the SQL that takes the first messages of the range.
func (s scan) order(column string) string {
	if s.Newest {
		return " order by " + column + " desc limit " + s.number(int64(s.Limit))
	}
	return " order by " + column + " limit " + s.number(int64(s.Limit))
}

// portion returns the size of the first portion, where portions grow.
func (s scan) portion() int { return max(100, 4*s.Limit) }

func (s scan) within(column string) string {
	return column + " >= " + s.number(int64(s.First)) + " and " + column + " <= " + s.number(int64(s.Last))
}

// steps returns the steps for the first of these terms, in this order, that the narrow has, or those of [scan.places]. What
// is unread, flagged, or mentions the reader comes before words: those can be in any number of messages.
func (s scan) steps() string {
	if among, ok := find[HasID](s.narrow); ok {
		return s.step("select i.message_id from (select distinct unnest(" + among.list(s.builder) + ") as message_id) i" + s.matching() +
			" where " + s.within("i.message_id") + s.order("message_id"))
	}
	if flags, ok := find[HasFlags](s.narrow); ok {
		return s.step(s.flags(" and "+flags.bits(), s.within("f.message_id"), s.filter(true)) + s.order("message_id"))
	}
	stream, topic := has[InStream](s.narrow), has[InTopic](s.narrow)
	switch {
	case has[IsUnread](s.narrow):
		return s.places()
	case has[InConversation](s.narrow), stream && topic && s.narrow.History:
		return s.step(s.direct(""))
	case has[IsMentioned](s.narrow):
		return s.mentions()
	case has[HasWords](s.narrow):
		return s.search()
	case has[IsPrivate](s.narrow), has[InGroupWith](s.narrow):
		return s.places()
	case has[SentBy](s.narrow) && !topic: // with a topic, its index is more selective
		return s.search()
	case stream && s.narrow.History:
		return s.step(s.direct(""))
	}
	return s.places()
}

func (s scan) step(query string) string { return s.name + " as materialized (\n\t" + query + "\n)" }

// direct returns a query that scans an index of messages, which PostgreSQL chooses by the terms.
func (s scan) direct(more string) string {
	return "(select m.message_id from messages m where " + s.within("m.message_id") + more + " and " + s.filter(true) + s.order("m.message_id") + ")"
}

// flags returns a query that scans the reader's rows of flags.
func (s scan) flags(more, within, filter string) string {
	return "select f.message_id from message_flags f cross join lateral (select from messages m where m.message_id = f.message_id and " +
		filter + " offset 0) m where f.user_id = " + s.reader() + " and " + within + more
}

// matching returns a join that keeps only the ids i.message_id whose messages match.
func (s scan) matching() string {
	return " cross join lateral (select from messages m where m.message_id = i.message_id and " + s.filter(false) + " offset 0) m"
}

// mentions returns the step that scans the messages that mention the reader, and those that mention everybody.
func (s scan) mentions() string {
	own := s.flags(" and "+HasFlags{event.Mentioned}.bits(), s.within("f.message_id"), s.filter(true)) + s.order("message_id")
	return s.step("select message_id from ((" + own + ") union " + s.direct(" and "+mentionsAll) + ") found" + s.order("message_id"))
}

// maxPlaces is the maximum number of places, and of messages that the reader flagged, to which a search is restricted.
const maxPlaces = 1000

// search returns the steps that take the messages with the words, if any, and from the sender, if there is one, in growing
// portions, until enough of them match the other terms. Without history, they are where the reader may have messages; the
// first portion, which usually suffices, may also be elsewhere between these, since it takes less planning.
func (s scan) search() string {
	words, stream, sender, width := "null", "null", "null", 2*s.Limit // most of a sender's messages match
	if c, ok := find[HasWords](s.narrow); ok {
		words, width = s.arg(c.Words, "text"), s.portion()
	}
	if c, ok := find[InStream](s.narrow); ok {
		stream = s.number(int64(c.Stream))
	}
	if c, ok := find[SentBy](s.narrow); ok {
		sender = s.number(int64(c.Sender))
	}
	start, first, last, next := "e.first", "w.since", "e.last", " + 1"
	if s.Newest {
		start, first, last, next = "e.last", "e.first", "w.since", " - 1"
	}
	return s.edges() + fill(`,
{name}_portions (since, width, found, ids, more) as (
	select {start}, {width}::integer, 0, '{}'::bigint[], e.first <= e.last from {name}_edges e
	union all
	select portion.ids[cardinality(portion.ids)]{next}, least(w.width * 4, 100000), w.found + cardinality(kept.ids), kept.ids, cardinality(portion.ids) = w.width
	from {name}_portions w
	cross join {name}_edges e
	cross join lateral (
		select find_messages({words}, {stream}, {sender}, case when w.width > {width} then e.streams end, e.conversations, e.marked, {first}, {last}, {newest}, w.width) as ids offset 0
	) portion
	cross join lateral (
		select coalesce(array_agg(found.message_id), '{}') as ids
		from (select i.message_id from unnest(portion.ids) i (message_id){matching}{order}) found
	) kept
	where w.found < {limit} and w.more
),
`,
		"{name}", s.name, "{start}", start, "{width}", s.number(int64(width)), "{next}", next, "{words}", words, "{stream}", stream,
		"{sender}", sender, "{first}", first, "{last}", last, "{newest}", strconv.FormatBool(s.Newest), "{matching}", s.matching(),
		"{order}", s.order("i.message_id"), "{limit}", s.number(int64(s.Limit))) +
		s.step("select unnest(w.ids) as message_id from "+s.name+"_portions w"+s.order("message_id"))
}

// edges returns the step with the ids between which the reader may have messages and, in streams, conversations and marked, where
// these are; streams is null if they may be anywhere, or at too many places.
func (s scan) edges() string {
	first, last := s.number(int64(s.First)), s.number(int64(s.Last))
	if s.narrow.History {
		return fill(`{name}_edges as materialized (
	select {first} as first, {last} as last, null::bigint[] as streams, null::bigint[] as conversations, null::bigint[] as marked
)`, "{name}", s.name, "{first}", first, "{last}", last)
	}
	marked := "'{}'::bigint[]"
	if s.marked() {
		marked = "array(select f.message_id from message_flags f where f.user_id = " + s.reader() + " and " + s.within("f.message_id") +
			" limit " + s.number(maxPlaces+1) + ")"
	}
	return fill(`{name}_edges as materialized (
	select greatest({first}, coalesce(min(b.first), {last} + 1)) as first, least({last}, max(b.last)) as last,
		case when count(b.first) <= {places} and cardinality(f.ids) <= {places} then array_remove(array_agg(b.stream), null) end as streams,
		array_remove(array_agg(b.conversation), null) as conversations, f.ids as marked
	from (select {marked} as ids offset 0) f left join ({bounds}{marked place}) b on b.first <= {last} and b.last >= {first}
	group by f.ids
)`,
		"{name}", s.name, "{first}", first, "{last}", last, "{places}", s.number(maxPlaces), "{marked}", marked,
		"{bounds}", s.bounds(), "{marked place}", s.markedPlace())
}

// find returns the first term of a type that isn't negated.
func find[C Condition](n Narrow) (c C, ok bool) {
	for _, term := range n.Terms {
		if c, ok = term.Condition.(C); ok && !term.Negated {
			return c, true
		}
	}
	return c, false
}

func has[C Condition](n Narrow) bool {
	_, ok := find[C](n)
	return ok
}

package store

// places merges the messages of the streams and conversations where candidates may be. Their bounds are
// computed in separate steps, since row-level security of messages would otherwise keep them from using its
// indexes. The search proceeds in windows of ids that grow away from the anchor until it has found enough, so the
// cost depends on the number of messages wanted, not on the number of messages stored.
func (s scan) places() string {
	direction, first, last, start, low, high, next, more := "desc", "b.first", "newest.message_id", "max(p.last)",
		"w.since - w.width + 1", "w.since", "w.since - w.width", "w.since >= (select min(p.first) from "+s.name+"_places p)"
	if !s.Newest {
		direction, first, last, start, low, high, next, more = "", "newest.message_id", "b.last", "min(p.first)",
			"w.since", "w.since + w.width - 1", "w.since + w.width", "w.since <= (select max(p.last) from "+s.name+"_places p)"
	}
	topic := ""
	if c, ok := find[InTopic](s.narrow); ok { // uses the index of topics where it is selective
		topic = " and m.topic_key = lower(" + s.arg(c.Topic, "text") + ")"
	}
	inPlace := func(place string) string {
		return fill(`(select m.message_id from messages m
				where m.{place}_id = p.{place} and m.message_id >= p.first and m.message_id <= p.last and {filter}{order})`,
			"{place}", place, "{filter}", s.filter(true), "{order}", s.order("m.message_id"))
	}
	found := inPlace("stream") + "\n\t\t\tunion all " + inPlace("conversation")
	if s.marked() {
		found += "\n\t\t\tunion all (" + s.flags(" and p.stream is null and p.conversation is null",
			"f.message_id >= p.first and f.message_id <= p.last", s.filter(true)) + s.order("f.message_id") + ")"
	}
	if has[IsUnread](s.narrow) {
		found += "\n\t\t\tunion all " + s.again()
	}
	return fill(`{name}_bounds as materialized ({bounds}
),
{name}_end as materialized (
	select least({last id}, coalesce((select m.message_id from messages m order by m.message_id desc limit 1), 0)) as last
),
{name}_places as materialized (
	select b.stream, b.conversation, {place first} as first, {place last} as last
	from (
		select b.stream, b.conversation, greatest(b.first, {first id}) as first, least(b.last, e.last) as last
		from {name}_bounds b cross join {name}_end e
		where b.last >= {first id} and b.first <= e.last
		offset 0
	) b cross join lateral (
		(select m.message_id from messages m where m.stream_id = b.stream and m.message_id >= b.first and m.message_id <= b.last{topic}
			order by m.message_id {direction} limit 1)
		union all
		(select m.message_id from messages m where m.conversation_id = b.conversation and m.message_id >= b.first and m.message_id <= b.last
			order by m.message_id {direction} limit 1)
	) newest{marked}{again}
),
{name}_windows (since, width, found, ids) as (
	select {start}, {width}, 0::bigint, '{}'::bigint[] from {name}_places p
	union all
	select {next}, w.width * 4, w.found + cardinality(portion.ids), portion.ids
	from {name}_windows w cross join lateral (
		select coalesce(array_agg(found.message_id), '{}') as ids from (
			select distinct found.message_id from (
				select p.stream, p.conversation, greatest(p.first, {low}) as first, least(p.last, {high}) as last
				from {name}_places p where p.last >= {low} and p.first <= {high}
				offset 0
			) p cross join lateral (
			{found}
			) found{order}
		) found
	) portion
	where w.found < {limit} and {more}
),
`,
		"{name}", s.name, "{bounds}", s.bounds(), "{first id}", s.number(int64(s.First)), "{last id}", s.number(int64(s.Last)),
		"{place first}", first, "{place last}", last, "{topic}", topic, "{direction}", direction, "{marked}", s.markedPlace(), "{again}", s.againPlace(),
		"{start}", start, "{width}", s.number(int64(s.portion())), "{next}", next, "{low}", low, "{high}", high,
		"{found}", found, "{order}", s.order("found.message_id"), "{limit}", s.number(int64(s.Limit)), "{more}", more) +
		s.step("select unnest(w.ids) as message_id from "+s.name+"_windows w"+s.order("message_id"))
}

// bounds returns the query for the ranges of ids where candidates may be, by stream and conversation.
func (s scan) bounds() string {
	if s.narrow.History && !has[IsUnread](s.narrow) { // public streams; narrows to one stream use its index instead
		return `
	select s.stream_id as stream, null::bigint as conversation, 1::bigint as first, ` + s.number(lastMessage) + ` as last
	from streams s where not s.invite_only`
	}
	received, all := "s.received", "int8multirange(int8range(1, null))"
	if has[IsUnread](s.narrow) {
		// Messages outside of these ranges are read, or marked as unread again: then againPlace has them.
		received = "s.received * int8multirange(int8range(greatest(o.read_upto, s.read_upto) + 1, null))"
		all = "int8multirange(int8range(greatest(o.read_upto, c.read_upto) + 1, null))"
	}
	streams, conversations := "", ""
	if c, ok := find[InStream](s.narrow); ok {
		streams += " and s.stream_id = " + s.number(int64(c.Stream))
		conversations = " and false"
	}
	if has[InTopic](s.narrow) || has[InPublicStreams](s.narrow) {
		conversations = " and false"
	}
	if c, ok := find[InHome](s.narrow); ok && !c.TopicsOnly {
		streams += " and not (s.active and s.muted)"
	}
	if has[IsPrivate](s.narrow) {
		streams += " and false"
	}
	if c, ok := find[InConversation](s.narrow); ok {
		streams += " and false"
		conversations += " and c.conversation_id = " + s.number(int64(c.Conversation))
	}
	if c, ok := find[InGroupWith](s.narrow); ok {
		streams += " and false"
		conversations += " and c.conversation_id in (" + c.groups(s.builder) + ")"
	}
	return fill(`
	select s.stream_id as stream, null::bigint as conversation, coalesce(lower(r), 0) as first, coalesce(upper(r) - 1, {max}) as last
	from own o cross join subscriptions s cross join lateral unnest({received}) r
	where s.user_id = {reader}{streams}
	union all
	select null, c.conversation_id, coalesce(lower(r), 0), coalesce(upper(r) - 1, {max})
	from own o cross join conversation_members c cross join lateral unnest({all}) r
	where c.user_id = {reader}{conversations}`,
		"{max}", s.number(lastMessage), "{received}", received, "{reader}", s.reader(), "{streams}", streams, "{all}", all,
		"{conversations}", conversations)
}

// marked reports whether candidates include messages that the reader flagged without having received them.
func (s scan) marked() bool {
	return !s.narrow.History && (s.narrow.IsBot || !has[IsUnread](s.narrow)) && !has[IsPrivate](s.narrow) && !has[InConversation](s.narrow) && !has[InGroupWith](s.narrow)
}

// markedPlace returns the query for a further place: the range of the reader's rows of flags.
func (s scan) markedPlace() string {
	if !s.marked() {
		return ""
	}
	edge := func(order string) string {
		return "(select f.message_id from message_flags f where f.user_id = " + s.reader() + " and " + s.within("f.message_id") +
			" order by f.message_id" + order + " limit 1)"
	}
	return "\n\tunion all\n\tselect null::bigint as stream, null::bigint as conversation, f.first, f.last from (select " + edge("") + " as first, " + edge(" desc") + " as last) f where f.first is not null"
}

// again returns the query for the messages in the place of [scan.againPlace]. It looks each up, in whatever stream or conversation it
// is: a place for each of them in every stream would be as many as both numbers multiplied.
func (s scan) again() string {
	return `(select m.message_id from own o
				cross join lateral unnest(o.again * int8multirange(int8range(p.first, p.last, '[]'))) part
				cross join lateral generate_series(lower(part), upper(part) - 1) again (id)
				cross join lateral (select * from messages a where a.message_id = again.id offset 0) m
				where p.stream is null and p.conversation is null and ` + s.filter(true) + s.order("m.message_id") + `)`
}

// againPlace returns the query for a further place: the range of what the reader has marked as unread again.
func (s scan) againPlace() string {
	if !has[IsUnread](s.narrow) {
		return ""
	}
	return fill(`
	union all
	select null::bigint as stream, null::bigint as conversation, lower(a.ids), upper(a.ids) - 1
	from (select o.again * int8multirange(int8range({first}, null) * int8range(null, {last}, '[]')) as ids from own o) a
	where not isempty(a.ids)`,
		"{first}", s.number(int64(s.First)), "{last}", s.number(int64(s.Last)))
}

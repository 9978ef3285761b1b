package storetest

// InsertMessages returns a statement that stores the rows of a query as messages. The columns of the query must have
// the names of the table's columns. It may omit columns with a default here, which are all except org_id, sender_id,
// and stream_id or conversation_id. "returning" may follow the statement. For a new column of messages, only this
// statement must change.
func InsertMessages(query string) string {
	return `insert into messages (org_id, message_id, sender_id, stream_id, conversation_id, topic, content, rendered, renderer, client, flags, sent_at)
		select m.org_id, coalesce(m.message_id, nextval('message_ids')), m.sender_id, m.stream_id, m.conversation_id, coalesce(m.topic, ''),
			coalesce(m.content, 'x'), coalesce(m.rendered, m.content, 'x'), coalesce(m.renderer, 1), coalesce(m.client, 'test'), coalesce(m.flags, 0),
			coalesce(m.sent_at, now())
		from (` + query + `) given, jsonb_populate_record(null::messages, to_jsonb(given)) m`
}

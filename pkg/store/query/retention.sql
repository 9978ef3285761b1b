-- The queries in this file find messages that have been kept for their number of days (rest-api.md, section 8.9).
--

-- name: RetainingOrganizations :many
-- Returns the organizations that limit for how many days messages are kept, in all streams or in some.
select o.org_id from organizations o
where not o.deleting and (coalesce((o.settings ->> 'message_retention_days')::bigint, -1) > 0
    or exists (select from streams s where s.org_id = o.org_id and s.retention_days > 0))
order by o.org_id;

-- name: StreamsToRetire :many
-- Returns the streams whose oldest message is older than they keep messages, and for how many days they keep them. days
-- applies to streams without a number of their own. A number above most_days counts as most_days.
select k.stream_id, k.days::int as days
from (select s.stream_id, s.first_message_id, least(coalesce(s.retention_days, @days::int), @most_days::int) as days from streams s) k
join messages m on m.message_id = k.first_message_id
where k.days > 0 and m.sent_at < @at::timestamptz - k.days * interval '1 day'
order by k.stream_id;

-- name: FirstMessageSince :one
select first_message_since(@since::timestamptz)::bigint as message_id;

-- name: OldStreamMessages :many
-- Returns the messages sent before a time, of those with ids less than before. Ids are usually in the order of times,
-- but a message must not be deleted because they aren't.
select message_id from messages
where stream_id = @stream_id and message_id > @after::bigint and message_id < @before::bigint and sent_at < @before_time::timestamptz
order by message_id limit @max_rows;

-- name: OldPrivateMessages :many
-- As OldStreamMessages.
select message_id from messages
where conversation_id = @conversation_id and message_id > @after::bigint and message_id < @before::bigint and sent_at < @before_time::timestamptz
order by message_id limit @max_rows;

-- name: ConversationsAfter :many
-- Returns the next conversations after an id, and whether each has messages with ids less than before.
select c.conversation_id, exists (select from messages m
    where m.org_id = c.org_id and m.conversation_id = c.conversation_id and m.message_id < @before::bigint)::bool as old
from (select * from conversations v where v.conversation_id > @after::bigint order by v.conversation_id limit @max_rows) c
order by c.conversation_id;

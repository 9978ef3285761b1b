-- name: MarkSentRead :exec
-- Marks messages that were just sent to streams as read for those of the users who are subscribed. There is one message
-- in each stream, all with the same topic. The lists of streams and messages are parallel. It locks the users' rows, as
-- whoever changes their own marks does: mark_read writes what it has read before.
with readers as materialized (
    select user_id from users where user_id = any (@user_ids::bigint[]) order by user_id for no key update
)
insert into topic_marks (user_id, stream_id, topic_key, read)
select s.user_id, s.stream_id, lower(@topic::text), int8multirange(int8range(sent.message_id, sent.message_id, '[]'))
from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@message_ids::bigint[]) as message_id) sent
join subscriptions s on s.stream_id = sent.stream_id and s.user_id in (select r.user_id from readers r) and s.active
on conflict (org_id, user_id, stream_id, topic_key) do update set read = topic_marks.read + excluded.read;

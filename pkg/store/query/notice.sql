-- name: MarkSentRead :exec
-- Marks messages that were just sent to streams as read for those of the users who are subscribed. There is one message
-- in each stream, all with the same topic. The lists of streams and messages are parallel. [LockAccount] must have been
-- called for the users.
insert into topic_marks (user_id, stream_id, topic_key, read)
select s.user_id, s.stream_id, lower(@topic::text), int8multirange(int8range(sent.message_id, sent.message_id, '[]'))
from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@message_ids::bigint[]) as message_id) sent
join subscriptions s on s.stream_id = sent.stream_id and s.user_id = any (@user_ids::bigint[]) and s.active
on conflict (org_id, user_id, stream_id, topic_key) do update set read = topic_marks.read + excluded.read;

-- name: MarkSentRead :exec
-- For those of the users who are subscribed, a message that was just sent to a stream is read.
insert into topic_marks (user_id, stream_id, topic_key, read)
select s.user_id, s.stream_id, lower(@topic::text), int8multirange(int8range(@message_id::bigint, @message_id::bigint, '[]'))
from subscriptions s
where s.stream_id = @stream_id and s.user_id = any (@user_ids::bigint[]) and s.active
on conflict (org_id, user_id, stream_id, topic_key) do update set read = topic_marks.read + excluded.read;

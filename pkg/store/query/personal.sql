-- name: LockAccount :exec
-- Comes before a transaction's first write, so that changes of what is one account's alone, and the
-- events about them, have one order.
select from users where user_id = @user_id for no key update;

-- name: MutedTopics :many
-- Those of active streams.
select t.stream_id, t.topic, t.muted_at
from muted_topics t
join streams s on s.org_id = t.org_id and s.stream_id = t.stream_id
where t.user_id = @user_id and not s.deactivated
order by t.muted_at, t.stream_id, t.topic;

-- name: MuteTopic :execrows
insert into muted_topics (user_id, stream_id, topic) values (@user_id, @stream_id, @topic)
on conflict do nothing;

-- name: UnmuteTopic :execrows
delete from muted_topics where user_id = @user_id and stream_id = @stream_id and topic_key = lower(@topic::text);

-- name: LockAccount :exec
-- Locks an account until the transaction ends. It must be called before the transaction's first write, so that changes
-- of what belongs to this account alone, and the events about them, have the same order. The lock on the row wouldn't
-- ensure that alone, as in [LockOrganization]: other transactions change the row. mark_read takes the same locks.
with turn as materialized (select pg_advisory_xact_lock(39, hashint8(@user_id::bigint)))
select from turn, users u where u.user_id = @user_id for no key update of u;

-- name: MutedTopics :many
-- Returns the topics of active streams that somebody has muted, in the order in which they were muted.
select t.topic, t.muted_at, sqlc.embed(s),
    exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id and u.active)::bool
        as subscribed
from muted_topics t
join streams s on s.org_id = t.org_id and s.stream_id = t.stream_id
where t.user_id = @user_id and not s.deactivated
order by t.muted_at, t.stream_id, t.topic;

-- name: MuteTopic :execrows
insert into muted_topics (user_id, stream_id, topic) values (@user_id, @stream_id, @topic)
on conflict do nothing;

-- name: UnmuteTopic :execrows
delete from muted_topics where user_id = @user_id and stream_id = @stream_id and topic_key = lower(@topic::text);

-- name: OwnSubscriptions :many
-- Returns the streams with these ids, and whether somebody is subscribed to each.
select sqlc.embed(s),
    exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id and u.active)::bool
        as subscribed
from streams s
where s.stream_id = any (@stream_ids::bigint[]);

-- name: SetSubscriptionColors :exec
update subscriptions s set color = c.color
from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@colors::text[]) as color) c
where s.user_id = @user_id and s.stream_id = c.stream_id;

-- name: SetSubscriptionFlags :exec
-- Sets one property, named as in the API, of several subscriptions. The lists are parallel.
update subscriptions s
set muted = case when @property::text = 'is_muted' then c.value else s.muted end,
    pin_to_top = case when @property = 'pin_to_top' then c.value else s.pin_to_top end,
    desktop_notifications = case when @property = 'desktop_notifications' then c.value else s.desktop_notifications end,
    audible_notifications = case when @property = 'audible_notifications' then c.value else s.audible_notifications end,
    push_notifications = case when @property = 'push_notifications' then c.value else s.push_notifications end,
    email_notifications = case when @property = 'email_notifications' then c.value else s.email_notifications end,
    wildcard_mentions_notify = case when @property = 'wildcard_mentions_notify' then c.value else s.wildcard_mentions_notify end
from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@values::bool[]) as value) c
where s.user_id = @user_id and s.stream_id = c.stream_id;

-- name: Subscribed :one
select exists (select from subscriptions where stream_id = @stream_id and user_id = @user_id and active)::bool as subscribed;

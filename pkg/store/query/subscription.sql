-- Changes of subscriptions hold the stream's lock. So no message of the stream has an id of next_message_id() or more
-- yet, and every later one will.
--

-- name: SubscriptionsAmong :many
select stream_id, user_id, active from subscriptions
where stream_id = any (@stream_ids::bigint[]) and user_id = any (@user_ids::bigint[]);

-- name: ColorsOf :many
select user_id, color from subscriptions where user_id = any (@user_ids::bigint[]);

-- name: Subscribe :many
-- Subscribes users to streams. Former subscribers keep their color and settings. The lists are parallel.
insert into subscriptions (stream_id, user_id, color, received)
select unnest(@stream_ids::bigint[]), unnest(@user_ids::bigint[]), unnest(@colors::text[]),
    int8multirange(int8range(next_message_id(), null))
on conflict (org_id, stream_id, user_id) do update
    set active = true, received = subscriptions.received + excluded.received
returning *;

-- name: ReceiveHistory :exec
-- Makes a new account a receiver of earlier messages in the public streams that it is subscribed to: of the newest
-- messages since a time, up to max_rows. The newest of them, as many as unread says, are unread.
with fresh as materialized (
    select s.stream_id, lower(s.received) as joined
    from subscriptions s join streams t on t.org_id = s.org_id and t.stream_id = s.stream_id
    where s.user_id = @user_id and s.active and s.read_upto = 0 and not t.invite_only and not t.deactivated
    order by s.stream_id limit @max_rows::int
),
bounds as materialized (select first_message_since(@since::timestamptz) as first),
newest as materialized (
    select m.message_id
    from fresh f cross join bounds b cross join lateral (
        select m.message_id from messages m
        where m.stream_id = f.stream_id and m.message_id >= b.first and m.message_id < f.joined
        order by m.message_id desc limit @max_rows::int
    ) m
    order by m.message_id desc limit @max_rows::int
),
read as (select n.message_id from newest n order by n.message_id desc offset @unread::int limit 1)
update subscriptions s
set received = s.received + int8multirange(int8range((select min(n.message_id) from newest n), f.joined)),
    read_upto = coalesce((select r.message_id from read r), 0)
from fresh f
where s.stream_id = f.stream_id and s.user_id = @user_id and f.joined > (select min(n.message_id) from newest n);

-- name: Unsubscribe :exec
update subscriptions s
set active = false, received = s.received * int8multirange(int8range(null, coalesce(u.away_since, next_message_id())))
from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@user_ids::bigint[]) as user_id) gone, users u
where s.stream_id = gone.stream_id and s.user_id = gone.user_id and s.active and u.org_id = s.org_id and u.user_id = s.user_id;

-- name: AwaySince :one
select away_since from users where user_id = @user_id;

-- name: ForgetAbsence :exec
-- Makes messages that were sent while an account was deactivated, from missed to before, ones that it hasn't received.
update subscriptions s set received = s.received - int8multirange(away.span)
from (select int8range(@missed::bigint, @before::bigint) as span) away
where s.user_id = @user_id and s.stream_id = any (@stream_ids::bigint[]) and s.received && away.span;

-- name: SubscribedAfter :many
-- Returns the next accounts that are subscribed to a stream, in ascending order, including deactivated ones.
select user_id from subscriptions where stream_id = @stream_id and active and user_id > @after
order by user_id limit @max_rows::int;

-- name: SubscribersOf :many
-- Returns the subscribers of streams in no order, including deactivated accounts, because it is faster to filter and
-- sort half a million of them in the caller. subscribers_xid is the transaction that last changed them, in the same
-- snapshot.
select s.stream_id, s.subscribers_xid, coalesce(u.user_ids, '{}')::bigint[] as user_ids
from streams s left join (
    select stream_id, array_agg(user_id) as user_ids
    from subscriptions
    where stream_id = any (@stream_ids::bigint[]) and active
    group by stream_id
) u on u.stream_id = s.stream_id
where s.stream_id = any (@stream_ids::bigint[]);

-- name: SubscriptionsOf :many
select sqlc.embed(s), sqlc.embed(u)
from subscriptions u
join streams s on s.org_id = u.org_id and s.stream_id = u.stream_id
where u.user_id = @user_id and not s.deactivated and (u.active or @inactive_too::bool)
order by s.name collate "C";

-- name: StreamsNeverSubscribed :many
select s.* from streams s
where not s.deactivated and (@private_too::bool or not s.invite_only)
    and not exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id)
order by s.name collate "C";

-- name: RecentMessageCounts :many
select stream_id::bigint as stream_id, count(*) as messages from messages
where stream_id = any (@stream_ids::bigint[]) and message_id >= (select first_message_since(@since::timestamptz))
group by stream_id;

-- name: LockStreamsOf :exec
-- Takes the locks of the next streams that accounts are subscribed to, in ascending order, as LockSubscriptions does. It
-- must come before the transaction's first write.
select pg_advisory_xact_lock(s.stream_id) from (
    select distinct u.stream_id from subscriptions u
    where u.user_id = any (@user_ids::bigint[]) and u.active and u.stream_id > @after::bigint
    order by u.stream_id limit @max_rows::int) s;

-- name: StreamsWith :many
-- Returns the next active streams that an account is subscribed to, by id, and whether it is alone there: no other active
-- account is subscribed. With lonely, it returns only public streams where it is alone.
select sqlc.embed(s), others.are_none::bool as alone
from subscriptions own
join streams s on s.org_id = own.org_id and s.stream_id = own.stream_id
cross join lateral (select not exists (select from subscriptions u join users a on a.org_id = u.org_id and a.user_id = u.user_id
    where u.org_id = s.org_id and u.stream_id = s.stream_id and u.active and a.active and u.user_id <> @user_id) as are_none) others
where own.user_id = @user_id and own.active and not s.deactivated and own.stream_id > @after::bigint
    and (not @lonely::bool or not s.invite_only and others.are_none)
order by own.stream_id limit @max_rows::int;

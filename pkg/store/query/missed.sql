-- The queries in this file find the messages that people miss (docs/decisions/0021-missed-messages.md).
--

-- name: StalePlaces :one
-- Reports whether a shard has no place, or a place ahead of the database, as after a restore from a dump.
select exists (
    select from installation, generate_series(0, shards - 1) s left join missed_places p on p.shard = s
    where p.shard is null or p.xid > pg_snapshot_xmin(pg_current_snapshot()))::bool;

-- name: AddMissedPlaces :exec
-- Sets the place of each shard without one to the end of its log, so that the log is searched from now on. It also does
-- so for places ahead of the database, since these belong to another history of the log.
insert into missed_places (shard, xid, id)
select s, pg_snapshot_xmin(pg_current_snapshot()), 0 from installation, generate_series(0, shards - 1) s
on conflict (shard) do update set xid = excluded.xid, id = 0 where missed_places.xid > excluded.xid;

-- name: MissedPlaces :many
-- Returns the shards whose logs have settled events after their places, except those that another process has leased. Only
-- the next event of each shard is read: PostgreSQL would read the whole log for an "exists".
select p.shard from missed_places p
where p.due_at <= now() and (
    select l.xid from event_log l
    where l.shard = p.shard and (l.xid, l.id) > (p.xid, p.id)
    order by l.xid, l.id limit 1) < pg_snapshot_xmin(pg_current_snapshot());

-- name: ClaimMissedPlace :execrows
-- Leases a shard's place. Affects no row if another process has the lease.
update missed_places set due_at = now() + make_interval(secs => @lease_seconds::float8) where shard = @shard and due_at <= now();

-- name: KeepMissedPlace :exec
-- Renews the lease of a shard's place.
update missed_places set due_at = now() + make_interval(secs => @lease_seconds::float8) where shard = @shard;

-- name: ReleaseMissedPlace :exec
-- Ends the lease of a shard's place.
update missed_places set due_at = now() where shard = @shard;

-- name: LogOfMessages :many
-- Returns the next settled events after a shard's place in the order of the log, up to the number max_rows. message is the
-- id of the new message that an event is about, or of the edited message if the edit mentions people whom the message didn't
-- mention before: those in notify. Otherwise it is 0. The place isn't joined: PostgreSQL would read the log from its beginning.
select l.xid, l.id, l.org_id,
    coalesce(case
        when l.type = 'message' then substring(left(l.payload, 60) from '^\{"type":"message","message":\{"id":(\d+)')
        when l.type = 'update_message' and l.audience like '%"notify":[%'
            then substring(left(l.payload, 150) from '^\{"type":"update_message","user_id":\d+,"edit_timestamp":\d+,"message_id":(\d+)')
    end, '0')::bigint as message,
    case when l.type = 'update_message' and l.audience like '%"notify":[%'
        then array(select jsonb_array_elements_text(l.audience::jsonb -> 'notify')::bigint) else '{}' end::bigint[] as notify
from event_log l
where l.shard = @shard and l.xid < pg_snapshot_xmin(pg_current_snapshot())
    and (l.xid, l.id) > ((select p.xid from missed_places p where p.shard = @shard), (select p.id from missed_places p where p.shard = @shard))
order by l.xid, l.id
limit @max_rows::integer;

-- name: MoveMissedPlace :exec
-- Moves a shard's place forward and ends the lease.
update missed_places set xid = @xid::xid8, id = @upto::bigint, due_at = now() where shard = @shard and (xid, id) < (@xid::xid8, @upto::bigint);

-- name: Concerned :many
-- Returns people with ids greater than after whom messages by others may concern, ordered by id. own are the messages
-- in a person's conversations, those that mention the person, and those that mention everybody in a stream that the
-- person is subscribed to. heard are the messages of streams in which the person may want to be notified of every
-- message. A message may be in both lists. If among isn't empty, it returns nobody else.
with new as materialized (
    select m.message_id, m.sender_id, m.stream_id, m.conversation_id, m.flags from messages m where m.message_id = any (@message_ids::bigint[])
),
streams as materialized (
    select n.stream_id, array_agg(n.message_id) as all_of, array_agg(n.message_id) filter (where n.flags & @mentions_all::smallint <> 0) as to_all
    from new n where n.stream_id is not null group by n.stream_id
),
concerned as (
    select p.user_id, n.message_id, false as heard
    from new n join conversations c on c.conversation_id = n.conversation_id cross join lateral unnest(c.members) p (user_id)
    where p.user_id > @after::bigint
    union all
    select f.user_id, n.message_id, false
    from new n join message_flags f on f.message_id = n.message_id
    where f.flags & @mentioned::smallint <> 0 and f.user_id > @after
    union all
    select s.user_id, m.message_id, false
    from streams n join subscriptions s on s.stream_id = n.stream_id cross join lateral unnest(n.to_all) m (message_id)
    where n.to_all is not null and s.active and s.user_id > @after
    union all
    select s.user_id, m.message_id, true
    from streams n join subscriptions s on s.stream_id = n.stream_id cross join lateral unnest(n.all_of) m (message_id)
    where s.active and (s.email_notifications or s.push_notifications) and s.user_id > @after
    union all
    select s.user_id, m.message_id, true
    from streams n join users u on u.settings @> '{"enable_stream_email_notifications": true}'
        or u.settings @> '{"enable_stream_push_notifications": true}'
    join subscriptions s on s.org_id = u.org_id and s.stream_id = n.stream_id and s.user_id = u.user_id
    cross join lateral unnest(n.all_of) m (message_id)
    where s.active and not s.muted and u.user_id > @after
)
select sqlc.embed(u), c.own::bigint[] as own, c.heard::bigint[] as heard,
    exists (select from push_devices d where d.org_id = u.org_id and d.user_id = u.user_id)::bool as has_devices
from (
    select c.user_id, coalesce(array_agg(distinct c.message_id) filter (where not c.heard), '{}') as own,
        coalesce(array_agg(distinct c.message_id) filter (where c.heard), '{}') as heard
    from concerned c
    join new n on n.message_id = c.message_id and n.sender_id <> c.user_id
    where cardinality(@among::bigint[]) = 0 or c.user_id = any (@among::bigint[])
    group by c.user_id order by c.user_id limit @max_rows::integer
) c
join users u on u.user_id = c.user_id
order by u.user_id;

-- name: AddMissed :exec
-- Adds messages about which people may have to be mailed. If there are more than max_rows, it keeps private messages and
-- mentions first, and then the newest. An account is due after wait_seconds, or as before if messages have been waiting
-- already.
insert into missed_mails as old (user_id, messages, due_at)
select n.user_id, n.messages, now() + make_interval(secs => @wait_seconds::float8)
from (
    select u.user_id, array_agg(m.message_id order by m.message_id) as messages
    from (select unnest(@user_ids::bigint[]) as user_id, unnest(@message_ids::bigint[]) as message_id) m
    join (select distinct unnest(@user_ids::bigint[]) as user_id) u on u.user_id = m.user_id
    group by u.user_id order by u.user_id
) n
on conflict (org_id, user_id) do update set
    messages = case when cardinality(old.messages || excluded.messages) <= @max_rows::integer
        then array(select distinct k from unnest(old.messages || excluded.messages) k order by k)
        else array(select k.message_id from (
            select w.message_id from (select distinct unnest(old.messages || excluded.messages) as message_id) w
            order by coalesce((
                select m.conversation_id is not null or m.flags & @mentions_all::smallint <> 0 from messages m
                where m.org_id = old.org_id and m.message_id = w.message_id
            ) or (
                select f.flags & @mentioned::smallint <> 0 from message_flags f
                where f.org_id = old.org_id and f.user_id = old.user_id and f.message_id = w.message_id
            ), false) desc, w.message_id desc
            limit @max_rows) k order by k.message_id) end,
    due_at = coalesce(old.due_at, excluded.due_at);

-- name: DueMissed :many
-- Returns the accounts of all organizations that are due, the longest waiting first.
select org_id, user_id from missed_mails where due_at < now() order by due_at limit @max_rows::integer;

-- name: MissedOf :one
select messages, due_at::timestamptz as due_at, hour, mails from missed_mails where user_id = @user_id and due_at < now();

-- name: EndMissed :execrows
-- Removes the messages that are done. If messages are left, the account is due after wait_seconds. Affects no row if
-- another process has done so since due_at was read.
update missed_mails m set
    messages = array(select k from unnest(m.messages) k where k <> all (@done::bigint[])),
    due_at = case when m.messages <@ @done::bigint[] then null else now() + make_interval(secs => @wait_seconds::float8) end,
    hour = @hour, mails = @mails
where m.user_id = @user_id and m.due_at = @due_at::timestamptz;

-- name: Unread :many
-- Returns those of the messages that somebody received from others and hasn't read, with their current content and with
-- the facts that decide, together with the account's settings, whether to notify.
select m.message_id, m.sender_id, sender.full_name as sender_name, coalesce(m.stream_id, 0)::bigint as stream_id, coalesce(m.conversation_id, 0)::bigint as conversation_id,
    coalesce(st.name, '')::text as stream_name, coalesce(v.members, '{}')::bigint[] as members, m.topic, m.topic_key, m.rendered, m.sent_at,
    greatest(m.sent_at, m.edited_at)::timestamptz as changed_at,
    (m.flags & @mentions_all::smallint <> 0)::bool as to_all, (coalesce(f.flags, 0) & @mentioned::smallint <> 0)::bool as mentioned,
    (coalesce(s.muted, false) or t.user_id is not null)::bool as muted,
    s.email_notifications, s.push_notifications, s.wildcard_mentions_notify
from users u
join messages m on m.message_id = any (@message_ids::bigint[])
join users sender on sender.org_id = m.org_id and sender.user_id = m.sender_id
left join streams st on st.org_id = m.org_id and st.stream_id = m.stream_id and not st.deactivated
left join subscriptions s on s.org_id = m.org_id and s.stream_id = st.stream_id and s.user_id = u.user_id and s.active and s.received @> m.message_id
left join conversations v on v.org_id = m.org_id and v.conversation_id = m.conversation_id
left join conversation_members c on c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = u.user_id
left join topic_marks k on k.org_id = m.org_id and k.user_id = u.user_id and k.stream_id = m.stream_id and k.topic_key = m.topic_key
left join unread_again a on a.org_id = m.org_id and a.user_id = u.user_id
left join message_flags f on f.org_id = m.org_id and f.user_id = u.user_id and f.message_id = m.message_id
left join muted_topics t on t.org_id = m.org_id and t.user_id = u.user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
where u.user_id = @user_id and m.sender_id <> u.user_id and (s.user_id is not null or c.user_id is not null)
    and not is_read(m.message_id, false, m.flags, greatest(u.read_upto, s.read_upto, c.read_upto, k.read_upto), coalesce(k.read, c.read), a.messages)
order by m.message_id;

-- name: SaidBefore :many
-- Returns the newest messages of a conversation before a message, the newest first.
select m.message_id, sender.full_name as sender_name, m.rendered, m.sent_at
from messages m
join users sender on sender.org_id = m.org_id and sender.user_id = m.sender_id
where m.conversation_id = nullif(@conversation_id::bigint, 0) and m.message_id < @before::bigint
order by m.message_id desc limit @max_rows::integer;

-- name: SaidBeforeInTopic :many
-- Returns the newest messages of a topic that somebody received before a message, the newest first.
select m.message_id, sender.full_name as sender_name, m.rendered, m.sent_at
from subscriptions s
join messages m on m.org_id = s.org_id and m.stream_id = s.stream_id and m.topic_key = @topic_key
join users sender on sender.org_id = m.org_id and sender.user_id = m.sender_id
where s.stream_id = @stream_id and s.user_id = @user_id and s.received @> m.message_id and m.message_id < @before::bigint
order by m.message_id desc limit @max_rows::integer;

-- name: IdlePeople :many
-- Returns those of the accounts that were created before a time and, as far as their marks show, have neither read nor
-- sent anything since then.
with since as materialized (select first_message_since(@since::timestamptz) as first)
select u.user_id
from users u cross join since
where u.user_id = any (@user_ids::bigint[]) and u.joined_at < @since::timestamptz and u.read_upto < since.first
    and not exists (select from subscriptions s where s.org_id = u.org_id and s.user_id = u.user_id and s.read_upto >= since.first)
    and not exists (select from conversation_members c where c.org_id = u.org_id and c.user_id = u.user_id and c.read_upto >= since.first)
    and not exists (select from messages m where m.org_id = u.org_id and m.sender_id = u.user_id and m.message_id >= since.first)
order by u.user_id;

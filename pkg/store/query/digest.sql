-- The queries in this file are about digests (docs/decisions/0021-missed-messages.md).
--

-- name: DueDigests :many
-- Returns the active organizations whose digests are sent on this weekday (0: Monday; 1 is the default), unless all of
-- their people have got the digest of this day.
select o.org_id from organizations o
left join digests d on d.org_id = o.org_id
where not o.deactivated and o.settings @> '{"digest_emails_enabled": true}' and coalesce((o.settings ->> 'digest_weekday')::integer, 1) = @weekday::integer
    and (d.day is null or d.day < @day::date or not d.done)
order by o.org_id;

-- name: DigestOf :one
select user_id::bigint as after, done from digests where day = @day::date;

-- name: MoveDigest :execrows
-- Records that all accounts up to upto have got the digest of a day, and, if done is set, that there are no more
-- accounts. after is what DigestOf returned. Affects no row if another process has recorded progress since then.
insert into digests as old (day, user_id, done) values (@day::date, @upto::bigint, @done::boolean)
on conflict (org_id) do update set day = excluded.day, user_id = excluded.user_id, done = excluded.done
where old.day < excluded.day or old.day = excluded.day and old.user_id = @after::bigint and not old.done;

-- name: HotTopics :many
-- Returns the topics in which the most people have written since a time, in streams that somebody is subscribed to,
-- except muted streams and topics. The parameters streams and each limit how many streams it looks at, and at how many
-- of each stream's newest messages. It counts the messages that the account received from people. cut reports that the
-- topic may have more messages than were counted, because its stream reached the limit.
with since as materialized (select first_message_since(@since::timestamptz) as first),
streams as materialized (
    select s.org_id, s.stream_id, s.received, st.name from subscriptions s join streams st on st.org_id = s.org_id and st.stream_id = s.stream_id
    where s.user_id = @user_id and s.active and not s.muted and not st.deactivated
    order by s.stream_id limit @streams::integer
)
select t.stream_id::bigint as stream_id, t.name::text as stream_name, t.topic_key::text as topic_key, max(t.topic)::text as topic,
    count(*)::integer as messages, bool_or(t.seen = @each::integer)::bool as cut, count(distinct t.sender_id)::integer as senders, max(t.message_id)::bigint as newest
from (
    select s.stream_id, s.name, m.topic_key, m.topic, m.sender_id, m.message_id, m.seen
    from streams s cross join since cross join lateral (
        select newest.*, count(*) over () as seen from (
            select m.org_id, m.topic_key, m.topic, m.sender_id, m.message_id from messages m
            where m.org_id = s.org_id and m.stream_id = s.stream_id and m.message_id >= since.first
            order by m.message_id desc limit @each::integer
        ) newest
    ) m
    join users sender on sender.org_id = m.org_id and sender.user_id = m.sender_id and sender.bot_type is null
    where s.received @> m.message_id
) t
where not exists (select from muted_topics k where k.user_id = @user_id and k.stream_id = t.stream_id and k.topic_key = t.topic_key)
group by t.stream_id, t.name, t.topic_key
order by senders desc, messages desc, newest desc
limit @max_rows::integer;

-- name: NewStreams :many
-- Returns active public streams that were created since a time and that somebody isn't subscribed to, the newest first.
-- With "not exists", a plan for all parameters compares each stream with each subscription.
select s.name, s.description from streams s
where s.created_at >= @since::timestamptz and not s.deactivated and not s.invite_only
    and s.stream_id not in (select b.stream_id from subscriptions b where b.user_id = @user_id and b.active)
order by s.stream_id desc limit @max_rows::integer;

-- name: UnreadMessages :many
-- Returns the newest messages that a user received and hasn't read, up to max_messages, in ascending order.
--
-- The bounds of index scans are computed in separate steps, because row-level security of messages would otherwise keep
-- PostgreSQL from using its indexes for them. The search goes back in windows of ids, each four times as wide as the
-- one before, until it has found enough: so the cost depends on how many messages are returned, not on how many are
-- unread. Few messages above the marks of streams are read, because AdvanceMarks advances those marks.
with recursive
bounds as materialized (
    -- The ranges that may contain unread messages. Before their beginnings, all messages are read except those in
    -- unread_again.
    select s.stream_id as stream, null::bigint as conversation, s.muted,
        greatest(lower(r), s.read_upto + 1, u.read_upto + 1) as first, coalesce(upper(r), 9223372036854775807) as behind
    from users u
    join subscriptions s on s.org_id = u.org_id and s.user_id = u.user_id
    cross join lateral unnest(s.received) r
    where u.user_id = @user_id and s.active
    union all
    select null, c.conversation_id, false, lower(r), coalesce(upper(r), 9223372036854775807)
    from users u
    join conversation_members c on c.org_id = u.org_id and c.user_id = u.user_id
    cross join lateral unnest(int8multirange(int8range(greatest(c.read_upto, u.read_upto) + 1, null)) - c.read) r
    where u.user_id = @user_id
),
places as materialized (
    -- The ranges that contain messages, with the newest message of each.
    select b.stream, b.conversation, b.muted, b.first, newest.message_id as last
    from bounds b cross join lateral (
        (select m.message_id from messages m
            where m.stream_id = b.stream and m.message_id >= b.first and m.message_id < b.behind
            order by m.message_id desc limit 1)
        union all
        (select m.message_id from messages m
            where m.conversation_id = b.conversation and m.message_id >= b.first and m.message_id < b.behind
            order by m.message_id desc limit 1)
    ) newest
),
windows (since, width, found) as (
    select max(p.last) + 1, 100000::bigint, 0::bigint from places p
    union all
    select w.since - w.width, w.width * 4, w.found + more.found
    from windows w cross join lateral (
        select count(*) as found
        from (
            select p.stream, p.conversation, greatest(p.first, w.since - w.width) as first, least(p.last, w.since - 1) as last
            from places p where p.last >= w.since - w.width and p.first < w.since
            offset 0
        ) p cross join lateral (
            (select m.message_id from messages m
                left join topic_marks t on t.org_id = m.org_id and t.user_id = @user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
                where m.stream_id = p.stream and m.message_id >= p.first and m.message_id <= p.last
                    and not is_read(m.message_id, m.sender_id = @user_id, m.flags, coalesce(t.read_upto, 0), t.read, null)
                order by m.message_id desc limit @max_messages::int)
            union all
            (select m.message_id from messages m
                where m.conversation_id = p.conversation and m.message_id >= p.first and m.message_id <= p.last
                    and not is_read(m.message_id, m.sender_id = @user_id, m.flags, 0, null, null)
                order by m.message_id desc limit @max_messages::int)
        ) unread
    ) more
    where w.found < @max_messages::int and w.since > (select min(p.first) from places p)
),
since as materialized (select min(w.since) as message_id from windows w),
again as materialized (
    -- Messages that were marked as unread although they are below the marks or are the user's own.
    select m.message_id, m.sender_id, m.topic, m.flags, m.stream_id as stream, m.conversation_id as conversation, coalesce(s.muted, false) as muted
    from unread_again a
    cross join lateral unnest(a.messages) part
    cross join lateral generate_series(lower(part), upper(part) - 1) again (id)
    cross join lateral (
        select m.* from messages m where m.message_id = again.id
        offset 0
    ) m
    left join subscriptions s on s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = @user_id
    left join conversation_members c on c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = @user_id
    where a.user_id = @user_id and (s.active and s.received @> m.message_id or c.user_id is not null)
),
found as materialized (
    select unread.message_id, unread.sender_id, unread.topic, unread.flags, p.stream, p.conversation, p.muted
    from (
        select p.stream, p.conversation, p.muted, greatest(p.first, since.message_id) as first, p.last
        from places p cross join since where p.last >= since.message_id
        offset 0
    ) p cross join lateral (
        (select m.message_id, m.sender_id, m.topic, m.flags from messages m
            left join topic_marks t on t.org_id = m.org_id and t.user_id = @user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
            where m.stream_id = p.stream and m.message_id >= p.first and m.message_id <= p.last
                and not is_read(m.message_id, m.sender_id = @user_id, m.flags, coalesce(t.read_upto, 0), t.read, null)
            order by m.message_id desc limit @max_messages::int)
        union all
        (select m.message_id, m.sender_id, m.topic, m.flags from messages m
            where m.conversation_id = p.conversation and m.message_id >= p.first and m.message_id <= p.last
                and not is_read(m.message_id, m.sender_id = @user_id, m.flags, 0, null, null)
            order by m.message_id desc limit @max_messages::int)
    ) unread
    union
    select * from again
    order by message_id desc limit @max_messages::int
),
muted as materialized (
    select t.stream_id, t.topic_key as topic from muted_topics t where t.user_id = @user_id
),
mentions as materialized (
    select f.message_id from message_flags f
    where f.user_id = @user_id and f.message_id >= (select min(found.message_id) from found)
        and f.flags & @mentioned::smallint <> 0
)
select found.message_id::bigint as message_id, found.sender_id::bigint as sender_id, coalesce(found.stream, 0)::bigint as stream_id,
    found.topic::text as topic, coalesce(c.members, '{}')::bigint[] as members,
    (found.muted or muted.topic is not null)::bool as muted, (mentions.message_id is not null)::bool as mentioned,
    (found.flags & @mentions_all::smallint <> 0)::bool as wildcard_mentioned
from found
left join muted on muted.stream_id = found.stream and muted.topic = lower(found.topic)
left join mentions on mentions.message_id = found.message_id
left join conversations c on c.conversation_id = found.conversation
order by found.message_id;

-- name: RecentConversations :many
-- Returns a user's private conversations with the newest message of each, the newest first.
select c.members, newest.message_id
from conversation_members own
join conversations c on c.org_id = own.org_id and c.conversation_id = own.conversation_id
cross join lateral (
    select m.message_id from messages m
    where m.conversation_id = own.conversation_id
    order by m.message_id desc limit 1
) newest
where own.user_id = @user_id
order by newest.message_id desc
limit @max_conversations::int;

-- name: StarredMessages :many
-- Returns the messages that a user has starred. The flag isn't a parameter, for the condition of an index: others may be
-- set in any number of rows.
select message_id from message_flags
where user_id = @user_id and flags & 2 <> 0
order by message_id;

-- name: StreamNames :many
-- Returns the names of the active streams among the given ones.
select stream_id, name from streams where stream_id = any (@stream_ids::bigint[]) and not deactivated;

-- name: MovedMarks :many
-- Returns how the marks of users change when messages are moved to another topic, so that what they have read stays
-- read. In a stream, a user has the messages that were sent while they were subscribed. Only users whose marks change
-- have a row. If topic is true, read_upto and read are the new marks of the destination topic. If other is true, again
-- is the new content of unread_again.
with moved as materialized (
    select m.org_id, m.message_id, m.sender_id, m.flags from messages m where m.message_id = any (@message_ids::bigint[])
),
points as materialized (
    select min(org_id) as org_id, min(message_id) as first, max(message_id) as last,
        int8range(min(message_id), max(message_id) + 1) as span, range_agg(int8range(message_id, message_id + 1)) as messages
    from moved having count(*) > 0
),
ordered as (
    -- The messages of the destination after the move, from the first to the last moved one.
    select m.message_id, false as is_moved
    from points p join messages m on m.org_id = p.org_id and m.stream_id = @to_stream::bigint and m.topic_key = lower(@to_topic::text)
        and m.message_id between p.first and p.last and m.message_id <> all (@message_ids::bigint[])
    union all
    select message_id, true from moved
),
numbered as (
    select message_id, is_moved, count(*) filter (where not is_moved) over (order by message_id) as run from ordered
),
runs as materialized (
    -- Ranges of moved messages without any other message of the destination between them.
    select coalesce(range_agg(run), '{}') as ranges
    from (select int8range(min(message_id), max(message_id) + 1) as run from numbered where is_moved group by numbered.run) r
),
own as materialized (
    select sender_id as user_id, range_agg(int8range(message_id, message_id + 1)) as messages
    from moved where flags & 2 <> 0 group by 1
),
readers as materialized (
    -- Marks before and after the move, as ranges of ids. There are few ranges, however many messages are moved.
    select u.user_id, s.received, coalesce(b.received, '{}') as received_before, a.messages as again,
        coalesce(b.received, '{}') - coalesce(o.read, '{}') - int8multirange(int8range(null, greatest(u.read_upto, b.read_upto, o.read_upto) + 1)) as unread,
        coalesce(n.read, '{}') + int8multirange(int8range(null, greatest(u.read_upto, s.read_upto, n.read_upto) + 1)) as after,
        greatest(u.read_upto, s.read_upto, n.read_upto) as upto, coalesce(n.read, '{}') as read
    from points p
    join subscriptions s on s.org_id = p.org_id and s.stream_id = @to_stream::bigint
    join users u on u.org_id = s.org_id and u.user_id = s.user_id
    left join subscriptions b on b.org_id = s.org_id and b.user_id = s.user_id and b.stream_id = @from_stream::bigint
    left join topic_marks o on o.org_id = s.org_id and o.user_id = s.user_id and o.stream_id = @from_stream::bigint and o.topic_key = lower(@from_topic::text)
    left join topic_marks n on n.org_id = s.org_id and n.user_id = s.user_id and n.stream_id = @to_stream::bigint and n.topic_key = lower(@to_topic::text)
    left join unread_again a on a.org_id = s.org_id and a.user_id = s.user_id
    -- For all other users, the same marks apply before and after, or the marks of both topics say that all are read.
    where (@from_stream::bigint <> @to_stream::bigint or o.user_id is not null or n.user_id is not null)
        and (least(greatest(u.read_upto, s.read_upto, n.read_upto), greatest(u.read_upto, b.read_upto, o.read_upto)) < p.last
            or @from_stream::bigint <> @to_stream::bigint and coalesce(a.messages && p.messages, false))
        -- Users who have read nothing between the first and the last moved message, in either topic, have nothing to
        -- preserve.
        and not (greatest(u.read_upto, b.read_upto, o.read_upto) < p.first and coalesce(b.received @> p.span, false)
            and not coalesce(o.read && p.span, false)
            and greatest(u.read_upto, s.read_upto, n.read_upto) < p.first and not coalesce(n.read && p.span, false)
            and not coalesce(a.messages && p.span, false))
),
changes as materialized (
    select r.user_id, r.upto, r.read, coalesce(r.again, '{}') as again,
        (select range_agg(part) from unnest(runs.ranges * r.received - r.unread - r.after) part where part && p.messages) as read_again,
        -- Messages that are read because the user sent them stay read in any topic.
        case when isempty(r.received * r.unread * r.after) then '{}'
            else p.messages * (r.received * r.unread * r.after) - coalesce(w.messages, '{}') end as holes,
        -- Old entries of unread_again, of messages that the user didn't have in the source and has because of the move.
        case when r.again is null then '{}' else r.again * p.messages * r.received - r.received_before end as stale
    from readers r cross join points p cross join runs
    left join own w on w.user_id = r.user_id
)
select c.user_id, (c.read_again is not null)::bool as topic, merged_upto(c.upto, c.read + coalesce(c.read_again, '{}'))::bigint as read_upto,
    (c.read + coalesce(c.read_again, '{}') - int8multirange(int8range(null, merged_upto(c.upto, c.read + coalesce(c.read_again, '{}')) + 1)))::text as read,
    (c.again - c.stale + c.holes <> c.again)::bool as other, (c.again - c.stale + c.holes)::text as again
from changes c
where c.read_again is not null or c.again - c.stale + c.holes <> c.again;

-- name: SaveTopicMarks :exec
-- Sets the marks of users in a topic. The lists are parallel.
insert into topic_marks (user_id, stream_id, topic_key, read_upto, read)
select unnest(@user_ids::bigint[]), @stream_id, lower(@topic::text), unnest(@read_uptos::bigint[]), unnest(@reads::text[])::int8multirange
on conflict (org_id, user_id, stream_id, topic_key) do update set read_upto = excluded.read_upto, read = excluded.read;

-- name: SaveUnreadAgain :exec
-- Sets which messages users have marked as unread again. The lists are parallel.
insert into unread_again (user_id, messages)
select unnest(@user_ids::bigint[]), unnest(@messages::text[])::int8multirange
on conflict (org_id, user_id) do update set messages = excluded.messages;

-- name: UnreadAmong :many
-- Returns which of a topic's messages, before they move to another stream, aren't unread any more for users who haven't read
-- them: for the given users, who lose them, and for those who are subscribed to both streams, but weren't subscribed to
-- the other one when the messages were sent. Users with the same unread messages share a row. There are at most max_rows of them,
-- those of the most users first.
with given as materialized (
    select m.org_id, m.message_id, m.sender_id, m.flags from messages m where m.message_id = any (@message_ids::bigint[])
),
points as materialized (
    select min(org_id) as org_id, range_agg(int8range(message_id, message_id + 1)) as messages from given having count(*) > 0
),
own as materialized (
    select sender_id as user_id, range_agg(int8range(message_id, message_id + 1)) as messages from given where flags & 2 <> 0 group by 1
),
unread as materialized (
    select s.user_id, p.messages * (s.received - coalesce(d.received, '{}')) * (coalesce(a.messages, '{}') + (p.messages - coalesce(o.messages, '{}') - coalesce(t.read, '{}')
        - int8multirange(int8range(null, greatest(u.read_upto, s.read_upto, t.read_upto) + 1)))) as messages
    from points p
    join subscriptions s on s.org_id = p.org_id and s.stream_id = @stream_id::bigint
    left join subscriptions d on d.org_id = s.org_id and d.user_id = s.user_id and d.stream_id = @to_stream::bigint and d.active
    join users u on u.org_id = s.org_id and u.user_id = s.user_id
    left join topic_marks t on t.org_id = s.org_id and t.user_id = s.user_id and t.stream_id = s.stream_id and t.topic_key = lower(@topic::text)
    left join unread_again a on a.org_id = s.org_id and a.user_id = s.user_id
    left join own o on o.user_id = s.user_id
    where s.user_id = any (@user_ids::bigint[]) or s.active and u.active and not d.received @> p.messages
)
select array(select generate_series(lower(part), upper(part) - 1) from unnest(n.messages) part order by 1)::bigint[] as messages,
    array_agg(n.user_id order by n.user_id)::bigint[] as user_ids
from unread n where not isempty(n.messages) group by n.messages order by count(*) desc, n.messages limit @max_rows::int;

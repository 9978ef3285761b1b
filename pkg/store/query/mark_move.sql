-- name: MoveMarks :exec
-- Keeps what people have read of messages that were moved to another topic; their rows say already
-- where they are. Of a stream, those have them who were subscribed when they were sent.
with moved as materialized (
    select m.org_id, m.message_id, m.sender_id, m.flags from messages m where m.message_id = any (@message_ids::bigint[])
),
points as materialized (
    select min(org_id) as org_id, min(message_id) as first, max(message_id) as last, range_agg(int8range(message_id, message_id + 1)) as messages
    from moved having count(*) > 0
),
ordered as (
    -- What is in the destination, from the first to the last of them.
    select m.message_id, m.message_id = any (@message_ids::bigint[]) as is_moved
    from points p join messages m on m.org_id = p.org_id and m.stream_id = @to_stream::bigint and m.topic_key = lower(@to_topic::text)
        and m.message_id between p.first and p.last
),
numbered as (
    select message_id, is_moved, count(*) filter (where not is_moved) over (order by message_id) as run from ordered
),
runs as materialized (
    -- Ranges of them without any other message of the destination.
    select coalesce(range_agg(run), '{}') as ranges
    from (select int8range(min(message_id), max(message_id) + 1) as run from numbered where is_moved group by numbered.run) r
),
own as materialized (
    select sender_id as user_id, range_agg(int8range(message_id, message_id + 1)) as messages
    from moved where flags & 2 <> 0 group by 1
),
readers as materialized (
    -- Ranges that are few, whatever the number of messages: what is before and after, in the order of ids.
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
    -- For all others, the same marks decide as before, or all of it is read by both.
    where (@from_stream::bigint <> @to_stream::bigint or o.user_id is not null or n.user_id is not null)
        and (least(greatest(u.read_upto, s.read_upto, n.read_upto), greatest(u.read_upto, b.read_upto, o.read_upto)) < p.last
            or @from_stream::bigint <> @to_stream::bigint and coalesce(a.messages && p.messages, false))
),
changes as materialized (
    select r.user_id, r.upto, r.read, coalesce(r.again, '{}') as again,
        (select range_agg(part) from unnest(runs.ranges * r.received - r.unread - r.after) part where part && p.messages) as read_again,
        -- What its sender saw stays read, wherever it is.
        case when isempty(r.received * r.unread * r.after) then '{}'
            else p.messages * (r.received * r.unread * r.after) - coalesce(w.messages, '{}') end as holes,
        -- What they once had, and have again by this move.
        case when r.again is null then '{}' else r.again * p.messages * r.received - r.received_before end as stale
    from readers r cross join points p cross join runs
    left join own w on w.user_id = r.user_id
),
to_topic as (
    insert into topic_marks (user_id, stream_id, topic_key, read_upto, read)
    select c.user_id, @to_stream::bigint, lower(@to_topic::text), merged_upto(c.upto, c.read + c.read_again),
        c.read + c.read_again - int8multirange(int8range(null, merged_upto(c.upto, c.read + c.read_again) + 1))
    from changes c where c.read_again is not null
    on conflict (org_id, user_id, stream_id, topic_key) do update set read_upto = excluded.read_upto, read = excluded.read
)
insert into unread_again (user_id, messages)
select c.user_id, c.again - c.stale + c.holes from changes c where c.again - c.stale + c.holes <> c.again
on conflict (org_id, user_id) do update set messages = excluded.messages;

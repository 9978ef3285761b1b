-- The queries in this file store what people have read (docs/decisions/0009-read-state.md). A range that is added to
-- the read column of a topic or conversation begins just after the message before it, so that ranges join if nothing
-- between them is unread. unread_again contains only exact ids. "offset 0" makes PostgreSQL look up each of these ids
-- by index, which it wouldn't do by itself because it overestimates their number by far.
--
-- Above somebody's marks may be any number of messages that they haven't received: those from before they joined, or from
-- while they were away. So searches begin at "first", the first message above the marks that they may have received. It is
-- null if there is none, and then nothing is found. "offset 0" makes it a condition of the index: a plan for all parameters
-- assumes that a topic has few messages, and would compare each of them with "first".
--

-- name: LockOwnMarks :exec
-- Takes the organization's lock on marks in shared mode until the transaction ends. It must be called before one's own
-- marks are read in order to change them, after the locks of streams and before [LockAccount]. Its key is negative
-- because the locks of streams and conversations have positive keys.
select pg_advisory_xact_lock_shared(-current_setting('app.org')::bigint);

-- name: LockAllMarks :exec
-- Takes the organization's lock on marks exclusively until the transaction ends, so that everyone who changes their own
-- marks waits. It must be called before the marks of others are read in order to change them, after the locks of
-- streams and before locks of rows.
select pg_advisory_xact_lock(-current_setting('app.org')::bigint);

-- name: PlacesOf :many
-- Returns the ids of the streams and conversations in which a user may get messages, in ascending order.
select s.stream_id::bigint as place from subscriptions s where s.user_id = @user_id and s.active
union all
select c.conversation_id from conversation_members c where c.user_id = @user_id
order by place;

-- name: UnreadInStreams :many
-- Returns which messages up to upto are unread in streams, in ascending order, for pairs of a stream and a user: the
-- newest max_messages, and all that were marked as unread again. Users with the same unread messages in a stream share
-- a row. Streams that a user has left are included. The lists of pairs are parallel.
with readers as materialized (
    select s.stream_id, s.user_id, s.received, a.messages as again,
        lower(s.received * int8multirange(int8range(greatest(u.read_upto, s.read_upto) + 1, null))) as first
    from (select unnest(@stream_ids::bigint[]) as stream_id, unnest(@user_ids::bigint[]) as user_id) pair
    join subscriptions s on s.stream_id = pair.stream_id and s.user_id = pair.user_id
    join users u on u.org_id = s.org_id and u.user_id = s.user_id
    left join unread_again a on a.org_id = s.org_id and a.user_id = s.user_id
),
unread as (
    select r.stream_id, r.user_id, m.message_id
    from readers r cross join lateral (
        select m.message_id
        from messages m
        left join topic_marks t on t.org_id = m.org_id and t.user_id = r.user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
        where m.stream_id = r.stream_id and m.message_id >= r.first and m.message_id <= @upto::bigint and r.received @> m.message_id
            and not is_read(m.message_id, m.sender_id = r.user_id, m.flags, coalesce(t.read_upto, 0), t.read, null)
        order by m.message_id desc limit @max_messages::int
    ) m
    union
    select r.stream_id, r.user_id, m.message_id
    from readers r
    cross join lateral unnest(r.again) part
    cross join lateral generate_series(lower(part), upper(part) - 1) again (id)
    cross join lateral (
        select m.message_id from messages m where m.message_id = again.id and m.stream_id = r.stream_id
        offset 0
    ) m
    where again.id <= @upto::bigint and r.received @> again.id
),
lists as (
    select stream_id, user_id, array_agg(message_id order by message_id) as messages from unread group by 1, 2
)
select stream_id, messages::bigint[] as messages, array_agg(user_id order by user_id)::bigint[] as user_ids
from lists group by 1, 2 order by 1, 3;

-- name: UnreadInStream :many
-- Returns which messages up to upto are unread for a user in a stream, in ascending order, except those that
-- [UnreadAgain] returns.
with reader as materialized (
    select s.received, lower(s.received * int8multirange(int8range(greatest(u.read_upto, s.read_upto) + 1, null))) as first
    from subscriptions s join users u on u.org_id = s.org_id and u.user_id = s.user_id
    where s.stream_id = @stream_id and s.user_id = @user_id
)
select m.message_id
from reader r cross join lateral (
    select m.message_id from messages m
    left join topic_marks t on t.org_id = m.org_id and t.user_id = @user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
    where m.stream_id = @stream_id and m.message_id >= r.first and m.message_id <= @upto::bigint
        and r.received @> m.message_id and not is_read(m.message_id, m.sender_id = @user_id, m.flags, coalesce(t.read_upto, 0), t.read, null)
    offset 0
) m
order by m.message_id;

-- name: UnreadInTopic :many
-- Returns the same as [UnreadInStream] for a topic.
with reader as materialized (
    select s.received, t.read,
        lower(s.received * int8multirange(int8range(greatest(u.read_upto, s.read_upto, t.read_upto) + 1, null))) as first
    from subscriptions s
    join users u on u.org_id = s.org_id and u.user_id = s.user_id
    left join topic_marks t on t.org_id = s.org_id and t.user_id = s.user_id and t.stream_id = s.stream_id and t.topic_key = lower(@topic::text)
    where s.stream_id = @stream_id and s.user_id = @user_id
)
select m.message_id
from reader r cross join lateral (
    select m.message_id from messages m
    where m.stream_id = @stream_id and m.topic_key = lower(@topic::text) and m.message_id >= r.first and m.message_id <= @upto::bigint
        and r.received @> m.message_id and not is_read(m.message_id, m.sender_id = @user_id, m.flags, 0, r.read, null)
    offset 0
) m
order by m.message_id;

-- name: UnreadAgain :many
-- Returns which messages up to upto a user has marked as unread again in a stream, or in one of its topics if it isn't
-- empty, in ascending order. It looks at all of the user's, so it isn't for transactions that have written.
with held as materialized (
    select a.messages * s.received * int8multirange(int8range(null, @upto::bigint, '[]')) as messages
    from subscriptions s join unread_again a on a.org_id = s.org_id and a.user_id = s.user_id
    where s.stream_id = @stream_id and s.user_id = @user_id
)
select m.message_id
from held h
cross join lateral unnest(h.messages) part
cross join lateral generate_series(lower(part), upper(part) - 1) again (id)
cross join lateral (
    select m.message_id from messages m
    where m.message_id = again.id and m.stream_id = @stream_id and (@topic::text = '' or m.topic_key = lower(@topic))
    offset 0
) m
order by m.message_id;

-- name: PortionsOfStream :many
-- Returns the last message of each full portion when the messages in a stream that a user may have received above their
-- mark, up to but not including upto, are divided into portions of the given size. The caller marks one portion in each
-- transaction.
with reader as materialized (
    select s.stream_id, lower(s.received * int8multirange(int8range(greatest(u.read_upto, s.read_upto) + 1, null))) as first
    from subscriptions s join users u on u.org_id = s.org_id and u.user_id = s.user_id
    where s.stream_id = @stream_id and s.user_id = @user_id
)
select numbered.message_id from (
    select m.message_id, row_number() over (order by m.message_id) as number
    from reader r cross join lateral (
        select m.message_id from messages m
        where m.stream_id = r.stream_id and m.message_id >= r.first and m.message_id < @upto::bigint
    ) m
) numbered
where numbered.number % @portion::int = 0
order by 1;

-- name: PortionsOfTopic :many
-- Returns the same as [PortionsOfStream] for a topic.
with reader as materialized (
    select s.stream_id, lower(s.received * int8multirange(int8range(greatest(u.read_upto, s.read_upto, t.read_upto) + 1, null))) as first
    from subscriptions s join users u on u.org_id = s.org_id and u.user_id = s.user_id
    left join topic_marks t on t.org_id = s.org_id and t.user_id = s.user_id and t.stream_id = s.stream_id and t.topic_key = lower(@topic::text)
    where s.stream_id = @stream_id and s.user_id = @user_id
)
select numbered.message_id from (
    select m.message_id, row_number() over (order by m.message_id) as number
    from reader r cross join lateral (
        select m.message_id from messages m
        where m.stream_id = r.stream_id and m.topic_key = lower(@topic::text) and m.message_id >= r.first and m.message_id < @upto::bigint
        offset 0
    ) m
) numbered
where numbered.number % @portion::int = 0
order by 1;

-- name: HoldsTopic :one
-- Reports whether a user received or flagged a message of a topic. It looks at none of the messages from before they
-- joined, and then at those that they flagged, rather than at all of the topic's, of which there may be any number.
with ranges as materialized (
    select coalesce(lower(r), 0) as first, coalesce(upper(r) - 1, 9223372036854775806) as last
    from subscriptions s cross join lateral unnest(s.received) r
    where s.stream_id = @stream_id and s.user_id = @user_id
),
edges as materialized (
    select
        (select m.message_id from messages m where m.stream_id = @stream_id and m.topic_key = lower(@topic::text) order by m.message_id limit 1) as first,
        (select m.message_id from messages m where m.stream_id = @stream_id and m.topic_key = lower(@topic) order by m.message_id desc limit 1) as last
)
select (exists (
    select from ranges r cross join lateral (
        select from messages m
        where m.stream_id = @stream_id and m.topic_key = lower(@topic) and m.message_id >= r.first and m.message_id <= r.last
        limit 1
    ) m
) or exists (
    select from edges e
    cross join lateral (
        select f.message_id from message_flags f
        where f.user_id = @user_id and f.message_id >= e.first and f.message_id <= e.last
        offset 0
    ) f
    cross join lateral (
        select from messages m where m.message_id = f.message_id and m.stream_id = @stream_id and m.topic_key = lower(@topic)
        offset 0
    ) m
))::bool as holds;

-- name: ReadEverything :exec
update users set read_upto = greatest(read_upto, @upto::bigint) where user_id = @user_id;

-- name: ForgetUnreadAgain :exec
delete from unread_again where user_id = @user_id;

-- name: ReadAgain :exec
-- Removes messages from those that a user has marked as unread again.
with others as (
    select range_agg(int8range(id, id + 1)) as messages from unnest(@messages::bigint[]) id
)
update unread_again a set messages = a.messages - o.messages
from others o
where a.user_id = @user_id and a.messages && o.messages;

-- name: ReadStream :exec
update subscriptions set read_upto = greatest(read_upto, @upto::bigint) where user_id = @user_id and stream_id = @stream_id;

-- name: LeaveStreams :one
-- Marks all messages in streams as read, except those that were marked as unread again, for pairs of a stream and a user
-- whose subscription has ended. Marks of topics are redundant then: the query deletes them, up to the number max_rows, and
-- returns how many it deleted. The lists of pairs are parallel.
with pairs as materialized (
    select unnest(@stream_ids::bigint[]) as stream_id, unnest(@user_ids::bigint[]) as user_id
),
subscribed as (
    update subscriptions s set read_upto = greatest(s.read_upto, next_message_id() - 1)
    from pairs p where s.stream_id = p.stream_id and s.user_id = p.user_id
),
topics as (
    delete from topic_marks where ctid = any (array(
        select t.ctid from pairs p cross join lateral (
            select t.ctid from topic_marks t where t.stream_id = p.stream_id and t.user_id = p.user_id
            order by t.topic_key limit @max_rows::int
        ) t
        limit @max_rows::int
    ))
    returning 1
)
select count(*) from topics;

-- name: UnreadAgainElsewhere :many
-- Returns what remains of what users have marked as unread again without the messages in streams, for pairs of a stream
-- and a user, where that changes it. It looks at all of a user's, so it isn't for transactions that have written. The
-- lists of pairs are parallel.
with pairs as materialized (
    select unnest(@stream_ids::bigint[]) as stream_id, unnest(@user_ids::bigint[]) as user_id
),
there as materialized (
    select p.user_id, range_agg(int8range(m.message_id, m.message_id + 1)) as messages
    from pairs p
    join unread_again a on a.user_id = p.user_id
    cross join lateral unnest(a.messages) part
    cross join lateral generate_series(lower(part), upper(part) - 1) again (id)
    cross join lateral (
        select m.message_id from messages m where m.message_id = again.id and m.stream_id = p.stream_id
        offset 0
    ) m
    group by p.user_id
)
select a.user_id, (a.messages - t.messages)::text as messages
from there t join unread_again a on a.user_id = t.user_id;

-- name: ForgetTopicMarks :execrows
-- Deletes up to max_rows marks of topics that are redundant because the marks of their streams cover them, for pairs of a
-- stream and a user. The lists of pairs are parallel.
with pairs as materialized (
    select unnest(@stream_ids::bigint[]) as stream_id, unnest(@user_ids::bigint[]) as user_id
)
delete from topic_marks where ctid = any (array(
    select t.ctid from pairs p
    join subscriptions s on s.stream_id = p.stream_id and s.user_id = p.user_id
    cross join lateral (
        select t.ctid from topic_marks t
        where t.stream_id = s.stream_id and t.user_id = s.user_id and t.read_upto <= s.read_upto and t.read <@ int8range(null, s.read_upto + 1)
        order by t.topic_key limit @max_rows::int
    ) t
    limit @max_rows::int
));

-- name: ReadTopic :exec
insert into topic_marks (user_id, stream_id, topic_key, read_upto)
select s.user_id, s.stream_id, lower(@topic::text), @upto::bigint
from subscriptions s where s.user_id = @user_id and s.stream_id = @stream_id
on conflict (org_id, user_id, stream_id, topic_key) do update
    set read_upto = greatest(topic_marks.read_upto, excluded.read_upto),
        read = topic_marks.read - int8multirange(int8range(null, excluded.read_upto + 1));

-- name: AdvanceMarks :one
select advance_marks(@user_id, @stream_ids::bigint[], '{}', @upto, @look, @ranges)::bigint[] as left_streams;

-- name: HeldMessages :many
select h.message_id::bigint as message_id, h.received::bool as received, h.place::bigint as place from held_messages(@user_id, @message_ids::bigint[]) h;

-- name: MarkDelivered :exec
-- Marks as read those of the messages that were delivered to a bot (2048) without a subscription.
update message_flags set flags = flags | 1
where user_id = @user_id and message_id = any (@message_ids::bigint[]) and flags & 2049 = 2048;

-- name: ReadDelivered :many
-- Marks as read up to max_messages of those up to upto that were delivered to a bot (2048) without a subscription, and returns them:
-- those of a stream and a topic, if these aren't zero and empty.
update message_flags f set flags = f.flags | 1
where f.user_id = @user_id and f.flags & 2049 = 2048 and f.message_id = any (array(
    select d.message_id from message_flags d
    join messages m on m.org_id = d.org_id and m.message_id = d.message_id
    where d.user_id = @user_id and d.flags & 2049 = 2048
        and d.message_id <= @upto::bigint and (@stream_id::bigint = 0 or m.stream_id = @stream_id) and (@topic::text = '' or m.topic_key = lower(@topic))
    order by d.message_id limit @max_messages::int
))
returning f.message_id;

-- name: UnmarkDelivered :exec
update message_flags set flags = flags & ~ 1::smallint
where user_id = @user_id and message_id = any (@message_ids::bigint[]) and flags & 2049 = 2049;

-- name: MarkUnread :exec
-- Marks as unread those of the messages that the user received.
with given as materialized (
    select m.message_id, m.stream_id, m.conversation_id, m.topic_key,
        m.message_id <= greatest(u.read_upto, s.read_upto, t.read_upto, c.read_upto) or m.sender_id = @user_id and m.flags & 2 <> 0 as covered
    from messages m
    join users u on u.org_id = m.org_id and u.user_id = @user_id
    left join subscriptions s on s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = @user_id
    left join topic_marks t on t.org_id = m.org_id and t.user_id = @user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
    left join conversation_members c on c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = @user_id
    where m.message_id = any (@message_ids::bigint[]) and (s.received @> m.message_id or c.user_id is not null)
),
in_topics as (
    update topic_marks t set read = t.read - g.messages
    from (select stream_id, topic_key, range_agg(int8range(message_id, message_id + 1)) as messages from given group by 1, 2) g
    where t.user_id = @user_id and t.stream_id = g.stream_id and t.topic_key = g.topic_key and t.read && g.messages
),
in_conversations as (
    update conversation_members c set read = c.read - g.messages
    from (select conversation_id, range_agg(int8range(message_id, message_id + 1)) as messages from given group by 1) g
    where c.user_id = @user_id and c.conversation_id = g.conversation_id and c.read && g.messages
)
insert into unread_again (user_id, messages)
select @user_id, range_agg(int8range(message_id, message_id + 1)) from given where covered having count(*) > 0
on conflict (org_id, user_id) do update set messages = unread_again.messages + excluded.messages;

-- name: AddPersonalFlags :exec
-- Adds flags to messages for a user. It skips messages that have been deleted.
insert into message_flags (user_id, message_id, flags)
select @user_id, there.message_id, @flags::smallint from (
    select m.message_id from messages m where m.message_id = any (@message_ids::bigint[]) order by m.message_id for key share
) there
on conflict (org_id, user_id, message_id) do update set flags = message_flags.flags | excluded.flags;

-- name: DropPersonalFlags :exec
-- Deletes the rows of messages that have only this flag.
delete from message_flags where user_id = @user_id and message_id = any (@message_ids::bigint[]) and flags = @flag::smallint;

-- name: RemovePersonalFlag :exec
update message_flags set flags = flags & ~ @flag::smallint
where user_id = @user_id and message_id = any (@message_ids::bigint[]) and flags & @flag::smallint <> 0;

-- name: FlagsOfStreamMessage :many
-- Returns the flags and the read state of a stream's message for everyone who is subscribed to the stream, or who
-- received or flagged the message. flagged reports whether the account has a row of flags for it. What wasn't received is
-- read, unless it was delivered to a bot (2048) that hasn't marked it as read (1).
with message as materialized (
    select m.org_id, m.message_id, m.stream_id, m.topic_key, m.sender_id, m.flags from messages m where m.message_id = @message_id
)
select s.user_id, coalesce(f.flags, 0)::smallint as flags, (s.received @> m.message_id)::bool as received, (f.user_id is not null)::bool as flagged,
    (case when s.received @> m.message_id then is_read(m.message_id, m.sender_id = s.user_id, m.flags,
        greatest(u.read_upto, s.read_upto, t.read_upto), t.read, a.messages) else coalesce(f.flags, 0) & 2049 <> 2048 end)::bool as read
from message m
join subscriptions s on s.org_id = m.org_id and s.stream_id = m.stream_id
join users u on u.org_id = m.org_id and u.user_id = s.user_id
left join topic_marks t on t.org_id = m.org_id and t.user_id = s.user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
left join unread_again a on a.org_id = m.org_id and a.user_id = s.user_id
left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = s.user_id
where s.active or s.received @> m.message_id or f.user_id is not null
union all
select f.user_id, f.flags, false, true, f.flags & 2049 <> 2048
from message m
join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id
where not exists (select from subscriptions s where s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = f.user_id);

-- name: FlagsOfPrivateMessage :many
-- Returns the same as FlagsOfStreamMessage for the participants of a private message's conversation.
select c.user_id, coalesce(f.flags, 0)::smallint as flags, true as received, (f.user_id is not null)::bool as flagged,
    is_read(m.message_id, m.sender_id = c.user_id, m.flags, greatest(u.read_upto, c.read_upto), c.read, a.messages)::bool as read
from messages m
join conversations v on v.org_id = m.org_id and v.conversation_id = m.conversation_id
join conversation_members c on c.org_id = v.org_id and c.conversation_id = v.conversation_id and c.user_id = any (v.members)
join users u on u.org_id = c.org_id and u.user_id = c.user_id
left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = c.user_id
left join unread_again a on a.org_id = c.org_id and a.user_id = c.user_id
where m.message_id = @message_id;

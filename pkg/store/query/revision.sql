-- Changes of messages. Each takes the lock of where the message is before its first write, as a send
-- does (send_message): shared, where it concerns one message's content or reactions, and exclusively,
-- where messages come, go or get another topic. So no change of subscriptions comes between the
-- audience and the place in the event log, and all changes of where messages are come one after another.

-- name: HoldPlace :exec
select pg_advisory_xact_lock_shared(@place::bigint);

-- name: LockPlace :exec
select pg_advisory_xact_lock(@place::bigint);

-- name: LockMessage :many
-- The message's id, or nothing where it is gone.
select message_id from messages where message_id = @message_id for update;

-- name: LockMessages :exec
-- What is added to messages waits until the transaction ends, and what is being added is there to see.
select from messages where message_id = any (@message_ids::bigint[]) order by message_id for update;

-- name: ReviseMessage :exec
-- The content only where it is given, and with it the flags, except for those to keep, which others may set meanwhile. Of the
-- edits, the newest are kept: a number, and bytes unless it is a single one.
update messages
set content = coalesce(sqlc.narg('content')::text, content), rendered = coalesce(sqlc.narg('rendered')::text, rendered),
    renderer = coalesce(sqlc.narg('renderer')::smallint, renderer), flags = coalesce(sqlc.narg('flags')::smallint | (flags & @kept_flags::smallint), flags),
    edits = (select jsonb_agg(kept.edit order by kept.at) from (
        select e.edit, e.at, sum(octet_length(e.edit::text)) over (order by e.at) as bytes
        from jsonb_array_elements(jsonb_build_array(@edit::jsonb) || coalesce(messages.edits, '[]')) with ordinality as e(edit, at)
    ) kept where kept.at <= @most::int and (kept.at = 1 or kept.bytes <= @most_bytes::int)),
    edited_at = @edited_at::timestamptz
where message_id = @message_id;

-- name: ClearFlag :exec
-- For all but the users.
update message_flags set flags = flags - @flag::smallint
where message_id = @message_id and flags & @flag::smallint <> 0 and not user_id = any (@user_ids::bigint[]);

-- name: SetFlag :exec
-- For those of the users who have the message.
insert into message_flags (user_id, message_id, flags)
select u.user_id, @message_id, @flag::smallint
from unnest(@user_ids::bigint[]) u (user_id)
where exists (select from subscriptions s
        where s.stream_id = @stream_id::bigint and s.user_id = u.user_id and s.received @> @message_id::bigint)
    or exists (select from conversation_members c
        where c.conversation_id = @conversation_id::bigint and c.user_id = u.user_id)
    or exists (select from message_flags f where f.user_id = u.user_id and f.message_id = @message_id)
on conflict (org_id, user_id, message_id) do update set flags = message_flags.flags | excluded.flags;

-- name: MessagesOfTopic :many
-- The first of those with ids in a range. Of a stream whose history isn't public, those that a reader received.
select m.message_id, m.topic from messages m
where m.stream_id = @stream_id and m.topic_key = lower(@topic::text) and m.message_id >= @since and m.message_id <= @upto::bigint
    and (@every::bool or m.message_id <@ (select s.received from subscriptions s
        where s.stream_id = @stream_id and s.user_id = @reader::bigint))
order by m.message_id
limit @most::int;

-- name: NewestMessageID :one
-- In a stream whose lock is held alone, every later message has a greater one.
select (next_message_id() - 1)::bigint;

-- name: MoveToStream :exec
-- Their topics aren't set to what they are: all that is generated from them would be made again.
update messages set stream_id = @stream_id where message_id = any (@message_ids::bigint[]);

-- name: MoveToTopic :exec
update messages set stream_id = @stream_id, topic = @topic where message_id = any (@message_ids::bigint[]);

-- name: LeftBehind :many
-- Who had a message in one stream and isn't in another: those subscribed, and former subscribers among
-- the guests, who had it in their history.
select o.user_id, (u.role = @guest::smallint)::bool as guest
from subscriptions o
join users u on u.org_id = o.org_id and u.user_id = o.user_id
where o.stream_id = @stream_id and (o.active or u.role = @guest::smallint and o.received @> @message_id::bigint)
    and not exists (select from subscriptions n
        where n.org_id = o.org_id and n.stream_id = @new_stream_id::bigint and n.user_id = o.user_id and n.active)
order by o.user_id;

-- name: DropFlags :exec
delete from message_flags where message_id = any (@message_ids::bigint[]) and user_id = any (@user_ids::bigint[]);

-- name: AdvanceFirstMessage :exec
-- Where a stream's first message is among those that have left it, the next one is its first. What was before it is left out: rows of
-- earlier steps stay in the index for a while.
update streams s
set first_message_id = (select m.message_id from messages m
    where m.org_id = s.org_id and m.stream_id = s.stream_id and m.message_id > s.first_message_id order by m.message_id limit 1)
where s.stream_id = @stream_id and s.first_message_id = any (@message_ids::bigint[]);

-- name: LowerFirstMessage :exec
-- For a message that came into a stream from elsewhere.
update streams set first_message_id = @message_id::bigint
where stream_id = @stream_id and coalesce(first_message_id > @message_id, true);

-- name: HoldersOfAny :many
-- As MessageHolders, of several messages of a stream.
with gone as (select range_agg(int8range(m, m + 1)) as ids from unnest(@message_ids::bigint[]) m)
select s.user_id from subscriptions s, gone
where s.stream_id = @stream_id and not s.active and s.received && gone.ids
union
select s.user_id from subscriptions s, gone
where @subscribed_too::bool and s.stream_id = @stream_id and s.active and s.received && gone.ids
union
select f.user_id from message_flags f where f.message_id = any (@message_ids::bigint[]);

-- name: RowsOfMessages :many
-- How many rows go with each of the messages when it is deleted, in their order: flags, and which files they have.
select ((select count(*) from message_flags f where f.message_id = m.message_id)
    + (select count(*) from attachment_messages a where a.message_id = m.message_id))::bigint as n
from unnest(@message_ids::bigint[]) with ordinality m (message_id, place)
order by m.place;

-- name: DeleteMessages :one
-- Their reactions are seen nowhere then: so many of them are removed at most. It returns how many.
with reactions_gone as (
    delete from reactions where ctid = any (array(
        select r.ctid from reactions r where r.message_id = any (@message_ids::bigint[]) limit @most::int
    ))
    returning 1
), flags_gone as (
    delete from message_flags where message_id = any (@message_ids::bigint[])
), claims_gone as (
    delete from attachment_messages where message_id = any (@message_ids::bigint[]) returning attachment_id
), released as (
    update attachments set unclaimed_since = now() where attachment_id in (select attachment_id from claims_gone)
), gone as (
    delete from messages where message_id = any (@message_ids::bigint[]) returning *
), kept as (
    insert into deleted_messages (message_id, message, deleted_by)
    select gone.message_id, to_jsonb(gone) - '{search,topic_key}'::text[], @deleted_by from gone
)
select count(*) from reactions_gone;

-- name: ForgetReactions :execrows
-- Removes reactions to messages that were deleted, at most so many.
delete from reactions where ctid = any (array(
    select r.ctid from reactions r where r.message_id = any (@message_ids::bigint[]) limit @most::int
));

-- name: DestroyDeletedMessages :one
select destroy_some_deleted_messages(make_interval(secs => @keep_seconds::float8), @most::int);

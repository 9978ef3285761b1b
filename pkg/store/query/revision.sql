-- The queries in this file change messages. Before its first write, a transaction takes the lock of the stream or
-- conversation, as send_messages does: in shared mode to change the content of or the reactions to a single message, and
-- exclusively to add messages, remove them or change their topics. So subscriptions can't change between the time when
-- the audience is computed and the time when the event is appended to the log, and changes of where messages are come
-- one after another.
--

-- name: HoldPlace :exec
select pg_advisory_xact_lock_shared(@place::bigint);

-- name: HoldPlaces :exec
-- Call it with ascending ids.
select pg_advisory_xact_lock_shared(p.place) from unnest(@places::bigint[]) as p (place);

-- name: LockPlace :exec
select pg_advisory_xact_lock(@place::bigint);

-- name: LockMessage :many
-- Locks a message until the transaction ends, and returns its id, or no row if it has been deleted. It must be called
-- before the transaction's first write, so that changes of the message, and the events about them, have the same order.
-- The lock on the row wouldn't ensure that alone, as in [LockOrganization], while the message is edited.
with turn as materialized (select pg_advisory_xact_lock(2, hashint8(@message_id::bigint)))
select m.message_id from turn, messages m where m.message_id = @message_id for update of m;

-- name: LockMessages :exec
-- Locks messages until the transaction ends. Transactions that add something to the messages wait, and later statements
-- see what had been added before.
select from messages where message_id = any (@message_ids::bigint[]) order by message_id for update;

-- name: ReviseMessage :exec
-- Sets a message's content and flags if they are given, except for kept_flags, which other transactions may set
-- meanwhile, and adds an edit. It keeps the newest edits: fewer than max_rows, and up to max_bytes in all, but always the
-- newest one. It makes one of all older ones, which has the time and author of the newest of them, and what was there
-- before the oldest, so that the message's original stays.
update messages
set content = coalesce(sqlc.narg('content')::text, content), rendered = coalesce(sqlc.narg('rendered')::text, rendered),
    renderer = coalesce(sqlc.narg('renderer')::smallint, renderer), flags = coalesce(sqlc.narg('flags')::smallint | (flags & @kept_flags::smallint), flags),
    edits = (select jsonb_agg(kept.edit order by kept.at) from (
        select min(e.at) as at, jsonb_object_agg(p.key, p.value order by case when p.key in ('user_id', 'timestamp') then -e.at else e.at end) as edit
        from (
            select e.edit, e.at, e.at = 1 or e.at < @max_rows::int and sum(octet_length(e.edit::text)) over (order by e.at) <= @max_bytes::int as fits
            from jsonb_array_elements(jsonb_build_array(@edit::jsonb) || coalesce(messages.edits, '[]')) with ordinality as e(edit, at)
        ) e, jsonb_each(e.edit) p
        group by case when e.fits then e.at end
    ) kept),
    edited_at = @edited_at::timestamptz
where message_id = @message_id;

-- name: ClearFlag :exec
-- Clears a flag of a message for everyone except the users.
update message_flags set flags = flags - @flag::smallint
where message_id = @message_id and flags & @flag::smallint <> 0 and not user_id = any (@user_ids::bigint[]);

-- name: SetFlag :exec
-- Sets a flag of a message for those of the users who received or flagged it, or who take part in its conversation.
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
-- Returns the first messages of a topic with ids from since to upto. If every is false, it returns only those that the
-- reader received, which is for streams whose history isn't public.
select m.message_id, m.topic from messages m
where m.stream_id = @stream_id and m.topic_key = lower(@topic::text) and m.message_id >= @since and m.message_id <= @upto::bigint
    and (@every::bool or m.message_id <@ (select s.received from subscriptions s
        where s.stream_id = @stream_id and s.user_id = @reader::bigint))
order by m.message_id
limit @max_rows::int;

-- name: NewestMessageID :one
-- Returns the greatest id of a message so far, in any stream. If the caller holds a stream's lock exclusively, every
-- later message in the stream gets a greater id.
select (next_message_id() - 1)::bigint;

-- name: MoveToStream :exec
-- Moves messages to another stream without changing their topics. It doesn't set the topic, because then PostgreSQL
-- would recompute all columns that are generated from it.
update messages set stream_id = @stream_id where message_id = any (@message_ids::bigint[]);

-- name: MoveToTopic :exec
update messages set stream_id = @stream_id, topic = @topic where message_id = any (@message_ids::bigint[]);

-- name: LeftBehind :many
-- Returns who loses access when messages move from one stream to another: those who are subscribed to the first one and
-- not to the second one, and guests who aren't subscribed to either and received or flagged one of the messages.
with moved as (select range_agg(int8range(m, m + 1)) as ids from unnest(@message_ids::bigint[]) m),
holders as (
    select s.user_id, s.active from subscriptions s, moved where s.stream_id = @stream_id and (s.active or s.received && moved.ids)
    union
    select f.user_id, false from message_flags f where f.message_id = any (@message_ids::bigint[])
)
select h.user_id, (u.role = @guest::smallint)::bool as guest
from (select h.user_id, bool_or(h.active) as active from holders h group by h.user_id) h
join users u on u.org_id = current_setting('app.org')::bigint and u.user_id = h.user_id
where (h.active or u.role = @guest::smallint)
    and not exists (select from subscriptions n where n.stream_id = @new_stream_id::bigint and n.user_id = h.user_id and n.active)
order by h.user_id;

-- name: DropFlags :exec
delete from message_flags where message_id = any (@message_ids::bigint[]) and user_id = any (@user_ids::bigint[]);

-- name: AdvanceFirstMessage :exec
-- If a stream's first message is among those that have left the stream, sets it to the next one. It searches only after
-- the former one, because the index has the entries of earlier steps for a while.
update streams s
set first_message_id = (select m.message_id from messages m
    where m.org_id = s.org_id and m.stream_id = s.stream_id and m.message_id > s.first_message_id order by m.message_id limit 1)
where s.stream_id = @stream_id and s.first_message_id = any (@message_ids::bigint[]);

-- name: LowerFirstMessage :exec
-- Sets a stream's first message to one that was moved to the stream, if it is older.
update streams set first_message_id = @message_id::bigint
where stream_id = @stream_id and coalesce(first_message_id > @message_id, true);

-- name: HoldersOfAny :many
-- Returns the same as MessageHolders for several messages of a stream.
with gone as (select range_agg(int8range(m, m + 1)) as ids from unnest(@message_ids::bigint[]) m)
select s.user_id from subscriptions s, gone
where s.stream_id = @stream_id and not s.active and s.received && gone.ids
union
select s.user_id from subscriptions s, gone
where @subscribed_too::bool and s.stream_id = @stream_id and s.active and s.received && gone.ids
union
select f.user_id from message_flags f where f.message_id = any (@message_ids::bigint[]);

-- name: RowsOfMessages :many
-- Returns how many rows of flags and of files are deleted with each of the messages, in the order of the list.
select ((select count(*) from message_flags f where f.message_id = m.message_id)
    + (select count(*) from attachment_messages a where a.message_id = m.message_id))::bigint as n
from unnest(@message_ids::bigint[]) with ordinality m (message_id, place)
order by m.place;

-- name: DeleteMessages :one
-- Deletes messages and keeps copies in deleted_messages. Reactions to the messages are no longer visible: the query
-- deletes them, up to the number max_rows, and returns how many it deleted.
with reactions_gone as (
    delete from reactions where ctid = any (array(
        select r.ctid from reactions r where r.message_id = any (@message_ids::bigint[]) limit @max_rows::int
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
-- Deletes reactions to messages that were deleted, up to the number max_rows.
delete from reactions where ctid = any (array(
    select r.ctid from reactions r where r.message_id = any (@message_ids::bigint[]) limit @max_rows::int
));

-- name: DestroyDeletedMessages :one
select destroy_some_deleted_messages(make_interval(secs => @keep_seconds::float8), @max_rows::int);

-- name: SubmessageSizes :one
-- Returns how many submessages a message has, and how many bytes they have.
select count(*)::bigint as submessages, coalesce(sum(octet_length(msg_type) + octet_length(content)), 0)::bigint as bytes
from submessages where message_id = @message_id;

-- name: AddSubmessage :one
-- Adds a submessage, and flags the message as one with submessages.
with marked as (
    update messages set flags = flags | @has_submessages::smallint
    where message_id = @message_id and flags & @has_submessages::smallint = 0
)
insert into submessages (message_id, sender_id, msg_type, content) values (@message_id, @sender_id, @msg_type, @content)
returning submessage_id;

-- name: SubmessagesOf :many
select message_id, submessage_id, sender_id, msg_type, content from submessages
where message_id = any (@message_ids::bigint[])
order by message_id, submessage_id;

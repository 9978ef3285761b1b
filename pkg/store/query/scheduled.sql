-- The queries in this file store messages that are sent later (rest-api.md, section 2.2.8).
--

-- name: CountScheduled :one
-- Returns how many scheduled messages a sender has, counted up to most_own, and how many the organization has, counted up
-- to max_rows.
select (select count(*) from (
        select from scheduled_messages s where s.org_id = current_setting('app.org')::bigint and s.sender_id = @sender_id limit @most_own::int) o) as own,
    (select count(*) from (
        select from scheduled_messages s where s.org_id = current_setting('app.org')::bigint limit @max_rows::int) a) as everybodys;

-- name: LockScheduling :exec
-- Serializes transactions that schedule messages in the organization, so that the messages can be counted, with a lock
-- that lasts until the transaction ends. Call it before the transaction's first write.
select pg_advisory_xact_lock(33, hashint8(current_setting('app.org')::bigint));

-- name: AddScheduled :exec
insert into scheduled_messages (sender_id, stream_id, conversation_id, topic, content, widget, client, reminder, deliver_at, due_at)
values (@sender_id, nullif(@stream_id::bigint, 0), nullif(@conversation_id::bigint, 0), @topic, @content, @widget, @client, @reminder, @deliver_at, @deliver_at);

-- name: KeepUnclaimed :exec
-- Keeps uploaded files until a message with them has been sent: UnclaimedAttachments counts the time that they are in no
-- message from the time until.
update attachments set kept_until = greatest(kept_until, @until::timestamptz)
where attachment_id = any (@attachment_ids::bigint[]);

-- name: OrgsWithDueScheduled :many
-- Returns the active organizations with scheduled messages that are due, those with the longest waiting message first.
select o.org_id from organizations o, lateral (
    select s.due_at from scheduled_messages s where s.org_id = o.org_id order by s.due_at limit 1) first
where not o.deactivated and first.due_at <= @now::timestamptz
order by first.due_at limit @max_rows::int;

-- name: TryLockScheduled :one
-- Takes the lock on sending the organization's scheduled messages, until the transaction ends. Reports whether the lock
-- was free; it doesn't wait for it. Call it before the transaction's first write.
select pg_try_advisory_xact_lock(31, hashint8(current_setting('app.org')::bigint)) as free;

-- name: NextScheduled :one
select * from scheduled_messages
where org_id = current_setting('app.org')::bigint and due_at <= @now::timestamptz
order by due_at, scheduled_id limit 1;

-- name: EndScheduled :exec
delete from scheduled_messages where scheduled_id = @scheduled_id;

-- name: PostponeScheduled :exec
update scheduled_messages set failures = failures + 1, due_at = @due_at where scheduled_id = @scheduled_id;

-- name: LockScheduled :exec
-- Keeps others from sending the organization's scheduled messages until the transaction ends. Call it before the
-- transaction's first write.
select pg_advisory_xact_lock(31, hashint8(current_setting('app.org')::bigint));

-- name: SizeOfScheduled :one
-- Returns how many bytes the contents of the messages have that ScheduledOf returns.
select coalesce(sum(octet_length(s.content)), 0)::bigint from (
    select content from scheduled_messages
    where org_id = current_setting('app.org')::bigint and sender_id = @sender_id and scheduled_id > @after
    order by scheduled_id limit @max_rows::int) s;

-- name: ScheduledOf :many
-- Returns the messages that an account has scheduled after another one, in the order in which it scheduled them.
-- members are the participants of a private message's conversation.
select sqlc.embed(s), coalesce(c.members, '{}')::bigint[] as members
from scheduled_messages s
left join conversations c on c.org_id = s.org_id and c.conversation_id = s.conversation_id
where s.org_id = current_setting('app.org')::bigint and s.sender_id = @sender_id and s.scheduled_id > @after
order by s.scheduled_id limit @max_rows::int;

-- name: CancelScheduled :execrows
delete from scheduled_messages where scheduled_id = @scheduled_id and sender_id = @sender_id;

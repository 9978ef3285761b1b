-- Messages that are sent later (rest-api.md, section 2.2.8).

-- name: CountScheduled :one
-- How many wait, counted no further than to the limits.
select (select count(*) from (
        select from scheduled_messages s where s.org_id = current_setting('app.org')::bigint and s.sender_id = @sender_id limit @most_own::int) o) as own,
    (select count(*) from (
        select from scheduled_messages s where s.org_id = current_setting('app.org')::bigint limit @most::int) a) as everybodys;

-- name: LockScheduling :exec
-- Makes messages that are scheduled in the organization follow each other, so that they can be counted. Taken before the
-- transaction's first write.
select pg_advisory_xact_lock(33, hashint8(current_setting('app.org')::bigint));

-- name: AddScheduled :exec
insert into scheduled_messages (sender_id, stream_id, conversation_id, topic, content, widget, client, reminder, deliver_at, due_at)
values (@sender_id, nullif(@stream_id::bigint, 0), nullif(@conversation_id::bigint, 0), @topic, @content, @widget, @client, @reminder, @deliver_at, @deliver_at);

-- name: KeepUnclaimed :exec
-- Uploaded files that are in no message stay until one is sent.
update attachments set unclaimed_since = greatest(unclaimed_since, @until::timestamptz)
where attachment_id = any (@attachment_ids::bigint[]) and unclaimed_since is not null;

-- name: OrgsWithDueScheduled :many
-- Active organizations in which messages are to be sent, where the first waits longest first.
select o.org_id from organizations o, lateral (
    select s.due_at from scheduled_messages s where s.org_id = o.org_id order by s.due_at limit 1) first
where not o.deactivated and first.due_at <= @now::timestamptz
order by first.due_at limit @most::int;

-- name: TryLockScheduled :one
-- Whether nobody else sends the organization's scheduled messages now. Taken before the transaction's first write.
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
-- Keeps others from sending the organization's scheduled messages. Taken before the transaction's first write.
select pg_advisory_xact_lock(31, hashint8(current_setting('app.org')::bigint));

-- name: ScheduledOf :many
-- The messages that an account has scheduled after another one, in the order in which it did, with who gets a private one.
select sqlc.embed(s), coalesce(c.members, '{}')::bigint[] as members
from scheduled_messages s
left join conversations c on c.org_id = s.org_id and c.conversation_id = s.conversation_id
where s.org_id = current_setting('app.org')::bigint and s.sender_id = @sender_id and s.scheduled_id > @after
order by s.scheduled_id limit @most::int;

-- name: CancelScheduled :execrows
delete from scheduled_messages where scheduled_id = @scheduled_id and sender_id = @sender_id;

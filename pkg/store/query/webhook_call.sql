-- The queries in this file store calls of outgoing webhook bots (docs/decisions/0017-outgoing-webhooks.md).
--

-- name: DueWebhookCalls :many
-- Returns calls of all organizations that are due: first the longest waiting one of each organization, then the second one
-- of each, and so on. It returns only the first call of each bot, and only as many calls of an organization as each says.
select d.org_id, d.call_id from (
    select c.org_id, c.call_id, c.due_at, row_number() over (partition by c.org_id order by c.due_at, c.call_id) as place
    from (
        select distinct on (f.org_id, f.user_id) f.org_id, f.call_id, f.due_at from webhook_calls f
        order by f.org_id, f.user_id, f.call_id
    ) c
    where c.due_at <= now()
) d
where d.place <= @each::integer
order by d.place, d.due_at, d.call_id limit @max_rows::integer;

-- name: ClaimWebhookCall :one
-- Leases a call that is due and returns it. Returns no row if another process has leased it or the call has ended.
update webhook_calls set attempts = attempts + 1, due_at = now() + make_interval(secs => @lease::float8)
where call_id = @call_id and due_at <= now()
returning *;

-- name: PostponeWebhookCall :exec
-- Makes a call due again after the pause, unless another process has claimed it since.
update webhook_calls set due_at = now() + make_interval(secs => @pause::float8) where call_id = @call_id and attempts = @attempts;

-- name: EndWebhookCall :execrows
-- Deletes a call. Affects no row if another process has claimed it since.
delete from webhook_calls where call_id = @call_id and attempts = @attempts;

-- name: IsReadable :one
-- Reports whether a message is private, in a public stream, or in a private stream that one of the readers is
-- subscribed to. Returns no row if the message doesn't exist.
select coalesce(m.stream_id is null or not s.invite_only or exists (
    select from subscriptions u where u.org_id = m.org_id and u.stream_id = m.stream_id and u.active and u.user_id = any (@readers::bigint[])), false)::bool
from messages m
left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
where m.message_id = @message_id;

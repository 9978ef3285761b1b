-- The queries in this file store notifications in browsers (docs/decisions/0022-web-push.md), and push tokens.
--

-- name: AddPushDevice :one
-- Adds a browser. If its endpoint is known already, the browser gets the new keys and belongs to the given user. Of the
-- user's other browsers, the query keeps the newest, as many as others says, and deletes the rest.
with gone as (
    delete from push_devices where device_id in (
        select d.device_id from push_devices d
        where d.user_id = @user_id and d.endpoint <> @endpoint
        order by d.added_at desc, d.device_id desc offset @others::integer)
)
insert into push_devices as d (user_id, login_id, endpoint, p256dh, auth, client)
values (@user_id, nullif(@login_id::bigint, 0), @endpoint, @p256dh, @auth, @client)
on conflict (org_id, endpoint) do update set
    user_id = excluded.user_id, login_id = excluded.login_id, p256dh = excluded.p256dh, auth = excluded.auth, client = excluded.client,
    added_at = now(), attempts = 0,
    messages = case when d.user_id = excluded.user_id then d.messages else '{}' end,
    due_at = case when d.user_id = excluded.user_id then d.due_at end
returning device_id;

-- name: PushDevicesOf :many
select device_id, client, endpoint, added_at from push_devices where user_id = @user_id order by added_at desc, device_id desc;

-- name: RemovePushDevice :execrows
delete from push_devices where device_id = @device_id and user_id = @user_id;

-- name: AddPushes :exec
-- Adds messages that the browsers of people are to show. If there are more than max_rows, it keeps the same ones as
-- AddMissed. The lists are parallel.
update push_devices d set
    messages = case when cardinality(d.messages || n.messages) <= @max_rows::integer
        then array(select distinct k from unnest(d.messages || n.messages) k order by k)
        else array(select k.message_id from (
            select w.message_id from (select distinct unnest(d.messages || n.messages) as message_id) w
            order by coalesce((
                select m.conversation_id is not null or m.flags & @mentions_all::smallint <> 0 from messages m
                where m.org_id = d.org_id and m.message_id = w.message_id
            ) or (
                select f.flags & @mentioned::smallint <> 0 from message_flags f
                where f.org_id = d.org_id and f.user_id = d.user_id and f.message_id = w.message_id
            ), false) desc, w.message_id desc
            limit @max_rows) k order by k.message_id) end,
    due_at = coalesce(d.due_at, now())
from (
    select u.user_id, array_agg(u.message_id) as messages
    from (select unnest(@user_ids::bigint[]) as user_id, unnest(@message_ids::bigint[]) as message_id) u
    group by u.user_id
) n
where d.user_id = n.user_id;

-- name: DuePushes :many
-- Returns browsers of all organizations that are due, but only as many of an organization as each says: first the longest
-- waiting one of each organization, then the second one of each, and so on.
select w.org_id, w.device_id from (
    select d.org_id, d.device_id, d.due_at, row_number() over (partition by d.org_id order by d.due_at) as place
    from push_devices d where d.due_at <= now()
) w
where w.place <= @each::integer order by w.place, w.due_at limit @max_rows::integer;

-- name: ClaimPushes :one
-- Leases a browser that is due. Returns no row if another process has claimed it or nothing is to be sent. signed_out
-- reports whether the login that added the browser has expired, or the account is deactivated.
update push_devices d set attempts = d.attempts + 1, due_at = now() + make_interval(secs => @lease_seconds::float8)
where d.device_id = @device_id and d.due_at <= now()
returning d.user_id, d.endpoint, d.p256dh, d.auth, d.messages, d.attempts, d.due_at::timestamptz as due_at,
    (exists (select from logins l where l.org_id = d.org_id and l.login_id = d.login_id and l.ends_at <= now())
        or exists (select from users u where u.org_id = d.org_id and u.user_id = d.user_id and not u.active))::bool as signed_out;

-- name: EndPushes :exec
-- Removes the messages that are done. If messages are left, the browser is due now. It changes nothing if another
-- process has claimed the browser since.
update push_devices d set
    messages = array(select k from unnest(d.messages) k where k <> all (@done::bigint[])),
    due_at = case when d.messages <@ @done::bigint[] then null else now() end, attempts = 0
where d.device_id = @device_id and d.due_at = @due_at::timestamptz;

-- name: PostponePushes :exec
update push_devices set due_at = now() + make_interval(secs => @pause_seconds::float8)
where device_id = @device_id and due_at = @due_at::timestamptz;

-- name: DropPushDevice :exec
delete from push_devices where device_id = @device_id;

-- name: AddPushToken :exec
-- Adds a push token. Of the user's other tokens, the query keeps the newest, as many as others says, and deletes the
-- rest.
with gone as (
    delete from push_tokens g using (
        select t.service, t.hash from push_tokens t
        where t.user_id = @user_id and (t.service, t.hash) <> (@service::text, @hash::bytea)
        order by t.added_at desc, t.hash offset @others::integer) o
    where g.user_id = @user_id and g.service = o.service and g.hash = o.hash
)
insert into push_tokens (user_id, service, hash) values (@user_id, @service, @hash)
on conflict (org_id, user_id, service, hash) do update set added_at = now();

-- name: RemovePushToken :execrows
delete from push_tokens where user_id = @user_id and service = @service and hash = @hash;

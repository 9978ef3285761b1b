-- name: StreamFactsByID :one
select s.stream_id, s.name, s.version, s.invite_only, s.is_web_public, s.post_policy, s.deactivated,
    exists (select from subscriptions u where u.org_id = s.org_id and u.stream_id = s.stream_id
        and u.user_id = @sender_id and u.active)::bool as sender_subscribed,
    exists (select from subscriptions u where u.org_id = s.org_id and u.stream_id = s.stream_id
        and u.user_id = @bot_owner_id and u.active)::bool as owner_subscribed,
    exists (select from subscriptions u join users a on a.org_id = u.org_id and a.user_id = u.user_id
        where u.org_id = s.org_id and u.stream_id = s.stream_id and u.active and a.active)::bool as occupied
from streams s
where s.stream_id = @stream_id;

-- name: StreamFactsByName :one
select s.stream_id, s.name, s.version, s.invite_only, s.is_web_public, s.post_policy, s.deactivated,
    exists (select from subscriptions u where u.org_id = s.org_id and u.stream_id = s.stream_id
        and u.user_id = @sender_id and u.active)::bool as sender_subscribed,
    exists (select from subscriptions u where u.org_id = s.org_id and u.stream_id = s.stream_id
        and u.user_id = @bot_owner_id and u.active)::bool as owner_subscribed,
    exists (select from subscriptions u join users a on a.org_id = u.org_id and a.user_id = u.user_id
        where u.org_id = s.org_id and u.stream_id = s.stream_id and u.active and a.active)::bool as occupied
from streams s
where s.name_key = lower(@name::text) and not s.deactivated;

-- name: NameKeys :many
select lower(n)::text as name_key from unnest(@names::text[]) with ordinality as t(n, at) order by at;

-- name: StreamsByKey :many
select sqlc.embed(s),
    exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id and u.active)::bool
        as subscribed
from streams s
where s.name_key = any (@name_keys::text[]) and not s.deactivated;

-- name: StreamByID :one
select sqlc.embed(s),
    exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id and u.active)::bool
        as subscribed
from streams s
where s.stream_id = @stream_id;

-- name: StreamByName :one
select sqlc.embed(s),
    exists (select from subscriptions u where u.stream_id = s.stream_id and u.user_id = @user_id and u.active)::bool
        as subscribed
from streams s
where s.name_key = lower(@name::text) and not s.deactivated;

-- name: ListStreams :many
select s.* from streams s
where not s.deactivated and (
    @every::bool
    or @public::bool and not s.invite_only
    or @web_public::bool and s.is_web_public
    or @defaults::bool and s.is_default
    or s.stream_id in (select u.stream_id from subscriptions u
        where u.user_id = any (@subscribed_by::bigint[]) and u.active))
order by s.name collate "C";

-- name: OccupiedStreams :many
-- Returns the active streams that a user sees and to which an active account is subscribed. public says whether the
-- user sees all public streams.
select s.* from streams s
where not s.deactivated
    and (@public::bool and not s.invite_only or s.stream_id in (select u.stream_id from subscriptions u
        where u.user_id = @user_id and u.active))
    and exists (select from subscriptions u join users a on a.user_id = u.user_id
        where u.stream_id = s.stream_id and u.active and a.active)
order by s.name collate "C";

-- name: DefaultStreams :many
select * from streams where is_default and not deactivated order by name collate "C";

-- name: CreateStreams :many
insert into streams (name, description, rendered_description, invite_only, history_public, post_policy, retention_days, creator_id)
select unnest(@names::text[]), unnest(@descriptions::text[]), unnest(@rendered_descriptions::text[]),
    @invite_only, @history_public, @post_policy, @retention_days, @creator_id
returning *;

-- name: CountStreams :one
select count(*) from streams where org_id = current_setting('app.org')::bigint and not deactivated;

-- name: CreationLeavesDay :one
-- Skips the newest streams that an account has created, as many as others says, and returns in how many seconds the
-- next one will be a day old. Returns no row if the account has created no more than others streams in the last 24
-- hours. Deactivated streams count.
select ceil(extract(epoch from created_at + interval '24 hours' - now()))::bigint as seconds
from streams
where org_id = current_setting('app.org')::bigint and creator_id = @creator_id::bigint and created_at > now() - interval '24 hours'
order by created_at desc, stream_id desc offset @others::int limit 1;

-- name: DeactivateStream :exec
update streams set deactivated = true, invite_only = true, is_web_public = false, is_default = false, version = version + 1
where stream_id = @stream_id;

-- name: SetDefaultStream :exec
update streams set is_default = @is_default where stream_id = @stream_id;

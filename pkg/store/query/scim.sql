-- name: AddScimToken :exec
insert into scim_tokens (token_hash) values (@token_hash);

-- name: EndScimTokens :execrows
-- Ends all tokens except the newest, as many as newest says.
delete from scim_tokens where token_hash in (
    select t.token_hash from scim_tokens t where t.org_id = current_setting('app.org')::bigint order by t.issued_at desc offset @newest::integer);

-- name: HasScimToken :one
select exists (select from scim_tokens where org_id = current_setting('app.org')::bigint and token_hash = @token_hash) as valid;

-- name: ScimUsers :many
-- Returns people, ordered by id, with the names that a provider knows them by. A condition that is null is ignored. An
-- array, unlike "in", finds a name by index. total is the number of people without the limits of skip and max_rows.
select u.user_id, coalesce(s.user_name, u.email)::text as user_name, s.external_id, u.changed_at, count(*) over () as total
from users u left join scim_users s on s.org_id = u.org_id and s.user_id = u.user_id
where u.org_id = current_setting('app.org')::bigint and u.bot_type is null and not u.system and not coalesce(s.removed, false)
    and (sqlc.narg('user_id')::bigint is null or u.user_id = sqlc.narg('user_id'))
    and (sqlc.narg('user_name')::text is null or u.user_id = any (array(
        select n.user_id from scim_users n where n.name_key = lower(sqlc.narg('user_name')) and not n.removed
        union all
        select e.user_id from users e where e.email_key = lower(sqlc.narg('user_name'))
            and not exists (select from scim_users n where n.org_id = e.org_id and n.user_id = e.user_id))))
    and (sqlc.narg('external_id')::text is null or s.external_id = sqlc.narg('external_id'))
    and (sqlc.narg('email')::text is null or u.email_key = lower(sqlc.narg('email')))
order by u.user_id offset @skip::integer limit @max_rows::integer;

-- name: SaveScimUser :exec
insert into scim_users (user_id, user_name, external_id) values (@user_id, @user_name, @external_id)
on conflict (org_id, user_id) do update set user_name = excluded.user_name, external_id = excluded.external_id, removed = false;

-- name: RemoveScimUser :exec
insert into scim_users (user_id, user_name, removed) values (@user_id, @user_name, true)
on conflict (org_id, user_id) do update set removed = true;

-- name: ScimNameTaken :one
-- Reports whether a provider knows another account by this name.
select exists (
    select from scim_users s where s.name_key = lower(@user_name::text) and not s.removed and s.user_id <> @but::bigint
    union all
    select from users u where u.email_key = lower(@user_name::text) and u.bot_type is null and u.user_id <> @but::bigint
        and not exists (select from scim_users s where s.org_id = u.org_id and s.user_id = u.user_id)) as taken;

-- name: ScimGroups :many
-- Returns groups, ordered by id. A condition that is null is ignored. total is the number of groups without the limits
-- of skip and max_rows.
select sqlc.embed(g), count(*) over () as total
from user_groups g
where g.org_id = current_setting('app.org')::bigint
    and (sqlc.narg('group_id')::bigint is null or g.group_id = sqlc.narg('group_id'))
    and (sqlc.narg('name')::text is null or lower(g.name) = lower(sqlc.narg('name')))
    and (sqlc.narg('external_id')::text is null or g.external_id = sqlc.narg('external_id'))
    and (sqlc.narg('member')::bigint is null or sqlc.narg('member') = any (g.members))
order by g.group_id offset @skip::integer limit @max_rows::integer;

-- name: ScimPeople :many
-- Returns those of the accounts that a provider manages, ordered by id.
select u.user_id from users u left join scim_users s on s.org_id = u.org_id and s.user_id = u.user_id
where u.org_id = current_setting('app.org')::bigint and u.user_id = any (@user_ids::bigint[])
    and u.bot_type is null and not u.system and not coalesce(s.removed, false)
order by u.user_id;

-- name: IsScimRemoved :one
select exists (select from scim_users where org_id = current_setting('app.org')::bigint and user_id = @user_id and removed) as removed;

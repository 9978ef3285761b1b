-- name: Authenticate :many
-- Returns the accounts to which the hashes of keys belong. Hashes that belong to no account have no row. place is the
-- index of the hash in the list, from 1.
select k.place::bigint as place, a.org_id::bigint as org_id, a.subdomain::text as subdomain, a.org_deactivated::bool as org_deactivated,
    a.org_settings::jsonb as org_settings, a.alert_words_version::bigint as alert_words_version,
    a.user_id::bigint as user_id, a.email::text as email, a.full_name::text as full_name,
    a.role::smallint as role, coalesce(a.bot_type, 0)::smallint as bot_type, a.active::bool as active,
    a.joined_at::timestamptz as joined_at, a.avatar_source::text as avatar_source,
    a.avatar_version::integer as avatar_version, a.avatar_path::text as avatar_path, a.settings::jsonb as settings,
    coalesce(a.owner_id, 0)::bigint as owner_id, coalesce(a.owner_role, 0)::smallint as owner_role,
    coalesce(a.owner_joined_at, 'epoch')::timestamptz as owner_joined_at,
    a.user_changed_at::timestamptz as user_changed_at, a.org_changed_at::timestamptz as org_changed_at,
    coalesce(a.owner_changed_at, 'epoch')::timestamptz as owner_changed_at,
    coalesce(a.key_ends, 'epoch')::timestamptz as key_ends, coalesce(a.login_id, 0)::bigint as login_id
from unnest(@key_hashes::bytea[]) with ordinality k (key_hash, place) cross join lateral authenticate(k.key_hash) a;

-- name: UsersAfter :many
-- Returns the next accounts after an id, ordered by id.
select * from users where org_id = current_setting('app.org')::bigint and user_id > @after::bigint order by user_id limit @max_rows::integer;

-- name: PeopleChanges :one
-- Returns how often the accounts of an organization have changed. See the table people_changes.
select coalesce(sum(changes), 0)::bigint from people_changes where org_id = current_setting('app.org')::bigint;

-- name: Bots :many
-- Returns the bots that people created: all of them, or those of an owner.
select * from users where bot_type is not null and not system and (@everybody::bool or owner_id = @owner::bigint) order by user_id;

-- name: InactiveUsers :many
select user_id from users where not active;

-- name: UsersByID :many
select * from users where user_id = any (@users::bigint[]) order by user_id;

-- name: UsersByEmail :many
select * from users where email_key = any (@emails::text[]) order by user_id;

-- name: NameTaken :one
select exists (select from users where name_key = lower(@full_name::text) and active) as taken;

-- name: CreateUser :one
insert into users (email, full_name, role, bot_type, system, owner_id, api_key_hash, settings, joined_at,
    default_sending_stream_id, default_register_stream_id, default_all_public_streams)
values (@email, @full_name, @role, @bot_type, @system, @owner_id, @api_key_hash, @settings, @joined_at,
    @default_sending_stream_id, @default_register_stream_id, @default_all_public_streams)
on conflict (org_id, email_key) do nothing
returning *;

-- name: SaveUserSettings :exec
update users set settings = @settings, timezone = @timezone where user_id = @user_id;

-- name: SetAvatar :one
update users set avatar_source = @avatar_source, avatar_path = @avatar_path, avatar_version = avatar_version + 1
where user_id = @user_id
returning *;

-- name: HasAvatar :one
-- Reports whether a file is somebody's avatar.
select exists (select from users where org_id = current_setting('app.org')::bigint and avatar_path = @path::text and avatar_path <> '') as found;

-- name: NewestReceived :one
with ranges as materialized (
    -- The bounds are computed separately, because row-level security of messages would keep them from its index.
    select s.stream_id, lower(r) as first, coalesce(upper(r), 9223372036854775807) as behind
    from subscriptions s cross join lateral unnest(s.received) r
    where s.user_id = @user_id
)
select greatest(
    (select max(newest.message_id) from ranges cross join lateral (
        select m.message_id from messages m
        where m.stream_id = ranges.stream_id and m.message_id >= ranges.first and m.message_id < ranges.behind
        order by m.message_id desc limit 1) newest),
    (select max(newest.message_id) from conversation_members c cross join lateral (
        select m.message_id from messages m
        where m.conversation_id = c.conversation_id
        order by m.message_id desc limit 1) newest
        where c.user_id = @user_id),
    -1)::bigint as message_id;

-- name: ChangedAccounts :many
select user_id, changed_at from users where changed_at > now() - make_interval(secs => @seconds::float8);

-- name: ChangedOrganizations :many
select org_id, changed_at, deactivated from organizations where changed_at > now() - make_interval(secs => @seconds::float8);

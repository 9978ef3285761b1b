-- Bots of people (rest-api.md, sections 5.12 and 5.13).

-- name: BotStreams :many
-- Those of the streams that are active.
select stream_id, name, invite_only from streams where stream_id = any (@stream_ids::bigint[]) and not deactivated;

-- name: BotsOfStream :many
-- Bots that send to an active stream by default, or register for it, and whether one of these streams is private.
select u.user_id, u.owner_id,
    (u.default_sending_stream_id is not distinct from @stream_id::bigint)::bool as sends,
    (u.default_register_stream_id is not distinct from @stream_id::bigint)::bool as registers,
    exists (
        select from streams s where s.stream_id in (u.default_sending_stream_id, u.default_register_stream_id)
            and s.invite_only and not s.deactivated
    ) as private
from users u
where u.org_id = current_setting('app.org')::bigint and u.bot_type is not null and not u.system
    and @stream_id::bigint in (u.default_sending_stream_id, u.default_register_stream_id)
order by u.user_id limit @most;

-- name: BotsAbove :many
-- An account's bots that may do more than a role, those that aren't active included, which can become so.
select user_id from users
where owner_id = @owner::bigint and bot_type is not null and not system and role < @role
order by user_id limit @most;

-- name: BotServices :many
select user_id, url, interface, token from bot_services where user_id = any (@users::bigint[]);

-- name: SaveBotService :exec
-- The token stays.
insert into bot_services (user_id, url, interface, token) values (@user_id, @url, @interface, @token)
on conflict (org_id, user_id) do update set url = excluded.url, interface = excluded.interface;

-- name: BotConfig :one
select config from bot_configs where user_id = @user_id;

-- name: SaveBotConfig :exec
insert into bot_configs (user_id, config) values (@user_id, @config)
on conflict (org_id, user_id) do update set config = excluded.config;

-- name: CountBots :one
-- What is counted against the limits: an account's active bots, those that it owns and that were made within a time, and the
-- organization's active bots.
select
    (select count(*) from users o where o.org_id = current_setting('app.org')::bigint and o.owner_id = @owner::bigint and o.active)::bigint as owned,
    (select count(*) from users m where m.org_id = current_setting('app.org')::bigint and m.owner_id = @owner::bigint
        and m.joined_at > @since::timestamptz)::bigint as recent,
    (select count(*) from users a where a.org_id = current_setting('app.org')::bigint and a.bot_type is not null and a.active
        and not a.system)::bigint as everybodys;

-- name: StoredSize :one
-- How much an account keeps, without the values of these keys.
select coalesce(sum(characters), 0)::bigint as characters, count(*)::bigint as entries from bot_storage
where org_id = current_setting('app.org')::bigint and user_id = @user_id and key <> all (@but::text[]);

-- name: SizeOfStored :one
-- How much these keys have; all keys if every is true.
select coalesce(sum(characters), 0)::bigint as characters, count(*)::bigint as entries from bot_storage
where org_id = current_setting('app.org')::bigint and user_id = @user_id and (@every::bool or key = any (@keys::text[]));

-- name: Stored :many
select key, value from bot_storage
where org_id = current_setting('app.org')::bigint and user_id = @user_id and (@every::bool or key = any (@keys::text[])) order by key;

-- name: Store :exec
insert into bot_storage (user_id, key, value) select @user_id::bigint, unnest(@keys::text[]), unnest(@vals::text[])
on conflict (org_id, user_id, key) do update set value = excluded.value;

-- name: RemoveStored :exec
delete from bot_storage where user_id = @user_id and key = any (@keys::text[]);

-- name: RemoveSomeStored :execrows
delete from bot_storage s where s.ctid = any (array(
    select b.ctid from bot_storage b where b.org_id = current_setting('app.org')::bigint and b.user_id = @user_id limit @most::integer));

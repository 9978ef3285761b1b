-- The queries in this file store bots of people (rest-api.md, sections 5.12 and 5.13).
--

-- name: BotStreams :many
-- Returns the active streams among the given ones.
select stream_id, name, invite_only from streams where stream_id = any (@stream_ids::bigint[]) and not deactivated;

-- name: BotsOfStream :many
-- Returns the bots that send to a stream, or register for its events, by default. private reports whether one of a
-- bot's two default streams is private and active.
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
order by u.user_id limit @max_rows;

-- name: BotsAbove :many
-- Returns an account's bots whose roles permit more than the given role (lower numbers permit more): the active ones,
-- then the inactive ones, which can be activated again, those that permit most first.
select user_id from users
where owner_id = @owner::bigint and bot_type is not null and not system and role < @role
order by active desc, role, user_id limit @max_rows;

-- name: BotServices :many
select user_id, url, interface, token from bot_services where user_id = any (@users::bigint[]);

-- name: SaveBotService :exec
-- Sets a bot's service. If the bot has one already, its token doesn't change.
insert into bot_services (user_id, url, interface, token) values (@user_id, @url, @interface, @token)
on conflict (org_id, user_id) do update set url = excluded.url, interface = excluded.interface;

-- name: BotConfig :one
select config from bot_configs where user_id = @user_id;

-- name: SaveBotConfig :exec
insert into bot_configs (user_id, config) values (@user_id, @config)
on conflict (org_id, user_id) do update set config = excluded.config;

-- name: CountBots :one
-- Returns the numbers to which limits apply: an owner's active bots, the owner's bots that were created since a time,
-- including inactive ones, and the organization's active bots.
select
    (select count(*) from users o where o.org_id = current_setting('app.org')::bigint and o.owner_id = @owner::bigint and o.active)::bigint as owned,
    (select count(*) from users m where m.org_id = current_setting('app.org')::bigint and m.owner_id = @owner::bigint
        and m.joined_at > @since::timestamptz)::bigint as recent,
    (select count(*) from users a where a.org_id = current_setting('app.org')::bigint and a.bot_type is not null and a.active
        and not a.system)::bigint as everybodys;

-- name: StoredSize :one
-- Returns how many characters and entries a bot has stored, without those of the keys in but.
select coalesce(sum(characters), 0)::bigint as characters, count(*)::bigint as entries from bot_storage
where org_id = current_setting('app.org')::bigint and user_id = @user_id and key <> all (@but::text[]);

-- name: SizeOfStored :one
-- Returns how many characters and entries a bot has stored under these keys, or under all keys if every is true.
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
    select b.ctid from bot_storage b where b.org_id = current_setting('app.org')::bigint and b.user_id = @user_id limit @max_rows::integer));

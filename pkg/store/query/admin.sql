-- name: OrganizationByExternalKey :one
-- Searches all organizations for the one with an external key.
select org_id from organizations where external_key = @external_key::text;

-- name: OrganizationCounts :many
-- Returns all organizations by id, with their numbers of active people, bots and streams. System accounts don't count.
-- These numbers are cheap: the query reads one index entry for each account and stream.
select o.org_id, o.subdomain, coalesce(o.external_key, '')::text as external_key, o.deactivated, o.deleting,
    coalesce(u.people, 0)::bigint as people, coalesce(u.bots, 0)::bigint as bots, coalesce(s.streams, 0)::bigint as streams
from organizations o
left join (select a.org_id, count(*) filter (where a.bot_type is null) as people, count(*) filter (where a.bot_type is not null) as bots
    from users a where a.active and not a.system group by a.org_id) u on u.org_id = o.org_id
left join (select t.org_id, count(*) as streams from streams t where not t.deactivated group by t.org_id) s on s.org_id = o.org_id
order by o.org_id;

-- name: LockExternalKeys :exec
-- Serializes what is done under external keys in the organization, with a lock that lasts until the transaction ends. Call it
-- before the transaction's first write. A lock for each key wouldn't do: an object may move from one key to another.
select pg_advisory_xact_lock(3, hashint8(current_setting('app.org')::bigint));

-- name: LockOrganization :one
-- Returns the organization and serializes changes of it, with locks that last until the transaction ends. If it is
-- called before the transaction's first write, the events about the changes have the same order. The lock on the row
-- wouldn't ensure that alone: of several transactions that wait for it, one may already have its transaction id when
-- another gets the lock first. So all of them wait for an advisory lock before that.
with turn as materialized (select pg_advisory_xact_lock(32, hashint8(current_setting('app.org')::bigint)))
select o.* from turn, organizations o where o.org_id = current_setting('app.org')::bigint for no key update of o;

-- name: SetOrganizationKey :exec
update organizations set external_key = @external_key::text where org_id = current_setting('app.org')::bigint;

-- name: UpdateOrganization :exec
update organizations
set name = @name, description = @description, rendered_description = @rendered_description, settings = @settings, deactivated = @deactivated
where org_id = current_setting('app.org')::bigint;

-- name: DeleteOrganization :exec
update organizations set deleting = true, deactivated = true where org_id = current_setting('app.org')::bigint and not deleting;

-- name: OrganizationRests :one
-- Returns the number of seconds since the organization's changed_at, which is set by every change that affects
-- permissions.
select extract(epoch from now() - changed_at)::float8 as seconds
from organizations where org_id = current_setting('app.org')::bigint;

-- name: EraseOrganization :one
select erase_organization(@max_rows::int)::bigint as rows;

-- name: ExternalObject :one
select object_id, details from external_keys where kind = @kind and external_key = @external_key;

-- name: ExternalKeyOf :one
select external_key from external_keys where object_id = @object_id and (kind = 'stream') = @is_stream::bool;

-- name: SaveExternalKey :exec
insert into external_keys (kind, external_key, object_id, details) values (@kind, @external_key, @object_id, @details)
on conflict (org_id, kind, external_key) do update set object_id = excluded.object_id, details = excluded.details;

-- name: SaveExternalDetails :exec
-- Stores the details of an object, unless the key is another object's by now.
update external_keys set details = @details where kind = @kind and external_key = @external_key and object_id = @object_id;

-- name: RemoveExternalKey :exec
-- Removes the key of an object, unless the key is another object's by now.
delete from external_keys where kind = @kind and external_key = @external_key and object_id = @object_id;

-- name: UpdateAccount :one
-- Updates the properties of an account that belong to its administration, as opposed to its settings and credentials,
-- and returns the account.
update users
set full_name = @full_name, role = @role, owner_id = @owner_id, active = @active, default_sending_stream_id = @default_sending_stream_id,
    default_register_stream_id = @default_register_stream_id, default_all_public_streams = @default_all_public_streams
where user_id = @user_id
returning *;

-- name: RotateAPIKey :exec
-- Replaces or removes an account's API key. The previous key stays valid until previous_key_ends; it ends at once if
-- previous_key_hash and previous_key_ends are null. The query also deletes the account's push tokens and the browsers
-- that were added with an API key instead of a login, so that they get no more notifications.
with ended as (delete from push_devices d where d.user_id = @user_id and d.login_id is null),
    forgotten as (delete from push_tokens t where t.user_id = @user_id)
update users u
set api_key_hash = @api_key_hash, previous_key_hash = @previous_key_hash, previous_key_ends = @previous_key_ends
where u.user_id = @user_id;

-- name: KeyInUse :one
select key_in_use(@key_hash, @but_by::bigint)::bool as used;

-- name: NameTakenByOther :one
select exists (select from users where name_key = lower(@full_name::text) and active and user_id <> @user_id) as taken;

-- name: ActiveOwners :many
select email from users where role = @owner::smallint and active and bot_type is null order by email_key collate "C";

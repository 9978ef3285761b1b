-- name: OrganizationByExternalKey :one
-- Of all organizations.
select org_id from organizations where external_key = @external_key::text;

-- name: OrganizationCounts :many
-- Of all organizations: what is in them, as far as it is counted cheaply.
select o.org_id, o.subdomain, coalesce(o.external_key, '')::text as external_key, o.deactivated, o.deleting,
    coalesce(u.people, 0)::bigint as people, coalesce(u.bots, 0)::bigint as bots, coalesce(s.streams, 0)::bigint as streams
from organizations o
left join (select a.org_id, count(*) filter (where a.bot_type is null) as people, count(*) filter (where a.bot_type is not null) as bots
    from users a where a.active and not a.system group by a.org_id) u on u.org_id = o.org_id
left join (select t.org_id, count(*) as streams from streams t where not t.deactivated group by t.org_id) s on s.org_id = o.org_id
order by o.org_id;

-- name: LockExternalKey :exec
-- Makes what is done under one key follow each other. Taken before the transaction's first write.
select pg_advisory_xact_lock(3, hashtext(current_setting('app.org') || ' ' || @kind::text || ' ' || @external_key::text));

-- name: LockOrganization :one
-- Makes changes of the organization follow each other. Taken before the transaction's first write, it makes their events follow in
-- the same order. The row's lock alone doesn't: among several that wait for it, one may have a transaction's id when another
-- comes first.
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
-- For how many seconds nothing has changed that matters for who may do what.
select extract(epoch from now() - changed_at)::float8 as seconds
from organizations where org_id = current_setting('app.org')::bigint;

-- name: EraseOrganization :one
select erase_organization(@most::int)::bigint as rows;

-- name: ExternalObject :one
select object_id, details from external_keys where kind = @kind and external_key = @external_key;

-- name: ExternalKeyOf :one
select kind, external_key from external_keys where object_id = @object_id and (kind = 'stream') = @is_stream::bool;

-- name: SaveExternalKey :exec
insert into external_keys (kind, external_key, object_id, details) values (@kind, @external_key, @object_id, @details)
on conflict (org_id, kind, external_key) do update set object_id = excluded.object_id, details = excluded.details;

-- name: RemoveExternalKey :exec
delete from external_keys where kind = @kind and external_key = @external_key;

-- name: UpdateAccount :one
-- What others than the account itself decide on.
update users
set full_name = @full_name, role = @role, owner_id = @owner_id, active = @active, default_sending_stream_id = @default_sending_stream_id,
    default_register_stream_id = @default_register_stream_id, default_all_public_streams = @default_all_public_streams
where user_id = @user_id
returning *;

-- name: RotateAPIKey :exec
-- previous_key_hash and previous_key_ends are null where the key before ends at once. Browsers that were added with it get nothing more.
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

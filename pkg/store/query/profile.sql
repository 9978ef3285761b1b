-- name: LockProfileFields :exec
-- Serializes changes of an organization's profile fields, and keeps people from changing their answers meanwhile, with
-- a lock that lasts until the transaction ends. If it is called before the transaction's first write, the events about
-- the changes have the same order.
select pg_advisory_xact_lock(26, hashint8(current_setting('app.org')::bigint));

-- name: HoldProfileFields :exec
-- Keeps an organization's profile fields from changing until the transaction ends. It must be called before LockUser
-- for the account whose answers change.
select pg_advisory_xact_lock_shared(26, hashint8(current_setting('app.org')::bigint));

-- name: ProfileFields :many
select field_id, name, type, hint, field_data, position from profile_fields
where org_id = current_setting('app.org')::bigint and not removed order by position, field_id;

-- name: ProfileLabelTaken :one
-- Reports whether another field has a label, regardless of letter case.
select exists (select from profile_fields where lower(name) = lower(@name::text) and field_id <> @field_id and not removed) as taken;

-- name: CreateProfileField :one
insert into profile_fields (name, type, hint, field_data, position) values (@name, @type, @hint, @field_data, @position)
returning field_id;

-- name: SaveProfileField :exec
update profile_fields set name = @name, hint = @hint, field_data = @field_data where field_id = @field_id;

-- name: OrderProfileFields :exec
update profile_fields f set position = o.position
from unnest(@field_ids::bigint[]) with ordinality o (field_id, position) where f.field_id = o.field_id;

-- name: HideProfileField :exec
update profile_fields set removed = true where field_id = @field_id;

-- name: DropProfileValues :execrows
-- Deletes answers to a field, up to the number max_rows.
delete from profile_values where ctid = any (array(select v.ctid from profile_values v where v.field_id = @field_id limit @max_rows));

-- name: DeleteProfileField :exec
delete from profile_fields where field_id = @field_id;

-- name: AllProfileValues :many
select v.user_id, v.field_id, v.value, v.rendered
from profile_values v join profile_fields f on f.org_id = v.org_id and f.field_id = v.field_id
where v.org_id = current_setting('app.org')::bigint and not f.removed;

-- name: ProfileValuesOf :many
select v.field_id, v.value, v.rendered
from profile_values v join profile_fields f on f.org_id = v.org_id and f.field_id = v.field_id
where v.user_id = @user_id and not f.removed order by v.field_id;

-- name: ProfileRoom :one
-- Returns how many bytes all answers of an organization have, and how many accounts it has.
select
    (select coalesce(sum(octet_length(v.value) + coalesce(octet_length(v.rendered), 0)), 0) from profile_values v
        where v.org_id = current_setting('app.org')::bigint)::bigint as bytes,
    (select count(*) from users u where u.org_id = current_setting('app.org')::bigint)::bigint as accounts;

-- name: SetProfileValues :exec
insert into profile_values (user_id, field_id, value, rendered)
select @user_id, a.field_id, a.value, case when a.is_rendered then a.rendered end
from (select unnest(@field_ids::bigint[]) as field_id, unnest(@answers::text[]) as value,
    unnest(@rendered::text[]) as rendered, unnest(@are_rendered::bool[]) as is_rendered) a
on conflict (org_id, user_id, field_id) do update set value = excluded.value, rendered = excluded.rendered;

-- name: RemoveProfileValues :exec
delete from profile_values where user_id = @user_id and field_id = any (@field_ids::bigint[]);

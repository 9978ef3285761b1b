-- name: LockUserGroups :exec
-- Serializes changes of an organization's user groups, with a lock that lasts until the transaction ends. If it is
-- called before the transaction's first write, the events about the changes have the same order.
select pg_advisory_xact_lock(16, hashint8(current_setting('app.org')::bigint));

-- name: UserGroups :many
select * from user_groups where org_id = current_setting('app.org')::bigint order by group_id;

-- name: UserGroup :one
select * from user_groups where group_id = @group_id;

-- name: UserGroupsByName :many
select * from user_groups where name = any (@names::text[]);

-- name: UserGroupsOf :many
-- Returns the groups that an account is a member of, by name.
select * from user_groups where org_id = current_setting('app.org')::bigint and @user_id::bigint = any (members) order by name collate "C";

-- name: UserGroupSizes :one
-- Returns how many groups an organization has, and how many members they have. An account counts in each of its groups.
select count(*)::bigint as groups, coalesce(sum(cardinality(members)), 0)::bigint as members
from user_groups where org_id = current_setting('app.org')::bigint;

-- name: CreateUserGroup :one
-- Creates a group. Returns no row if another group has the name.
insert into user_groups (name, description, members, external_id, external_key)
values (@name, @description, @members, @external_id, @external_key)
on conflict (org_id, name) do nothing
returning *;

-- name: SaveUserGroup :exec
update user_groups
set name = @name, description = @description, members = @members, external_id = @external_id, external_key = @external_key
where group_id = @group_id;

-- name: DeleteUserGroup :exec
delete from user_groups where group_id = @group_id;

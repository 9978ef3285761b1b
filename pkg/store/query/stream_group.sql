-- The queries in this file store groups of default streams. LockDefaultStreams must be called before those that change
-- them.
--

-- name: DefaultStreamGroups :many
select group_id, name, description from default_stream_groups where org_id = current_setting('app.org')::bigint order by name collate "C";

-- name: StreamsOfGroups :many
-- Returns the active streams of all groups, by name.
select g.group_id, sqlc.embed(s)
from default_stream_group_streams g
join streams s on s.org_id = g.org_id and s.stream_id = g.stream_id
where g.org_id = current_setting('app.org')::bigint and not s.deactivated
order by s.name collate "C";

-- name: CreateDefaultStreamGroup :one
insert into default_stream_groups (name, description) values (@name, @description) returning group_id;

-- name: UpdateDefaultStreamGroup :exec
update default_stream_groups set name = @name, description = @description where group_id = @group_id;

-- name: DeleteDefaultStreamGroup :exec
delete from default_stream_groups where group_id = @group_id;

-- name: AddToDefaultStreamGroup :exec
insert into default_stream_group_streams (group_id, stream_id) select @group_id, unnest(@stream_ids::bigint[]);

-- name: TakeFromDefaultStreamGroup :exec
delete from default_stream_group_streams where group_id = @group_id and stream_id = any (@stream_ids::bigint[]);

-- name: TakeFromAllGroups :execrows
delete from default_stream_group_streams where stream_id = @stream_id;

-- name: InDefaultStreamGroup :one
-- Reports whether a group has one of these streams.
select exists (select from default_stream_group_streams where stream_id = any (@stream_ids::bigint[])) as named;

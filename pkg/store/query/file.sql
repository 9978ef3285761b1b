-- The queries in this file record which files the storage keeps (pkg/file).
--

-- name: ExpectFile :exec
-- Records that a file is about to be stored. The file is removed after keep_seconds unless KeepFile records that it is
-- kept.
insert into unkept_files (path, due_at) values (@path, now() + make_interval(secs => @keep_seconds::float8));

-- name: ProlongFile :exec
-- Lets a file that isn't stored yet be removed after keep_seconds from now on, unless its removal has begun.
update unkept_files set due_at = now() + make_interval(secs => @keep_seconds::float8) where path = @path and not removing;

-- name: KeepFile :execrows
-- Records that a stored file is kept. Affects no row if its removal has begun.
with kept as (delete from unkept_files u where u.path = @path and not u.removing returning u.path)
insert into files (path, size) select kept.path, @size::bigint from kept;

-- name: ForgetFile :exec
-- Makes a file that isn't kept due for removal now, whether or not a removal is recorded already.
insert into unkept_files (path, due_at) select @path::text, now() where not exists (select from files f where f.path = @path::text)
on conflict (path) do update set due_at = excluded.due_at;

-- name: DropFile :exec
delete from files where path = @path;

-- name: TakeDueFiles :many
-- Returns files of all organizations that are due for removal, and prevents KeepFile from keeping them. It skips files
-- that another process is taking. Until EndRemoved deletes their rows, they are due again after again_seconds, in case
-- the caller fails.
update unkept_files u set removing = true, due_at = now() + make_interval(secs => @again_seconds::float8)
where u.path in (select d.path from unkept_files d where d.due_at <= now() order by d.due_at limit @max_rows::int for update skip locked)
returning u.path;

-- name: EndRemoved :exec
delete from unkept_files where path = any (@paths::text[]);

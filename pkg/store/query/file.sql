-- Files in the storage (pkg/file).

-- name: ExpectFile :exec
-- The storage is about to have it.
insert into unkept_files (path, due_at) values (@path, now() + make_interval(secs => @keep_seconds::float8));

-- name: KeepFile :execrows
-- Nothing where it has been due.
with kept as (delete from unkept_files u where u.path = @path and not u.removing returning u.path)
insert into files (path, size) select kept.path, @size::bigint from kept;

-- name: ForgetFile :exec
-- It isn't kept: it is due now, also if it was due before.
insert into unkept_files (path, due_at) select @path::text, now() where not exists (select from files f where f.path = @path::text)
on conflict (path) do update set due_at = excluded.due_at;

-- name: DropFile :exec
delete from files where path = @path;

-- name: TakeDueFiles :many
-- Of all organizations: files to remove, which nobody else is about to.
update unkept_files u set removing = true, due_at = now() + make_interval(secs => @again_seconds::float8)
where u.path in (select d.path from unkept_files d where d.due_at <= now() order by d.due_at limit @most::int for update skip locked)
returning u.path;

-- name: EndRemoved :exec
delete from unkept_files where path = any (@paths::text[]);

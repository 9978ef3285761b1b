-- The queries in this file store archives that administrators request (rest-api.md, section 5.14).
--

-- name: LockExports :exec
-- Serializes requests for archives of an organization, with a lock that lasts until the transaction ends. Call it
-- before the transaction's first write.
select pg_advisory_xact_lock(23, hashint8(current_setting('app.org')::bigint));

-- name: RealmExports :many
select * from realm_exports where org_id = current_setting('app.org')::bigint order by export_id;

-- name: AddExport :one
insert into realm_exports (acting_user_id, requested_at, due_at) values (@acting_user_id, @requested_at::timestamptz, @requested_at::timestamptz) returning *;

-- name: RealmExport :one
select * from realm_exports where org_id = current_setting('app.org')::bigint and export_id = @export_id;

-- name: TakeExport :one
-- Leases an export that is due and returns it. No other process gets it until the lease ends. Returns no row if the
-- export isn't due, for example because another process has leased it.
update realm_exports e set due_at = now() + make_interval(secs => @lease_seconds::float8), attempts = attempts + 1
where e.org_id = current_setting('app.org')::bigint and e.export_id = @export_id and e.due_at <= now()
returning *;

-- name: KeepExport :execrows
-- Renews the lease of an attempt. Affects no row if the export was deleted or has ended, or another process has leased it.
update realm_exports set due_at = now() + make_interval(secs => @lease_seconds::float8)
where org_id = current_setting('app.org')::bigint and export_id = @export_id and due_at is not null and deleted_at is null and attempts = @attempts;

-- name: EndExport :execrows
-- Records the result of an attempt. Affects no row in the same cases as KeepExport.
update realm_exports set due_at = null, path = @path, failed_at = @failed_at
where org_id = current_setting('app.org')::bigint and export_id = @export_id and due_at is not null and deleted_at is null and attempts = @attempts;

-- name: DeleteExport :exec
update realm_exports set due_at = null, path = '', deleted_at = @deleted_at
where org_id = current_setting('app.org')::bigint and export_id = @export_id;

-- name: DueExports :many
-- Returns the exports of all organizations that are due, the longest waiting first.
select e.org_id, e.export_id from realm_exports e where e.due_at <= now() order by e.due_at limit @max_rows::int;

-- name: OldExports :many
-- Returns exports of all organizations whose archives were requested longer ago than keep_seconds and must be deleted.
select e.org_id, e.export_id from realm_exports e
where e.path <> '' and e.requested_at < now() - make_interval(secs => @keep_seconds::float8) limit @max_rows::int;

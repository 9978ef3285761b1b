-- The queries in this file store changes that take several transactions (docs/decisions/0014-short-transactions.md).
--

-- name: BeginChange :one
insert into changes (kind, state, due_at) values (@kind, @state, now() + make_interval(secs => @idle_seconds::float8))
returning change_id;

-- name: LockChange :exec
-- Locks a change until the transaction ends, so that two processes never perform steps of it at the same time. It takes
-- an advisory lock because a lock on the row would assign the transaction's id before the transaction has the locks of
-- streams.
select pg_advisory_xact_lock(4, hashint8(@change_id::bigint));

-- name: ChangeState :one
select state from changes where change_id = @change_id and kind = @kind;

-- name: AdvanceChange :exec
update changes set state = @state, failures = 0, due_at = now() + make_interval(secs => @idle_seconds::float8)
where change_id = @change_id;

-- name: EndChange :exec
delete from changes where change_id = @change_id;

-- name: PostponeChange :exec
update changes set failures = failures + 1, due_at = now() + make_interval(secs => @idle_seconds::float8)
where change_id = @change_id;

-- name: DueChanges :many
-- Returns, of each organization, the change of these kinds that has been due for the longest time.
select d.org_id, d.change_id, d.kind, d.failures from (
    select distinct on (org_id) org_id, change_id, kind, failures, due_at from changes
    where due_at < now() and failures < @max_failures::smallint and kind = any (@kinds::text[])
    order by org_id, due_at, change_id
) d
order by d.due_at;

-- Changes that take several transactions (docs/decisions/0014-short-transactions.md).

-- name: BeginChange :one
insert into changes (kind, state, due_at) values (@kind, @state, now() + make_interval(secs => @idle_seconds::float8))
returning change_id;

-- name: LockChange :exec
-- Two processes never do steps of one change at a time. A lock of its row would give the transaction its id before it
-- has the locks of streams.
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
select org_id, change_id, kind, failures from changes where due_at < now() and failures < @most_failures::smallint order by due_at limit 100;

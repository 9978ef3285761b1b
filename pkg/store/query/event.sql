-- A row that a snapshot sees has an xid below the snapshot's xmax, unless it is from another history of the database: a dump
-- that is restored on another server has the xids of the former one. Such rows are as if they weren't there.
--

-- name: InsertEvents :exec
-- Appends events to the log in the order of the lists, which are parallel. An empty string in changes is stored as
-- null: the event has no change.
insert into event_log (shard, type, payload, audience, change, trace)
select @shard, unnest(@types::text[]), unnest(@payloads::text[]), unnest(@audiences::text[]), nullif(unnest(@changes::text[]), ''), @trace;

-- name: ReadLog :many
-- Ends when the payloads before a row have max_bytes together.
select xid, id, org_id, type, payload, audience, change, trace, created_at, settled
from (
    select *, (xid < pg_snapshot_xmin(pg_current_snapshot()))::bool as settled,
        sum(octet_length(payload)) over (order by xid, id rows between unbounded preceding and 1 preceding) as before
    from event_log
    where shard = @shard and (xid, id) > (@after_xid::xid8, @after_id::bigint) and xid < pg_snapshot_xmax(pg_current_snapshot())
        and org_id <> all(@without::bigint[])
    order by xid, id
    limit @max_rows::int
) l
where coalesce(before, 0) < @max_bytes::bigint
order by xid, id;

-- name: ReadLogOf :many
-- Ends as ReadLog does.
select xid, id, org_id, type, payload, audience, change, trace, created_at, settled
from (
    select *, true as settled, -- the caller has read the log up to the last position
        sum(octet_length(payload)) over (order by xid, id rows between unbounded preceding and 1 preceding) as before
    from event_log
    where shard = @shard and org_id = @org_id
        and (xid, id) > (@after_xid::xid8, @after_id::bigint) and (xid, id) <= (@last_xid::xid8, @last_id::bigint)
    order by xid, id
    limit @max_rows::int
) l
where coalesce(before, 0) < @max_bytes::bigint
order by xid, id;

-- name: ChangesSince :many
select change from event_log
where shard = @shard and (xid, id) > (@after_xid::xid8, @after_id::bigint) and xid < pg_snapshot_xmax(pg_current_snapshot())
    and org_id = @org_id and change is not null
order by xid desc, id desc;

-- name: EventPayloads :many
select e.xid, e.id, e.org_id, e.payload
from (select unnest(@xids::text[]) as xid, unnest(@ids::bigint[]) as id) w
    join event_log e on e.shard = @shard and e.xid = w.xid::xid8 and e.id = w.id;

-- name: HasExpiring :one
-- Whether maintain_event_log deletes events of a shard after a position. It deletes partitions, of six hours each, as a whole.
select exists (
    select from event_log
    where shard = @shard and (xid, id) > (@after_xid::xid8, @after_id::bigint) and xid < pg_snapshot_xmax(pg_current_snapshot())
        and created_at < now() - make_interval(secs => @keep_seconds::float8)
        and (created_at < date_bin('6 hours', now() - make_interval(secs => @keep_seconds::float8), 'epoch')
            or tableoid = 'event_log_rest'::regclass)
)::bool;

-- name: ForgetOtherHistory :one
select forget_other_history(@shard::smallint, @max_rows::integer)::bigint as deleted;

-- name: LogPosition :one
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin;

-- name: MaintainEventLog :exec
select maintain_event_log(make_interval(secs => @keep_seconds::float8));

-- name: Incarnation :one
-- A physical restore or a failover begins another timeline. The restore of a dump makes the tables again, with other OIDs.
select (database::text || '.' || (select system_identifier from pg_control_system())::text
    || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || case when table_oid = 'installation'::regclass::oid then '' else '.' || 'installation'::regclass::oid end)::text as incarnation
from installation;

-- name: AllSubscriptions :many
select stream_id, user_id from subscriptions where org_id = @org_id and active order by stream_id, user_id;

-- name: AllAccounts :many
select user_id, role, bot_type, active from users where org_id = @org_id;

-- name: NoteUse :execrows
-- Notes that a server uses the database, unless another one has noted the same lately.
update installation set host = @host, redis = @redis, used_at = now()
where host = @host or redis = @redis or used_at < now() - make_interval(secs => @life_seconds::float8);

-- name: Shards :one
select shards from installation;

-- Events of another history of the database are deleted.

-- +goose Up

-- forget_other_history deletes up to most events of a shard whose transactions have ids that this server hasn't assigned yet, and returns
-- how many it deleted. A dump that was restored on another server has brought them along: once this server's ids get there, they
-- would be dispatched as new ones. It runs as the owner, since services may not remove anything from the log.
create function forget_other_history(of_shard smallint, most integer) returns bigint
    language sql volatile security definer set search_path from current as $$
    with gone as (
        delete from event_log e using (
            select l.xid, l.id from event_log l
            where l.shard = of_shard and l.xid >= pg_snapshot_xmax(pg_current_snapshot())
            order by l.xid, l.id limit most
        ) o
        where e.shard = of_shard and e.xid = o.xid and e.id = o.id
        returning 1
    )
    select count(*) from gone
$$;
revoke all on function forget_other_history(smallint, integer) from public;
grant execute on function forget_other_history(smallint, integer) to chatserver_everywhere;

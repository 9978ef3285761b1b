-- What is deleted from the log: events of another history of the database, and no longer those of an organization.
-- Two functions are dropped that no release calls.

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

-- erase_organization removes up to most rows of the transaction's organization, of one table, and returns how many; 0: nothing is left,
-- not even the organization. It finds the tables by their column org_id, so that none is ever forgotten, and begins with those that
-- fewest others refer to. It leaves the log alone, which has no index by organization: each call would read all of it. Nobody has a
-- queue for these events any more, and they are dropped with their partitions. It runs as the owner, which may delete from every table.
--
-- Rows are looked for before the first is removed, and only what removes holds up the delivery of events.
-- +goose StatementBegin
create or replace function erase_organization(most integer) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    org  constant bigint := current_setting('app.org')::bigint;
    part record;
    rows bigint;
begin
    if not exists (select from organizations where org_id = org) then
        return 0;
    end if;
    if not exists (select from organizations where org_id = org and deleting) then
        raise exception 'organization % is not to be deleted', org;
    end if;
    for part in
        select c.oid::regclass as name from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname not like 'event\_log%'
        order by c.relname = 'organizations',
            (select count(*) from pg_constraint f where f.contype = 'f' and f.confrelid = c.oid and f.conrelid <> c.oid), c.relname
    loop
        begin
            if part.name = 'users'::regclass then
                update users set owner_id = null
                    where ctid = any (array(select u.ctid from users u where u.org_id = org and u.owner_id is not null limit most));
                get diagnostics rows = row_count;
                if rows > 0 then
                    return rows;
                end if;
            end if;
            execute format('delete from %s where ctid = any (array(select ctid from %1$s where org_id = $1 limit $2))', part.name)
                using org, most;
            get diagnostics rows = row_count;
            if rows > 0 then
                return rows;
            end if;
        exception when foreign_key_violation then
            null; -- others refer to it, and come first
        end;
    end loop;
    raise exception 'organization % cannot be erased: its tables refer to each other', org;
end $$;
-- +goose StatementEnd

drop function send_message(boolean, bigint, smallint, bigint, bigint, bigint, bigint, bigint, text, text, text, smallint, text, smallint,
    bigint[], smallint[], bigint[], smallint[], text, text, text);
drop function destroy_deleted_messages(interval);

-- Which transaction last changed who is subscribed to a stream.

-- +goose Up

-- Who is subscribed is the same in all snapshots in which this is the same, so a process can keep who it has read. Each transaction sets
-- it to its own id. Whoever changes subscriptions holds the stream's lock already, so nobody waits for the row.
alter table streams add column subscribers_xid xid8 not null default '0';

-- They run as the owner, for administrators import subscriptions to streams of any organization.
-- +goose StatementBegin
create function note_subscribers() returns trigger
    language plpgsql security definer set search_path from current as $$
begin
    update streams s set subscribers_xid = pg_current_xact_id()
    from (select distinct org_id, stream_id from changed) c
    where s.org_id = c.org_id and s.stream_id = c.stream_id and s.subscribers_xid <> pg_current_xact_id(); -- once in a transaction
    return null;
end $$;
create function note_subscriber() returns trigger
    language plpgsql security definer set search_path from current as $$
begin
    update streams set subscribers_xid = pg_current_xact_id()
    where org_id = new.org_id and stream_id = new.stream_id and subscribers_xid <> pg_current_xact_id();
    return null;
end $$;
-- +goose StatementEnd
revoke all on function note_subscribers(), note_subscriber() from public;

create trigger subscriptions_added after insert on subscriptions
    referencing new table as changed for each statement execute function note_subscribers();
create trigger subscriptions_removed after delete on subscriptions
    referencing old table as changed for each statement execute function note_subscribers();
-- By rows, so that it is never called by the many statements that only mark messages as read.
create trigger subscriptions_active after update of active on subscriptions
    for each row when (old.active is distinct from new.active) execute function note_subscriber();

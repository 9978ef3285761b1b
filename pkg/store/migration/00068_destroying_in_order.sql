-- Destroying deleted messages takes as long for each of many as for each of few.

-- +goose Up

-- destroy_some_deleted_messages destroys messages that were deleted longer ago than keep, the oldest first, with their submessages: up to
-- most rows. It returns how many; fewer than most: no such message is left. It looks for submessages of as many messages only: if it looked
-- for those of all, each call would read again what the one before has read. The subqueries make PostgreSQL fetch the rows, however few
-- others the table has: it would rather read all of a small table than fetch 500 known rows.
-- +goose StatementBegin
create or replace function destroy_some_deleted_messages(keep interval, most integer) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    due      tid[];
    parts    bigint;
    messages bigint := 0;
begin
    due := array(select ctid from deleted_messages where deleted_at < now() - keep order by deleted_at limit most);
    delete from submessages where ctid = any (array(
        select s.ctid from deleted_messages d
        cross join lateral (
            select s.ctid from submessages s where s.org_id = d.org_id and s.message_id = d.message_id
            offset 0 -- looks them up by index
        ) s
        where d.ctid = any (array(select unnest(due))) limit most));
    get diagnostics parts = row_count;
    if parts < most then -- none of them has any more
        delete from deleted_messages where ctid = any (array(select unnest(due[:most - parts])));
        get diagnostics messages = row_count;
    end if;
    return parts + messages;
end $$;
-- +goose StatementEnd

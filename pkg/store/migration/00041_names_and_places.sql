-- Locks of places are released one by one. People are found by their provider's names.

-- +goose Up

-- settled_upto returns the id up to which no message of these streams and conversations is still on its
-- way: every one is there to see, or will never be. A send holds the shared lock of where it goes from
-- before it takes an id until it ends, so having had each lock alone is to have seen all of them end. An
-- exception releases each lock at once, so that whoever calls it holds up no send, neither while it waits for
-- the next lock, nor in a longer transaction. With one lock at a time it can't be part of a deadlock.
-- +goose StatementBegin
create or replace function settled_upto(places bigint[]) returns bigint language plpgsql volatile as $$
declare
    newest constant bigint := next_message_id() - 1;
    place  bigint;
begin
    for place in select p from unnest(places) p loop
        begin
            perform pg_advisory_xact_lock(place);
            raise sqlstate 'CS000';
        exception when sqlstate 'CS000' then
            null;
        end;
    end loop;
    return newest;
end $$;
-- +goose StatementEnd

-- An index on lower(user_name) can't be used under row-level security.
alter table scim_users add name_key text not null generated always as (lower(user_name)) stored;
drop index scim_users_name;
create unique index scim_users_name on scim_users (org_id, name_key) where not removed;

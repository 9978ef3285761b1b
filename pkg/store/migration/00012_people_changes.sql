-- Whether what others see of an organization's accounts has changed.

-- +goose Up

-- An encoded list of accounts is valid as long as the sum of an organization's changes is what it was in the snapshot
-- that the list was read in. Snapshots with the same sum see the same accounts: each transaction that changes them
-- adds one.
--
-- It isn't one row that all of them update, for they would wait for each other, and with an id that their transaction has
-- already, so that the events of all organizations would wait, too. Each takes the rows that it can lock without waiting,
-- and replaces them by one that has their sum and one more.
create table people_changes (
    org_id  bigint not null default current_setting('app.org')::bigint references organizations,
    xid     xid8   not null default pg_current_xact_id(),
    changes bigint not null,
    primary key (org_id, xid)
);
alter table people_changes enable row level security;
create policy own_organization on people_changes to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on people_changes to chatserver_everywhere using (true) with check (true);
grant select on people_changes to chatserver_service;

-- It runs as the owner, for services may not take away changes, and administrators change accounts of any organization.
-- +goose StatementBegin
create function note_people_change() returns trigger
    language plpgsql security definer set search_path from current as $$
declare
    org  constant bigint := case when tg_op = 'DELETE' then old.org_id else new.org_id end;
    mark constant text := org || ' ' || pg_current_xact_id();
begin
    if current_setting('app.people_change', true) is distinct from mark then -- once in a transaction
        with merged as (
            delete from people_changes where ctid = any (array(
                select ctid from people_changes where org_id = org limit 1000 for update skip locked))
            returning changes
        )
        insert into people_changes (org_id, changes) select org, coalesce(sum(changes), 0) + 1 from merged;
        perform set_config('app.people_change', mark, true);
    end if;
    return null;
end $$;
-- +goose StatementEnd
revoke all on function note_people_change() from public;

create trigger users_people after insert or delete on users for each row execute function note_people_change();
create trigger users_people_update after update on users for each row
    when ((old.email, old.full_name, old.role, old.bot_type, old.system, old.owner_id, old.active, old.timezone, old.avatar_source, old.avatar_version, old.joined_at)
        is distinct from (new.email, new.full_name, new.role, new.bot_type, new.system, new.owner_id, new.active, new.timezone, new.avatar_source, new.avatar_version, new.joined_at))
    execute function note_people_change();
create trigger profile_values_people after insert or update or delete
    on profile_values for each row execute function note_people_change();
-- Settings decide which addresses and pictures are shown.
create trigger organizations_people after update of subdomain, settings
    on organizations for each row when (old.subdomain is distinct from new.subdomain or old.settings is distinct from new.settings)
    execute function note_people_change();

-- Whoever starts a client asks for the bots that they keep.
create index users_bots on users (org_id, user_id) where bot_type is not null;

-- Changes that take several transactions.

-- +goose Up

-- What is left of each (docs/decisions/0014-short-transactions.md). A row is made in the transaction of a
-- change's first step, changed in that of each other one, and deleted in that of the last.
create sequence change_ids;
create table changes (
    org_id    bigint      not null default current_setting('app.org')::bigint references organizations,
    change_id bigint      not null default nextval('change_ids'),
    kind      text        not null,
    state     jsonb       not null,
    failures  smallint    not null default 0, -- since the last step that succeeded
    due_at    timestamptz not null,           -- when any process continues it, if nobody has by then
    primary key (org_id, change_id)
);
create index changes_due on changes (due_at);
alter table changes enable row level security;
create policy own_organization on changes to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on changes to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on changes to chatserver_service;
grant select on changes to chatserver_everywhere;
grant usage on sequence change_ids to chatserver_service;

-- destroy_some_deleted_messages ends up to most messages that were deleted before keep, and returns how many it
-- were. It runs as the owner, since it is about all organizations. The function without a bound stays for the
-- release before.
create function destroy_some_deleted_messages(keep interval, most integer) returns bigint
    language sql security definer set search_path from current as $$
    with gone as (
        delete from deleted_messages where ctid = any (array(
            select ctid from deleted_messages where deleted_at < now() - keep limit most))
        returning 1
    )
    select count(*) from gone
$$;
revoke all on function destroy_some_deleted_messages(interval, integer) from public;
grant execute on function destroy_some_deleted_messages(interval, integer) to chatserver_everywhere;

-- Organizations that are imported, and archives of organizations.

-- +goose Up

-- An organization that is being imported (docs/decisions/0020-transfer.md). It is deactivated until it is whole; then the row goes.
create table imports (
    org_id     bigint      not null default current_setting('app.org')::bigint primary key references organizations,
    archive    bytea       not null, -- SHA-256 of what distinguishes the archive from others
    started_at timestamptz not null default now()
);

-- What became of an archive's ids.
create table import_ids (
    org_id bigint not null default current_setting('app.org')::bigint references organizations,
    kind   text   not null,
    source bigint not null, -- the archive's
    id     bigint not null, -- this server's
    primary key (org_id, kind, source)
);

-- A portion of an archive's messages, in the order of their ids. Its ids are taken before it is stored, so that portions can be
-- stored in any order.
create table import_portions (
    org_id   bigint   not null default current_setting('app.org')::bigint references organizations,
    portion  integer  not null,
    messages bigint[] not null, -- ids, ascending
    stored   integer  not null default 0, -- how many of them are
    primary key (org_id, portion)
);

-- import_rows inserts rows of a table, of which these columns are given; the others have their defaults. Rows that are there already
-- stay as they are. It returns how many it inserted. Row-level security holds, since it runs as its caller.
-- +goose StatementBegin
create function import_rows(into_table text, columns text[], rows json) returns bigint language plpgsql as $$
declare
    list text := (select string_agg(format('%I', c), ', ') from unnest(columns) c);
    rows_inserted bigint;
begin
    execute format('insert into %I (%s) select %2$s from json_populate_recordset(null::%1$I, $1) on conflict do nothing', into_table, list)
        using rows;
    get diagnostics rows_inserted = row_count;
    return rows_inserted;
end $$;
-- +goose StatementEnd

-- Archives that administrators ask for (rest-api.md, section 5.14), and what became of them.
create sequence realm_export_ids;
create table realm_exports (
    org_id         bigint      not null default current_setting('app.org')::bigint references organizations,
    export_id      bigint      not null default nextval('realm_export_ids'),
    acting_user_id bigint      not null,
    requested_at   timestamptz not null default now(),
    due_at         timestamptz, -- when any process makes the archive, if nobody has by then; null: it is made, or has failed
    attempts       smallint    not null default 0,
    path           text        not null default '', -- of the archive, in files; empty: there is none
    failed_at      timestamptz,
    deleted_at     timestamptz,
    primary key (org_id, export_id),
    foreign key (org_id, acting_user_id) references users
);
create index realm_exports_due on realm_exports (due_at) where due_at is not null;

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['imports', 'import_ids', 'import_portions', 'realm_exports'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd
grant select on realm_exports to chatserver_everywhere;
grant usage on sequence realm_export_ids to chatserver_service;

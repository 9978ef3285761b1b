-- What identity providers manage by SCIM.

-- +goose Up

-- Tokens by which a provider manages an organization's accounts: the current one, and while it is replaced the one before.
create table scim_tokens (
    org_id     bigint      not null default current_setting('app.org')::bigint references organizations,
    token_hash bytea       not null, -- SHA-256
    issued_at  timestamptz not null default clock_timestamp(),
    primary key (org_id, token_hash)
);

-- What a provider calls an account, if it has said so. An account that it has deleted stays, deactivated, and isn't shown to it.
create table scim_users (
    org_id      bigint  not null default current_setting('app.org')::bigint,
    user_id     bigint  not null,
    user_name   text    not null,
    external_id text,
    removed     boolean not null default false,
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);
create unique index scim_users_name on scim_users (org_id, lower(user_name)) where not removed;
create index scim_users_external on scim_users (org_id, external_id) where external_id is not null;

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['scim_tokens', 'scim_users'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd

-- Who people are at identity providers.

-- +goose Up

-- An account that somebody signed in to by an identity provider (docs/decisions/0016-signing-in.md). What a provider calls a
-- subject is unique for its issuer, and never becomes another person's; addresses may.
create table identities (
    org_id    bigint      not null default current_setting('app.org')::bigint,
    issuer    text        not null,
    subject   text        not null,
    user_id   bigint      not null,
    linked_at timestamptz not null default now(),
    primary key (org_id, issuer, subject),
    unique (org_id, user_id, issuer),
    foreign key (org_id, user_id) references users
);
alter table identities enable row level security;
create policy own_organization on identities to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on identities to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on identities to chatserver_service;

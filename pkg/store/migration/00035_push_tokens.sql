-- What apps on mobile devices name to be notified by (docs/decisions/0022-web-push.md).

-- +goose Up

-- Nothing is sent to them, so their hashes are enough to say which an account has.
create table push_tokens (
    org_id   bigint      not null default current_setting('app.org')::bigint,
    user_id  bigint      not null,
    service  text        not null check (service in ('apns', 'gcm')),
    hash     bytea       not null, -- SHA-256 of the token
    added_at timestamptz not null default now(),
    primary key (org_id, user_id, service, hash),
    foreign key (org_id, user_id) references users
);

alter table push_tokens enable row level security;
create policy own_organization on push_tokens to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on push_tokens to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on push_tokens to chatserver_service;

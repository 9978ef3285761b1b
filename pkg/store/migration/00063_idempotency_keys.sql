-- The keys by which clients say that a message is one that they may have sent before, and what came of them.

-- +goose Up

create table idempotency_keys (
    org_id       bigint      not null default current_setting('app.org')::bigint,
    sender_id    bigint      not null,
    key_hash     bytea       not null, -- SHA-256
    request_hash bytea       not null, -- SHA-256 of what was sent with it
    message_id   bigint, -- null: the message is sent later
    used_at      timestamptz not null default now(),
    primary key (org_id, sender_id, key_hash),
    foreign key (org_id, sender_id) references users
);
create index idempotency_keys_used on idempotency_keys (org_id, sender_id, used_at);

alter table idempotency_keys enable row level security;
create policy own_organization on idempotency_keys to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on idempotency_keys to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on idempotency_keys to chatserver_service;

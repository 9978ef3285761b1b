-- Notifications that browsers show (docs/decisions/0022-web-push.md).

-- +goose Up

-- Browsers that show notifications, and the messages that each is still to be notified of.
create sequence push_device_ids;
create table push_devices (
    org_id    bigint      not null default current_setting('app.org')::bigint,
    device_id bigint      not null default nextval('push_device_ids'),
    user_id   bigint      not null,
    login_id  bigint,               -- that added it, and with which it ends; null: the account's own API key did
    endpoint  text        not null, -- where its push service takes notifications
    p256dh    bytea       not null, -- its key: what is sent is encrypted for it (RFC 8291)
    auth      bytea       not null, -- its secret
    client    text        not null, -- the program that added it (rest-api.md, section 1.8)
    added_at  timestamptz not null default now(),
    messages  bigint[]    not null default '{}',
    due_at    timestamptz,          -- who is about to send moves this on, so that nobody else does; null: there are no messages
    attempts  smallint    not null default 0, -- since one was taken
    primary key (org_id, device_id),
    foreign key (org_id, user_id) references users,
    foreign key (org_id, login_id) references logins on delete cascade
);
create unique index push_devices_endpoint on push_devices (org_id, endpoint);
create index push_devices_user on push_devices (org_id, user_id);
create index push_devices_login on push_devices (org_id, login_id) where login_id is not null;
create index push_devices_due on push_devices (due_at) where due_at is not null;

alter table push_devices enable row level security;
create policy own_organization on push_devices to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on push_devices to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on push_devices to chatserver_service;
grant select (org_id, device_id, due_at) on push_devices to chatserver_everywhere;
grant usage on sequence push_device_ids to chatserver_service;

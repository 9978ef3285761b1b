-- Mail that comes in.

-- +goose Up

-- What the address of a stream has, by which mail becomes a message: 122 random bits.
alter table streams add column email_token text not null default replace(gen_random_uuid()::text, '-', '');
create unique index streams_email_token on streams (email_token);

-- Mails that have become messages, for a week: mail servers may deliver a mail again.
create table received_mails (
    org_id      bigint      not null default current_setting('app.org')::bigint references organizations,
    mail_hash   bytea       not null, -- SHA-256 of the mail's id and of the address
    received_at timestamptz not null default now(),
    primary key (org_id, mail_hash)
);
create index received_mails_received_at on received_mails (org_id, received_at);

alter table received_mails enable row level security;
create policy own_organization on received_mails to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on received_mails to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on received_mails to chatserver_service;

-- What people miss (docs/decisions/0021-missed-messages.md).

-- +goose Up

-- How far each shard's log has been looked through for messages that somebody may miss.
create table missed_places (
    shard  smallint    primary key,
    xid    xid8        not null,
    id     bigint      not null,
    due_at timestamptz not null default now() -- who is about to look moves this on, so that nobody else does
);

-- Messages that people who are away are to be mailed, where they are still unread by then. A row stays, to know what somebody was
-- mailed lately.
create table missed_mails (
    org_id   bigint      not null default current_setting('app.org')::bigint,
    user_id  bigint      not null,
    messages bigint[]    not null default '{}',
    due_at   timestamptz,                   -- null: there are no messages
    hour     timestamptz not null default 'epoch', -- since when mails are counted
    mails    smallint    not null default 0,
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);
create index missed_mails_due on missed_mails (due_at) where due_at is not null;

-- Who wants to be notified of all messages of streams: few, and messages are many.
create index users_hear_streams on users (org_id, user_id)
    where settings @> '{"enable_stream_email_notifications": true}' or settings @> '{"enable_stream_push_notifications": true}';
create index subscriptions_heard on subscriptions (org_id, stream_id, user_id) where email_notifications or push_notifications;

-- How far an organization's people have been sent the digest of a day.
create table digests (
    org_id  bigint  not null default current_setting('app.org')::bigint references organizations,
    day     date    not null,
    user_id bigint  not null, -- all up to this account have
    done    boolean not null, -- everybody has
    primary key (org_id)
);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['missed_mails', 'digests'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
        execute format('grant select on %I to chatserver_everywhere', t);
    end loop;
end $$;
-- +goose StatementEnd
grant select, insert, update on missed_places to chatserver_everywhere;

-- Messages that are sent later, and reminders.

-- +goose Up

create sequence scheduled_message_ids;
create table scheduled_messages (
    org_id          bigint      not null default current_setting('app.org')::bigint references organizations,
    scheduled_id    bigint      not null default nextval('scheduled_message_ids'),
    sender_id       bigint      not null,
    stream_id       bigint, -- null: a private message
    conversation_id bigint, -- null: a message to a stream
    topic           text        not null,
    content         text        not null,
    widget          text, -- what widget_content said
    client          text        not null,
    reminder        boolean     not null,
    deliver_at      timestamptz not null,
    due_at          timestamptz not null, -- the same, or later when it has failed
    failures        smallint    not null default 0,
    primary key (org_id, scheduled_id),
    foreign key (org_id, sender_id) references users,
    check ((stream_id is null) <> (conversation_id is null))
);
create index scheduled_messages_due on scheduled_messages (org_id, due_at, scheduled_id);
create index scheduled_messages_sender on scheduled_messages (org_id, sender_id);

alter table scheduled_messages enable row level security;
create policy own_organization on scheduled_messages to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on scheduled_messages to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on scheduled_messages to chatserver_service;
grant select on scheduled_messages to chatserver_everywhere;
grant usage on sequence scheduled_message_ids to chatserver_service;

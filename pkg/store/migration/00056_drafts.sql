-- What people have written and not sent, so that they can go on at another device.

-- +goose Up

create sequence draft_ids;
create table drafts (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    draft_id   bigint      not null default nextval('draft_ids'),
    user_id    bigint      not null,
    stream_id  bigint, -- null: not for a stream
    people     bigint[], -- null: not for people
    topic      text        not null,
    content    text        not null,
    changed_at timestamptz not null, -- as the client said
    primary key (org_id, draft_id),
    foreign key (org_id, user_id) references users,
    check (stream_id is null or people is null)
);
create index drafts_user on drafts (org_id, user_id, draft_id);

alter table drafts enable row level security;
create policy own_organization on drafts to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on drafts to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on drafts to chatserver_service;
grant usage on sequence draft_ids to chatserver_service;

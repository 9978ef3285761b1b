-- Named groups of people, who can be mentioned together.

-- +goose Up

-- Members are a part of the row: a group has a thousand at most (pkg/group), and whoever asks for a group asks for them.
create sequence user_group_ids;
create table user_groups (
    org_id      bigint   not null default current_setting('app.org')::bigint references organizations,
    group_id    bigint   not null default nextval('user_group_ids'),
    name        text     not null check (char_length(name) between 1 and 100),
    description text     not null,
    members     bigint[] not null, -- ids of accounts, ascending
    primary key (org_id, group_id),
    unique (org_id, name)
);
alter table user_groups enable row level security;
create policy own_organization on user_groups to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on user_groups to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on user_groups to chatserver_service;
grant usage on sequence user_group_ids to chatserver_service;

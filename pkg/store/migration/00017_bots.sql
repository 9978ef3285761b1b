-- Bots that people make.

-- +goose Up

-- Where an outgoing webhook bot sends what concerns it (rest-api.md, section 5.12).
create table bot_services (
    org_id    bigint   not null default current_setting('app.org')::bigint,
    user_id   bigint   not null,
    url       text     not null check (char_length(url) between 1 and 2048),
    interface smallint not null check (interface in (1, 2)), -- generic, as Slack does
    token     text     not null, -- part of each request; it opens nothing here
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);

-- What incoming webhook bots are configured with: strings by key.
create table bot_configs (
    org_id  bigint not null default current_setting('app.org')::bigint,
    user_id bigint not null,
    config  jsonb  not null,
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);

-- What accounts keep here (rest-api.md, section 5.13).
create table bot_storage (
    org_id     bigint  not null default current_setting('app.org')::bigint,
    user_id    bigint  not null,
    key        text    not null check (char_length(key) <= 500),
    value      text    not null,
    characters integer not null generated always as (char_length(key) + char_length(value)) stored,
    primary key (org_id, user_id, key),
    foreign key (org_id, user_id) references users
);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['bot_services', 'bot_configs', 'bot_storage'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd

-- What an organization decides: which addresses may join, what becomes a link, and which streams newcomers choose from.

-- +goose Up

-- The domains that new addresses have to belong to, if the organization's settings say so.
create sequence email_domain_ids;
create table email_domains (
    org_id           bigint  not null default current_setting('app.org')::bigint references organizations,
    domain           text    not null check (domain = lower(domain) and char_length(domain) between 1 and 255),
    domain_id        bigint  not null default nextval('email_domain_ids'),
    allow_subdomains boolean not null,
    primary key (org_id, domain)
);

-- Patterns of text that become links, in the order of their ids. A change of them also counts in
-- organizations.alert_words_version: senders look for both, and it says which version of both they know.
create sequence linkifier_ids;
create table linkifiers (
    org_id       bigint not null default current_setting('app.org')::bigint references organizations,
    linkifier_id bigint not null default nextval('linkifier_ids'),
    pattern      text   not null check (char_length(pattern) between 1 and 500),
    url_format   text   not null check (char_length(url_format) between 1 and 500),
    primary key (org_id, linkifier_id),
    unique (org_id, pattern)
);

create sequence default_stream_group_ids;
create table default_stream_groups (
    org_id      bigint not null default current_setting('app.org')::bigint references organizations,
    group_id    bigint not null default nextval('default_stream_group_ids'),
    name        text   not null check (char_length(name) between 1 and 60),
    description text   not null check (char_length(description) <= 1024),
    primary key (org_id, group_id),
    unique (org_id, name)
);
create table default_stream_group_streams (
    org_id    bigint not null default current_setting('app.org')::bigint,
    group_id  bigint not null,
    stream_id bigint not null,
    primary key (org_id, group_id, stream_id),
    foreign key (org_id, group_id) references default_stream_groups on delete cascade,
    foreign key (org_id, stream_id) references streams
);
create index default_stream_group_streams_stream on default_stream_group_streams (org_id, stream_id);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['email_domains', 'linkifiers', 'default_stream_groups', 'default_stream_group_streams'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd
grant usage on sequence email_domain_ids, linkifier_ids, default_stream_group_ids to chatserver_service;

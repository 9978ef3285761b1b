-- Uploaded pictures of people and organizations, and emoji of organizations.

-- +goose Up

-- Where uploaded pictures are, in files; empty: there is none. There are no foreign keys, for files refer to organizations.
alter table users add avatar_path text not null default '' check (octet_length(avatar_path) <= 200);
create unique index users_avatar on users (org_id, avatar_path) where avatar_path <> '';
alter table organizations
    add icon_path          text    not null default '' check (octet_length(icon_path) <= 200),
    add icon_version       integer not null default 1,
    add logo_path          text    not null default '' check (octet_length(logo_path) <= 200),
    add logo_version       integer not null default 1,
    add night_logo_path    text    not null default '' check (octet_length(night_logo_path) <= 200),
    add night_logo_version integer not null default 1;

-- authenticate finds an account by its API key, the one before it, or one that was issued at a login.
drop function authenticate(bytea);
-- +goose StatementBegin
create function authenticate(key_hash bytea) returns table (
    org_id bigint, subdomain text, org_deactivated boolean, org_settings jsonb, alert_words_version bigint,
    user_id bigint, email text, full_name text, role smallint, bot_type smallint, active boolean, joined_at timestamptz,
    avatar_source text, avatar_version integer, avatar_path text, settings jsonb,
    owner_id bigint, owner_role smallint, owner_joined_at timestamptz,
    user_changed_at timestamptz, org_changed_at timestamptz, owner_changed_at timestamptz, key_ends timestamptz, login_id bigint
) language sql stable security definer set search_path from current as $$
    select u.org_id, o.subdomain, o.deactivated, o.settings, o.alert_words_version,
        u.user_id, u.email, u.full_name, u.role, u.bot_type, u.active, u.joined_at,
        u.avatar_source, u.avatar_version, u.avatar_path, u.settings,
        u.owner_id, case when b.active then b.role end, b.joined_at,
        u.changed_at, o.changed_at, b.changed_at, k.ends, k.login_id
    from (
        select a.org_id, a.user_id, null::timestamptz as ends, null::bigint as login_id, 1 as place from users a where a.api_key_hash = key_hash
        union all
        select a.org_id, a.user_id, a.previous_key_ends, null, 2 from users a where a.previous_key_hash = key_hash
        union all
        select l.org_id, l.user_id, l.ends_at, l.login_id, 3 from logins l where l.key_hash = authenticate.key_hash
    ) k
    join users u on u.org_id = k.org_id and u.user_id = k.user_id
    join organizations o on o.org_id = u.org_id
    left join users b on b.org_id = u.org_id and b.user_id = u.owner_id
    order by k.place
    limit 1
$$;
-- +goose StatementEnd
revoke all on function authenticate(bytea) from public;
grant execute on function authenticate(bytea) to chatserver_service;

-- Emoji of organizations. One that isn't active is shown where it was used, and its name may be another one's.
create sequence emoji_ids;
create table emoji (
    org_id    bigint      not null default current_setting('app.org')::bigint references organizations,
    emoji_id  bigint      not null default nextval('emoji_ids'),
    name      text        not null check (name ~ '^[0-9a-z._-]{1,100}$'),
    author_id bigint      not null,
    path      text        not null,
    animated  boolean     not null,
    active    boolean     not null default true,
    added_at  timestamptz not null default now(),
    primary key (org_id, emoji_id),
    foreign key (org_id, author_id) references users,
    foreign key (org_id, path) references files
);
create unique index emoji_name on emoji (org_id, name) where active;
create index emoji_author on emoji (org_id, author_id, added_at);
alter table emoji enable row level security;
create policy own_organization on emoji to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on emoji to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on emoji to chatserver_service;
grant usage on sequence emoji_ids to chatserver_service;

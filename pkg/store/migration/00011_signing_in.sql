-- Passwords, and keys of those who signed in.

-- +goose Up

-- Passwords are in a table of their own: nothing but signing in reads it.
create table passwords (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    user_id    bigint      not null,
    hash       text        not null, -- Argon2id, as a PHC string (pkg/password)
    changed_at timestamptz not null default now(),
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);

-- Keys that were issued to a program that signed in (docs/decisions/0016-signing-in.md). An account's own API key is in users.
create sequence login_ids;
create table logins (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    login_id   bigint      not null default nextval('login_ids'),
    user_id    bigint      not null,
    key_hash   bytea       not null unique, -- SHA-256
    client     text        not null, -- the program that signed in (rest-api.md, section 1.8)
    created_at timestamptz not null default now(),
    ends_at    timestamptz, -- null: when it is ended
    primary key (org_id, login_id),
    foreign key (org_id, user_id) references users
);
create index logins_user on logins (org_id, user_id, login_id);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['passwords', 'logins'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd
grant usage on sequence login_ids to chatserver_service;

-- authenticate finds an account by its API key, the one before it, or one that was issued at a login.
drop function authenticate(bytea);
-- +goose StatementBegin
create function authenticate(key_hash bytea) returns table (
    org_id bigint, subdomain text, org_deactivated boolean, org_settings jsonb, alert_words_version bigint,
    user_id bigint, email text, full_name text, role smallint, bot_type smallint, active boolean, joined_at timestamptz,
    avatar_source text, avatar_version integer, settings jsonb,
    owner_id bigint, owner_role smallint, owner_joined_at timestamptz,
    user_changed_at timestamptz, org_changed_at timestamptz, owner_changed_at timestamptz, key_ends timestamptz, login_id bigint
) language sql stable security definer set search_path from current as $$
    select u.org_id, o.subdomain, o.deactivated, o.settings, o.alert_words_version,
        u.user_id, u.email, u.full_name, u.role, u.bot_type, u.active, u.joined_at,
        u.avatar_source, u.avatar_version, u.settings,
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

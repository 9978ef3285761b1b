-- Administration by machines: keys that callers give, rotation of API keys, deletion of organizations.

-- +goose Up

-- external_key is what machines call the organization; null: none of them keeps it. One that is to be
-- deleted is deactivated, too, and stays so.
alter table organizations
    add external_key text check (char_length(external_key) between 1 and 200),
    add deleting     boolean not null default false check (deactivated or not deleting);
create unique index organizations_external_key on organizations (external_key);

-- What machines call the rest, and what they say of it that the object itself has no place for.
create table external_keys (
    org_id       bigint not null default current_setting('app.org')::bigint references organizations,
    kind         text   not null check (kind in ('stream', 'bot', 'webhook')),
    external_key text   not null check (char_length(external_key) between 1 and 200),
    object_id    bigint not null,
    details      jsonb  not null default '{}',
    primary key (org_id, kind, external_key)
);
-- A bot and a webhook are accounts both; nothing is kept under two keys.
create unique index external_keys_object on external_keys (org_id, object_id, (kind = 'stream'));

-- After a rotation the key before it works for a while. Who asks compares previous_key_ends with their
-- own clock.
alter table users
    add previous_key_hash bytea unique,
    add previous_key_ends timestamptz,
    add check ((previous_key_hash is null) = (previous_key_ends is null));
drop trigger users_changed on users;
create trigger users_changed
    before update of email, full_name, role, bot_type, owner_id, active, api_key_hash, previous_key_hash, previous_key_ends,
        avatar_source, avatar_version, settings
    on users for each row execute function note_change();
drop function authenticate(bytea);
-- +goose StatementBegin
create function authenticate(key_hash bytea) returns table (
    org_id bigint, subdomain text, org_deactivated boolean, org_settings jsonb, alert_words_version bigint,
    user_id bigint, email text, full_name text, role smallint, bot_type smallint, active boolean, joined_at timestamptz,
    avatar_source text, avatar_version integer, settings jsonb,
    owner_id bigint, owner_role smallint, owner_joined_at timestamptz,
    user_changed_at timestamptz, org_changed_at timestamptz, owner_changed_at timestamptz, key_ends timestamptz
) language sql stable security definer set search_path from current as $$
    select u.org_id, o.subdomain, o.deactivated, o.settings, o.alert_words_version,
        u.user_id, u.email, u.full_name, u.role, u.bot_type, u.active, u.joined_at,
        u.avatar_source, u.avatar_version, u.settings,
        u.owner_id, case when b.active then b.role end, b.joined_at,
        u.changed_at, o.changed_at, b.changed_at,
        case when u.api_key_hash is distinct from key_hash then u.previous_key_ends end
    from users u
    join organizations o on o.org_id = u.org_id
    left join users b on b.org_id = u.org_id and b.user_id = u.owner_id
    where u.api_key_hash = key_hash or u.previous_key_hash = key_hash
    order by u.api_key_hash is distinct from key_hash
    limit 1
$$;
-- +goose StatementEnd
revoke all on function authenticate(bytea) from public;
grant execute on function authenticate(bytea) to chatserver_service;

-- key_in_use says whether any account has an API key, or had it and may still use it. A key tells the
-- organization, too, so this looks at all of them.
create function key_in_use(key_hash bytea, but_by bigint) returns boolean
    language sql stable security definer set search_path from current as $$
    select exists (select from users u where (u.api_key_hash = key_hash or u.previous_key_hash = key_hash) and u.user_id <> but_by)
$$;
revoke all on function key_in_use(bytea, bigint) from public;
grant execute on function key_in_use(bytea, bigint) to chatserver_service;

-- erase_organization removes up to most rows of the transaction's organization, of one table, and gives
-- how many; 0: nothing is left, not even the organization. It finds the tables by their column org_id,
-- so that none is ever forgotten, and begins with those that fewest others refer to. It runs as the
-- owner, for services may not take anything out of the log.
--
-- Rows are looked for before the first is removed, and only what removes holds up the delivery of events.
-- +goose StatementBegin
create function erase_organization(most integer) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    org  constant bigint := current_setting('app.org')::bigint;
    part record;
    rows bigint;
begin
    if not exists (select from organizations where org_id = org) then
        return 0;
    end if;
    if not exists (select from organizations where org_id = org and deleting) then
        raise exception 'organization % is not to be deleted', org;
    end if;
    for part in
        select c.oid::regclass as name from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        -- The log has no index by organization, so it is looked through when all else is gone.
        order by c.relname = 'organizations', c.relname like 'event\_log%',
            (select count(*) from pg_constraint f where f.contype = 'f' and f.confrelid = c.oid and f.conrelid <> c.oid), c.relname
    loop
        begin
            if part.name = 'users'::regclass then
                update users set owner_id = null
                    where ctid = any (array(select u.ctid from users u where u.org_id = org and u.owner_id is not null limit most));
                get diagnostics rows = row_count;
                if rows > 0 then
                    return rows;
                end if;
            end if;
            execute format('delete from %s where ctid = any (array(select ctid from %1$s where org_id = $1 limit $2))', part.name)
                using org, most;
            get diagnostics rows = row_count;
            if rows > 0 then
                return rows;
            end if;
        exception when foreign_key_violation then
            null; -- others refer to it, and come first
        end;
    end loop;
    raise exception 'organization % cannot be erased: its tables refer to each other', org;
end $$;
-- +goose StatementEnd
revoke all on function erase_organization(integer) from public;
grant execute on function erase_organization(integer) to chatserver_service;

alter table external_keys enable row level security;
create policy own_organization on external_keys to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on external_keys to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on external_keys to chatserver_service;

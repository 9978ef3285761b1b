-- The statements that are still needed to secure the database, in the order in which they have to run.
with tables as (
    -- Partitions are accessed only through event_log: only the owner has permissions on them.
    select c.oid::regclass as name, c.oid, c.relowner as owner, c.relrowsecurity and c.relforcerowsecurity as forced
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
        and (not c.relispartition or c.relrowsecurity)
), owners as (
    -- Functions that run as the owner access all organizations, so FORCE needs a policy for it.
    select t.*, array(select distinct o from unnest(array[t.owner, (select oid from pg_roles where rolname = current_user)]) o order by o) as roles
    from tables t
), policies as (
    select o.*, p.oid is not null as exists, coalesce(array(select r from unnest(p.polroles) r order by r) = o.roles, false) as fits,
        array_to_string(array(select quote_ident(pg_get_userbyid(r)) from unnest(o.roles) r), ', ') as names
    from owners o left join pg_policy p on p.polrelid = o.oid and p.polname = 'owner'
), statements as (
    select 1 as step, name::text as what, case when exists then format('alter policy owner on %s to %s', name, names)
        else format('create policy owner on %s to %s using (true) with check (true)', name, names) end as statement
    from policies where not fits
    union all
    select 2, name::text, format('alter table %s enable row level security, force row level security', name) from tables where not forced
    union all
    select 3, p.oid::regprocedure::text, format('alter function %s set search_path = %I, pg_temp', p.oid::regprocedure, current_schema())
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prosecdef
        and not format('search_path=%I, pg_temp', current_schema()) = any (coalesce(p.proconfig, '{}'))
    union all
    select 4, '', format('revoke temporary on database %I from public', d.datname)
    from pg_database d
    where d.datname = current_database() and pg_has_role(d.datdba, 'usage')
        and exists (select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) where grantee = 0 and privilege_type = 'TEMPORARY')
    union all
    select 5, '', format('revoke create on schema %I from public', n.nspname)
    from pg_namespace n
    where n.oid = current_schema()::regnamespace and pg_has_role(n.nspowner, 'usage')
        and exists (select from aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) where grantee = 0 and privilege_type = 'CREATE')
    union all
    -- Services check the schema's version.
    select 6, '', 'grant select on goose_db_version to chatserver_service, chatserver_everywhere'
    where not (has_table_privilege('chatserver_service', 'goose_db_version', 'select') and has_table_privilege('chatserver_everywhere', 'goose_db_version', 'select'))
)
select statement from statements order by step, what

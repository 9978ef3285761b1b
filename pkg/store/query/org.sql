-- name: FindOrganization :one
select coalesce(find_organization(@subdomain::text), 0)::bigint as org_id;

-- name: NextOrganization :one
select nextval(pg_get_serial_sequence('organizations', 'org_id'))::bigint as org_id;

-- name: OwnOrganization :one
select * from organizations where org_id = current_setting('app.org')::bigint;

-- name: CreateOrganization :one
insert into organizations (org_id, subdomain, name, description, rendered_description, settings)
values (current_setting('app.org')::bigint, @subdomain, @name, @description, @rendered_description, @settings)
on conflict (subdomain) do nothing
returning *;

-- name: CountPatternsChange :exec
-- Increments the version of what messages are searched for: alert words and linkifiers.
update organizations set alert_words_version = alert_words_version + 1 where org_id = current_setting('app.org')::bigint;

-- name: PatternsVersion :one
select alert_words_version from organizations where org_id = current_setting('app.org')::bigint;

-- name: SetOrganizationPictures :exec
update organizations
set icon_path = @icon_path, icon_version = @icon_version, logo_path = @logo_path, logo_version = @logo_version,
    night_logo_path = @night_logo_path, night_logo_version = @night_logo_version
where org_id = current_setting('app.org')::bigint;

-- name: UpdateStream :one
-- Whoever calls it holds the lock on the stream.
update streams
set name = @name, description = @description, rendered_description = @rendered_description, invite_only = @invite_only,
    is_web_public = is_web_public and not @invite_only::bool, history_public = @history_public, post_policy = @post_policy,
    retention_days = @retention_days, version = case when @newer::bool then version + 1 else version end
where stream_id = @stream_id
returning *;

-- name: LockDefaultStreams :exec
-- Comes before a transaction's first write, so that changes of the list and the events about them have
-- one order. Its locks are those of LockOrganization.
with turn as materialized (select pg_advisory_xact_lock(32, hashint8(current_setting('app.org')::bigint)))
select from turn, organizations o where o.org_id = current_setting('app.org')::bigint for no key update of o;

-- name: NamesStream :one
-- Whether a setting of the organization names one of these streams.
select exists (select from organizations
    where org_id = current_setting('app.org')::bigint
        and ((settings ->> 'notifications_stream_id')::bigint = any (@stream_ids::bigint[])
            or (settings ->> 'signup_notifications_stream_id')::bigint = any (@stream_ids::bigint[]))) as named;

-- name: ForgetStream :execrows
-- Takes a setting back to its default, which is no stream, where it names this one.
update organizations set settings = settings - @setting::text
where org_id = current_setting('app.org')::bigint and (settings ->> @setting::text)::bigint = @stream_id::bigint;

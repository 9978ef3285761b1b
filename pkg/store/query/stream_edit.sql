-- name: UpdateStream :one
-- Updates a stream. The caller holds the lock on the stream.
update streams
set name = @name, description = @description, rendered_description = @rendered_description, invite_only = @invite_only,
    is_web_public = is_web_public and not @invite_only::bool, history_public = @history_public, post_policy = @post_policy,
    retention_days = @retention_days, version = case when @newer::bool then version + 1 else version end
where stream_id = @stream_id
returning *;

-- name: LockDefaultStreams :exec
-- Takes the same locks as LockOrganization, until the transaction ends. It must be called before the transaction's
-- first write, so that changes of the default streams and the events about them have the same order.
with turn as materialized (select pg_advisory_xact_lock(32, hashint8(current_setting('app.org')::bigint)))
select from turn, organizations o where o.org_id = current_setting('app.org')::bigint for no key update of o;

-- name: NamesStream :one
-- Reports whether a setting of the organization contains one of these streams.
select exists (select from organizations
    where org_id = current_setting('app.org')::bigint
        and ((settings ->> 'notifications_stream_id')::bigint = any (@stream_ids::bigint[])
            or (settings ->> 'signup_notifications_stream_id')::bigint = any (@stream_ids::bigint[]))) as named;

-- name: ForgetStream :execrows
-- Resets a setting to its default, which is no stream, if it contains this stream.
update organizations set settings = settings - @setting::text
where org_id = current_setting('app.org')::bigint and (settings ->> @setting::text)::bigint = @stream_id::bigint;

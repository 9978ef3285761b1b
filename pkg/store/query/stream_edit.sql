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
-- one order.
select from organizations where org_id = current_setting('app.org')::bigint for no key update;

-- name: LockEmoji :exec
-- Serializes changes of the organization's emoji, with a lock that lasts until the transaction ends. Call it before the
-- transaction's first write.
select pg_advisory_xact_lock(14, hashint8(current_setting('app.org')::bigint));

-- name: AllEmoji :many
select emoji_id, name, author_id, animated, active from emoji where org_id = current_setting('app.org')::bigint order by emoji_id;

-- name: ActiveEmoji :many
select emoji_id, name, animated from emoji
where org_id = current_setting('app.org')::bigint and active and name = any (@names::text[]);

-- name: FindEmoji :one
select name, path, animated, active from emoji where org_id = current_setting('app.org')::bigint and emoji_id = @emoji_id;

-- name: CountEmoji :one
-- Returns how many emoji there are, including deactivated ones, and how many of them somebody has added since a time.
select count(*) as emoji, count(*) filter (where e.author_id = @author_id and e.added_at > @since) as recent
from emoji e where e.org_id = current_setting('app.org')::bigint;

-- name: NextEmoji :one
select nextval('emoji_ids')::bigint as emoji_id;

-- name: AddEmoji :exec
insert into emoji (emoji_id, name, author_id, path, animated) values (@emoji_id, @name, @author_id, @path, @animated);

-- name: DeactivateEmoji :exec
update emoji set active = false where emoji_id = @emoji_id;

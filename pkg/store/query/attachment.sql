-- The queries in this file store uploaded files (rest-api.md, section 5.10).
--

-- name: LockUploads :exec
-- Serializes uploads of an organization, so that their sizes can be added up, with a lock that lasts until the
-- transaction ends. Call it before the transaction's first write.
select pg_advisory_xact_lock(6, hashint8(current_setting('app.org')::bigint));

-- name: UploadSpace :one
select coalesce((select used from upload_space where org_id = current_setting('app.org')::bigint), 0)::bigint as used;

-- name: ChangeUploadSpace :one
insert into upload_space (used) values (@change::bigint)
on conflict (org_id) do update set used = upload_space.used + excluded.used
returning used;

-- name: AddAttachment :one
insert into attachments (owner_id, path, name, slug, media_type, size)
values (@owner_id, @path, @name, @slug, @media_type, @size)
returning attachment_id, created_at;

-- name: AttachmentsOf :many
-- Returns the newest files of an account as JSON for clients, in ascending order of their ids: at most max_rows files, and
-- at most max_bytes bytes.
select l.attachment from (
    select j.attachment, sum(octet_length(j.attachment::text)) over (order by j.attachment_id desc) as bytes
    from (
        select a.attachment_id, attachment_json(a) as attachment from attachments a
        where a.org_id = current_setting('app.org')::bigint and a.owner_id = @owner_id
        order by a.attachment_id desc limit @max_rows::int
    ) j
) l where l.bytes <= @max_bytes::bigint
order by (l.attachment->>'id')::bigint;

-- name: AttachmentForReader :one
select a.attachment_id, a.path, a.name, a.slug, a.media_type, a.size, a.created_at, a.thumbnail_path, a.thumbnail_type,
    attachment_readable(a, @reader::bigint, @is_guest::bool)::bool as readable
from attachments a where a.path = @path;

-- name: Attachment :one
select * from attachments where attachment_id = @attachment_id;

-- name: ReadableAttachments :many
-- Returns the files with these paths, of which there must be at least one, that an account may read. It looks at as many
-- messages as for a single file, divided among the files.
select a.attachment_id from attachments a
where a.path = any (@paths::text[])
    and attachment_readable(a, @reader::bigint, @is_guest::bool, greatest(1, 10000 / cardinality(@paths::text[])))
order by a.attachment_id;

-- name: SetThumbnail :execrows
-- Sets a file's thumbnail, or, if path is null, records that the file has none. Affects no row if another process has
-- done either before.
update attachments set thumbnail_path = sqlc.narg('path'), thumbnail_type = @media_type::text
where attachment_id = @attachment_id and thumbnail_type is null;

-- name: LockAttachment :one
select * from attachments where attachment_id = @attachment_id for update;

-- name: ClaimAttachments :exec
select claim_attachments(current_setting('app.org')::bigint, @shard::smallint, @sender::bigint, @message_id::bigint, @wanted::bigint[], @trace::text);

-- name: ReleaseAttachments :exec
-- Records that a message no longer contains any files except those in but. The others are removed later unless another
-- message contains them.
with released as (
    delete from attachment_messages c where c.message_id = @message_id and not c.attachment_id = any (@but::bigint[])
    returning c.attachment_id
)
update attachments a set unclaimed_since = now()
from released where a.attachment_id = released.attachment_id;

-- name: ReleaseMessages :execrows
-- Deletes rows that say in which messages a file is, up to the number max_rows.
delete from attachment_messages where ctid = any (array(
    select c.ctid from attachment_messages c where c.attachment_id = @attachment_id limit @max_rows::int));

-- name: DeleteAttachment :exec
delete from attachments where attachment_id = @attachment_id;

-- name: UnclaimedAttachments :many
-- Returns files of all organizations that may have been in no message, and not been kept for one, for longer than
-- keep_seconds, the longest first.
select org_id, attachment_id from attachments
where unclaimed_since < now() - make_interval(secs => @keep_seconds::float8)
    and (kept_until is null or kept_until < now() - make_interval(secs => @keep_seconds))
order by unclaimed_since limit @max_rows::int;

-- name: SettleClaim :one
-- Reports whether a file is in a message. If it is, the query records that, so that UnclaimedAttachments no longer
-- returns the file.
with claim as (
    select c.attachment_id from attachment_messages c
    join messages m on m.org_id = c.org_id and m.message_id = c.message_id
    where c.attachment_id = @attachment_id limit 1
), noted as (
    update attachments a set unclaimed_since = null from claim where a.attachment_id = claim.attachment_id
)
select exists (select from claim) as claimed;

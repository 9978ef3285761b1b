-- name: Linkifiers :many
select linkifier_id, pattern, url_format from linkifiers where org_id = current_setting('app.org')::bigint order by linkifier_id;

-- name: AddLinkifier :one
insert into linkifiers (pattern, url_format) values (@pattern, @url_format) returning linkifier_id;

-- name: RemoveLinkifier :execrows
delete from linkifiers where linkifier_id = @linkifier_id;

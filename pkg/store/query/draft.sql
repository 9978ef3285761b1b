-- The queries in this file store drafts (rest-api.md, section 2.17).
--

-- name: Drafts :many
select draft_id, stream_id, people, topic, content, changed_at from drafts
where org_id = current_setting('app.org')::bigint and user_id = @user_id order by draft_id;

-- name: SizeOfDrafts :one
-- Returns how many bytes the contents of an account's drafts have.
select coalesce(sum(octet_length(content)), 0)::bigint from drafts where org_id = current_setting('app.org')::bigint and user_id = @user_id;

-- name: CountDrafts :one
select count(*) from drafts where org_id = current_setting('app.org')::bigint and user_id = @user_id;

-- name: AddDraft :one
insert into drafts (user_id, stream_id, people, topic, content, changed_at)
values (@user_id, nullif(@stream_id::bigint, 0), @people::bigint[], @topic, @content, @changed_at) returning draft_id;

-- name: ChangeDraft :execrows
update drafts set stream_id = nullif(@stream_id::bigint, 0), people = @people::bigint[], topic = @topic, content = @content, changed_at = @changed_at
where draft_id = @draft_id and user_id = @user_id;

-- name: DeleteDraft :execrows
delete from drafts where draft_id = @draft_id and user_id = @user_id;

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

-- name: AddDrafts :many
-- Stores drafts by one statement, and returns their ids in the order of the lists. 0 is no stream, and an empty text no people, who are arrays
-- as text, since lists of lists must have the same length.
insert into drafts (user_id, stream_id, people, topic, content, changed_at)
select @user_id, nullif(d.stream_id, 0), nullif(d.people, '')::bigint[], d.topic, d.content, d.changed_at
from (select unnest(@streams::bigint[]) as stream_id, unnest(@people::text[]) as people, unnest(@topics::text[]) as topic,
    unnest(@contents::text[]) as content, unnest(@changed_at::timestamptz[]) as changed_at) d
returning draft_id;

-- name: ChangeDraft :execrows
update drafts set stream_id = nullif(@stream_id::bigint, 0), people = @people::bigint[], topic = @topic, content = @content, changed_at = @changed_at
where draft_id = @draft_id and user_id = @user_id;

-- name: DeleteDraft :execrows
delete from drafts where draft_id = @draft_id and user_id = @user_id;

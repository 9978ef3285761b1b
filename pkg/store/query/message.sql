-- name: SendMessage :one
select coalesce(send_message(
    @org::bigint, @shard::smallint, @sender::bigint, sqlc.narg('stream')::bigint, sqlc.narg('stream_version')::bigint,
    sqlc.narg('access_by')::bigint, sqlc.narg('conversation')::bigint, @topic::text, @content::text, @rendered::text,
    @renderer::smallint, @client::text, @flags::smallint, @mentioned::bigint[], @mentioned_anyway::bigint[],
    @mention_flags::smallint, @payload::text, @audience::text, @trace::text), 0)::bigint as message_id;

-- name: CreateConversation :one
insert into conversations (members) values (@members)
on conflict (org_id, members) do update set members = excluded.members
returning conversation_id;

-- name: AddConversationMembers :exec
insert into conversation_members (user_id, conversation_id)
select unnest(@users::bigint[]), @conversation_id
on conflict do nothing;

-- name: ConversationOfMembers :one
select conversation_id from conversations where members = @members;

-- name: MentionableUsers :many
-- Whom a text can mention, by lower-cased full name or by id.
select user_id, full_name, name_key, bot_type, owner_id from users
where active and (name_key = any (@names::text[]) or user_id = any (@ids::bigint[]))
order by user_id;

-- name: StreamsByExactName :many
select stream_id, name from streams where name = any (@names::text[]) and name_key = any (@name_keys::text[]) and not deactivated;

-- name: NotificationBot :one
select * from users where org_id = current_setting('app.org')::bigint and system order by user_id limit 1;

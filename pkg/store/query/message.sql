-- name: CreateConversation :one
insert into conversations (members) values (@members)
on conflict (org_id, members) do update set members = excluded.members
returning conversation_id;

-- name: AddConversationMembers :exec
insert into conversation_members (user_id, conversation_id)
select unnest(@users::bigint[]), @conversation_id
on conflict do nothing;

-- name: CreateConversations :many
-- Creates the conversations of one account with each of the others, unless they exist, and returns them.
with made as (
    insert into conversations (members)
    select array[least(@one::bigint, other), greatest(@one::bigint, other)] from (select distinct unnest(@others::bigint[]) as other) o
    on conflict (org_id, members) do update set members = excluded.members
    returning conversation_id, members
),
added as (
    insert into conversation_members (user_id, conversation_id)
    select unnest(members), conversation_id from made
    on conflict do nothing
)
select conversation_id, (case members[1] when @one::bigint then members[2] else members[1] end)::bigint as other from made;

-- name: HoldConversations :exec
-- Takes the locks of the existing conversations of one account with each of the others, as sends to them do.
select pg_advisory_xact_lock_shared(c.conversation_id) from (
    select c.conversation_id from (select distinct unnest(@others::bigint[]) as other) o
    join conversations c on c.members[1] = least(@one::bigint, o.other) and coalesce(c.members[2], 0) = greatest(@one::bigint, o.other)
        and c.members = array[least(@one::bigint, o.other), greatest(@one::bigint, o.other)]
    order by c.conversation_id
) c;

-- name: ConversationOfMembers :one
-- The first two members are for the index, which members aren't: array_eq isn't leakproof.
select conversation_id from conversations
where members = @members and members[1] = (@members)[1] and coalesce(members[2], 0) = coalesce((@members)[2], 0);

-- name: MentionableUsers :many
-- Returns the active accounts that a text can mention, by name in lower case or by id.
select user_id, full_name, name_key, bot_type, owner_id from users
where active and (name_key = any (@names::text[]) or user_id = any (@ids::bigint[]))
order by user_id;

-- name: StreamsByExactName :many
select stream_id, name from streams where name = any (@names::text[]) and name_key = any (@name_keys::text[]) and not deactivated;

-- name: NotificationBot :one
select * from users where org_id = current_setting('app.org')::bigint and system order by user_id limit 1;

-- name: MessageForReader :one
-- Returns a message with what decides whether somebody may see it.
select m.message_id, m.sender_id, m.stream_id, m.conversation_id, m.topic, m.content, m.rendered, m.renderer,
    m.flags, m.sent_at, m.edits,
    coalesce(s.name, '')::text as stream_name, coalesce(s.invite_only, true)::bool as invite_only,
    coalesce(s.is_web_public, false)::bool as is_web_public, coalesce(s.history_public, false)::bool as history_public,
    coalesce(u.active, false)::bool as subscribed,
    coalesce(u.received @> m.message_id, c.user_id is not null)::bool as received,
    (f.flags is not null)::bool as flagged
from messages m
left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
left join subscriptions u on u.org_id = m.org_id and u.stream_id = m.stream_id and u.user_id = @reader::bigint
left join conversation_members c on c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = @reader::bigint
left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = @reader::bigint
where m.message_id = @message_id;

-- name: MessageHolders :many
-- Returns the accounts that received a message of a stream but are no longer subscribed, and those that flagged it. If
-- subscribed_too is set, it also returns the subscribers who received it.
select s.user_id from subscriptions s
where s.stream_id = @stream_id and not s.active and s.received @> @message_id::bigint
union
select s.user_id from subscriptions s
where @subscribed_too::bool and s.stream_id = @stream_id and s.active and s.received @> @message_id::bigint
union
select f.user_id from message_flags f where f.message_id = @message_id::bigint;

-- name: ConversationMembers :one
select members from conversations where conversation_id = @conversation_id;

-- name: SettledUpto :one
select settled_upto(@places::bigint[])::bigint as message_id;

-- The queries in this file read the content of archives of organizations (pkg/transfer). Those with parameters named
-- after return the next rows after the row with these keys, up to the number max_rows. Those with max_bytes stop at the
-- first row before which the texts have that size, so they return one row at least.
--

-- name: ArchivedStreams :many
select * from streams where org_id = current_setting('app.org')::bigint and stream_id > @after order by stream_id limit @max_rows::int;

-- name: ArchivedSubscriptions :many
select * from subscriptions
where org_id = current_setting('app.org')::bigint and (stream_id, user_id) > (@after_stream::bigint, @after_user::bigint)
order by stream_id, user_id limit @max_rows::int;

-- name: ArchivedConversations :many
select conversation_id, members from conversations
where org_id = current_setting('app.org')::bigint and conversation_id > @after order by conversation_id limit @max_rows::int;

-- name: ArchivedMutedTopics :many
select user_id, stream_id, topic, topic_key, muted_at from muted_topics
where org_id = current_setting('app.org')::bigint
    and (user_id, stream_id, topic_key) > (@after_user::bigint, @after_stream::bigint, @after_topic::text)
order by user_id, stream_id, topic_key limit @max_rows::int;

-- name: ArchivedAlertWords :many
select user_id, word, word_key from alert_words
where org_id = current_setting('app.org')::bigint and (user_id, word_key) > (@after_user::bigint, @after_word::text)
order by user_id, word_key limit @max_rows::int;

-- name: ArchivedStatuses :many
select user_id, away, text from user_statuses
where org_id = current_setting('app.org')::bigint and user_id > @after order by user_id limit @max_rows::int;

-- name: ArchivedProfileValues :many
select v.user_id, v.field_id, v.value from profile_values v
join profile_fields f on f.org_id = v.org_id and f.field_id = v.field_id
where v.org_id = current_setting('app.org')::bigint and not f.removed
    and (v.user_id, v.field_id) > (@after_user::bigint, @after_field::bigint)
order by v.user_id, v.field_id limit @max_rows::int;

-- name: ArchivedBotServices :many
select user_id, url, interface from bot_services
where org_id = current_setting('app.org')::bigint and user_id > @after order by user_id limit @max_rows::int;

-- name: ArchivedBotConfigs :many
select user_id, config from bot_configs
where org_id = current_setting('app.org')::bigint and user_id > @after order by user_id limit @max_rows::int;

-- name: ArchivedBotStorage :many
select k.user_id, k.key, k.value
from (
    select n.user_id, n.key, n.value, coalesce(sum(octet_length(n.value))
        over (order by n.user_id, n.key rows between unbounded preceding and 1 preceding), 0) as before
    from (
        select s.user_id, s.key, s.value from bot_storage s
        where s.org_id = current_setting('app.org')::bigint and (s.user_id, s.key) > (@after_user::bigint, @after_key::text)
        order by s.user_id, s.key limit @max_rows::int
    ) n
) k
where k.before < @max_bytes::bigint
order by k.user_id, k.key;

-- name: ArchivedScheduled :many
select s.scheduled_id, s.sender_id, s.stream_id, s.conversation_id, coalesce(c.members, '{}')::bigint[] as members, s.topic, s.content, s.widget, s.client,
    s.reminder, s.deliver_at
from scheduled_messages s left join conversations c on c.org_id = s.org_id and c.conversation_id = s.conversation_id
where s.org_id = current_setting('app.org')::bigint and s.scheduled_id > @after order by s.scheduled_id limit @max_rows::int;

-- name: ArchivedSCIM :many
select user_id, user_name, external_id, removed from scim_users
where org_id = current_setting('app.org')::bigint and user_id = any (@user_ids::bigint[]);

-- name: ArchivedEmoji :many
select emoji_id, name, author_id, path, animated, active from emoji
where org_id = current_setting('app.org')::bigint order by emoji_id;

-- name: ArchivedAttachments :many
-- Returns files with the ids of the messages, up to upto, that they are in. If public_only is set, only messages of
-- active public streams count. The list of a file in no such message is empty.
select a.attachment_id, a.owner_id, a.path, a.slug, a.name, a.size, a.created_at, in_messages.ids::bigint[] as messages
from (
    select * from attachments b
    where b.org_id = current_setting('app.org')::bigint and b.attachment_id > @after order by b.attachment_id limit @max_rows::int
) a
cross join lateral (
    select array(
        select c.message_id from attachment_messages c
        join messages m on m.org_id = c.org_id and m.message_id = c.message_id
        left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
        where c.org_id = a.org_id and c.attachment_id = a.attachment_id and m.message_id <= @upto::bigint
            and (not @public_only::bool or not s.invite_only and not s.deactivated)
        order by c.message_id
    ) as ids
) in_messages
order by a.attachment_id;

-- name: ArchivedReactions :many
select r.message_id, r.user_id, r.reaction_type, r.emoji_code, r.emoji_name, r.reacted_at
from reactions r
where r.org_id = current_setting('app.org')::bigint and r.message_id <= @upto::bigint
    and r.message_id >= @after_message::bigint -- the index has no times
    and (r.message_id, r.reacted_at, r.user_id, r.reaction_type, r.emoji_code)
        > (@after_message::bigint, @after_time::timestamptz, @after_user::bigint, @after_type::text, @after_code::text)
    and exists ( -- reactions of deleted messages may remain for a while
        select from messages m left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
        where m.org_id = r.org_id and m.message_id = r.message_id and (not @public_only::bool or not s.invite_only and not s.deactivated)
        offset 0) -- looks up each message: a merge would read all messages from the first one
order by r.message_id, r.reacted_at, r.user_id, r.reaction_type, r.emoji_code limit @max_rows::int;

-- name: ArchivedSubmessages :many
select p.message_id, p.submessage_id, p.sender_id, p.msg_type, p.content
from submessages p
where p.org_id = current_setting('app.org')::bigint and p.message_id <= @upto::bigint
    and (p.message_id, p.submessage_id) > (@after_message::bigint, @after_submessage::bigint)
    and exists (
        select from messages m left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
        where m.org_id = p.org_id and m.message_id = p.message_id and (not @public_only::bool or not s.invite_only and not s.deactivated)
        offset 0)
order by p.message_id, p.submessage_id limit @max_rows::int;

-- name: ArchivedMessages :many
-- Returns messages in ascending order. If public_only is set, it returns only those of the given streams. members are
-- the participants of a private message's conversation.
select m.message_id, m.sender_id, m.stream_id, m.conversation_id, m.topic, m.content, m.rendered, m.renderer, m.client, m.flags,
    m.sent_at, m.edits, m.edited_at, coalesce(c.members, '{}')::bigint[] as members
from (
    select k.*, coalesce(sum(octet_length(k.content) + octet_length(k.rendered) + coalesce(octet_length(k.edits::text), 0))
        over (order by k.message_id rows between unbounded preceding and 1 preceding), 0) as before
    from (
        select n.* from messages n
        where n.org_id = current_setting('app.org')::bigint and n.message_id > @after and n.message_id <= @upto::bigint
            and (not @public_only::bool or n.stream_id = any (@streams::bigint[]))
        order by n.message_id limit @max_rows::int
    ) k
) m
left join conversations c on c.org_id = m.org_id and c.conversation_id = m.conversation_id
where m.before < @max_bytes::bigint
order by m.message_id;

-- name: CountSubscriptions :many
-- Returns how many subscriptions streams have, former ones included: ArchivedFlags returns no more rows for a message,
-- besides those of people who never had one.
select stream_id, count(*) as subscriptions from subscriptions
where org_id = current_setting('app.org')::bigint and stream_id = any (@stream_ids::bigint[])
group by stream_id;

-- name: ArchivedFlags :many
-- Returns the flags and the read state of messages for everyone who received or flagged them, as FlagsOfStreamMessage
-- and FlagsOfPrivateMessage do for one message, in the order of messages and accounts.
with message as materialized (
    select m.org_id, m.message_id, m.stream_id, m.conversation_id, m.topic_key, m.sender_id, m.flags from messages m
    where m.message_id = any (@message_ids::bigint[])
)
select m.message_id, s.user_id, coalesce(f.flags, 0)::smallint as flags, (s.received @> m.message_id)::bool as received,
    (case when s.received @> m.message_id then is_read(m.message_id, m.sender_id = s.user_id, m.flags,
        greatest(u.read_upto, s.read_upto, t.read_upto), t.read, a.messages) else coalesce(f.flags, 0) & 2049 <> 2048 end)::bool as read
from message m
join subscriptions s on s.org_id = m.org_id and s.stream_id = m.stream_id
join users u on u.org_id = m.org_id and u.user_id = s.user_id
left join topic_marks t on t.org_id = m.org_id and t.user_id = s.user_id and t.stream_id = m.stream_id and t.topic_key = m.topic_key
left join unread_again a on a.org_id = m.org_id and a.user_id = s.user_id
left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = s.user_id
where s.received @> m.message_id or f.user_id is not null
union all
select m.message_id, f.user_id, f.flags, false, f.flags & 2049 <> 2048
from message m
join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id
where m.stream_id is not null
    and not exists (select from subscriptions s where s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = f.user_id)
union all
select m.message_id, c.user_id, coalesce(f.flags, 0)::smallint, true,
    is_read(m.message_id, m.sender_id = c.user_id, m.flags, greatest(u.read_upto, c.read_upto), c.read, a.messages)::bool
from message m
join conversations v on v.org_id = m.org_id and v.conversation_id = m.conversation_id
join conversation_members c on c.org_id = v.org_id and c.conversation_id = v.conversation_id and c.user_id = any (v.members)
join users u on u.org_id = c.org_id and u.user_id = c.user_id
left join unread_again a on a.org_id = m.org_id and a.user_id = c.user_id
left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = c.user_id
order by 1, 2;

-- name: Places :many
-- Returns the ids of all streams and conversations. An export waits, with SettledUpto, for the sends to them that are
-- in progress.
select stream_id::bigint as place from streams where org_id = current_setting('app.org')::bigint
union all
select conversation_id::bigint from conversations where org_id = current_setting('app.org')::bigint;

-- name: ArchiveSize :one
-- Returns the number of messages in active public streams, counted up to max_rows, and the number of bytes of all uploaded
-- files.
select
    (select count(*) from (
        select from messages m where m.org_id = current_setting('app.org')::bigint
            and m.stream_id in (select s.stream_id from streams s
                where s.org_id = current_setting('app.org')::bigint and not s.invite_only and not s.deactivated)
        limit @max_rows::bigint) counted)::bigint as messages,
    coalesce((select used from upload_space where org_id = current_setting('app.org')::bigint), 0)::bigint as bytes;

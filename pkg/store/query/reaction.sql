-- name: ReactionsWith :many
-- Returns a message's reactions with an emoji, the oldest first.
select user_id, emoji_name from reactions
where message_id = @message_id and reaction_type = @reaction_type and emoji_code = @emoji_code
order by reacted_at, user_id;

-- name: CountReactions :one
-- Returns how many reactions a message has, and how many of them are somebody's.
select count(*)::bigint as everybodys, count(*) filter (where user_id = @user_id)::bigint as own
from reactions where message_id = @message_id;

-- name: AddReaction :exec
insert into reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
values (@message_id, @user_id, @reaction_type, @emoji_code, @emoji_name);

-- name: RemoveReaction :exec
delete from reactions
where message_id = @message_id and user_id = @user_id and reaction_type = @reaction_type and emoji_code = @emoji_code;

-- name: MarkHistorical :exec
-- Adds a row of flags for somebody who didn't receive a message, so that it is among their messages from now on.
insert into message_flags (user_id, message_id, flags) values (@user_id, @message_id, @historical)
on conflict do nothing;

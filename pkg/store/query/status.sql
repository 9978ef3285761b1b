-- name: SetUserStatus :exec
-- Sets what an account says of itself. A value that is null doesn't change.
insert into user_statuses (user_id, away, text)
values (@user_id, coalesce(sqlc.narg('away')::boolean, false), coalesce(sqlc.narg('text')::text, ''))
on conflict (org_id, user_id) do update
set away = coalesce(sqlc.narg('away')::boolean, user_statuses.away), text = coalesce(sqlc.narg('text')::text, user_statuses.text);

-- name: UserStatuses :many
-- Returns the statuses of active accounts, except empty ones.
select s.user_id, s.away, s.text
from user_statuses s
join users u on u.org_id = s.org_id and u.user_id = s.user_id
where s.org_id = current_setting('app.org')::bigint and u.active and (s.away or s.text <> '');

-- name: StatusOf :many
-- Returns the status of an account, unless it is empty.
select away, text from user_statuses
where org_id = current_setting('app.org')::bigint and user_id = @user_id and (away or text <> '');

-- name: ActivePeople :many
-- Returns those of the accounts that are active and aren't bots.
select user_id, email from users where user_id = any (@users::bigint[]) and active and bot_type is null;

-- name: LockAccounts :exec
-- Serializes changes that others make to an organization's accounts, with a lock that lasts until the transaction ends.
-- Call it before the transaction's first write.
select pg_advisory_xact_lock(5, hashint8(current_setting('app.org')::bigint));

-- name: LockActivity :exec
-- Waits for transactions that called ShareActivity for an account, and keeps others from it until the transaction ends. Call
-- it after the locks of streams, and before the transaction's first write.
select pg_advisory_xact_lock(40, hashint8(@user_id::bigint));

-- name: ShareActivity :exec
-- Keeps accounts from being deactivated and reactivated until the transaction ends. Call it as LockActivity, with ascending
-- accounts, and then read which of them are active.
select pg_advisory_xact_lock_shared(40, hashint8(u.user_id)) from unnest(@user_ids::bigint[]) as u (user_id);

-- name: ActiveBotsOf :many
select user_id from users
where org_id = current_setting('app.org')::bigint and owner_id = @owner::bigint and active order by user_id limit @max_rows;

-- name: OtherOwners :one
-- Reports whether a person other than user_id is an active owner.
select exists (
    select from users
    where org_id = current_setting('app.org')::bigint and role = 100 and active and bot_type is null and user_id <> @user_id) as others;

-- name: SetEmail :exec
update users set email = @email where user_id = @user_id;

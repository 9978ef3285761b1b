-- name: LockUser :exec
-- Serializes changes of what belongs to one account, with a lock that lasts until the transaction
-- ends. If it is called before the transaction's first write, the events about the changes have the
-- same order.
select pg_advisory_xact_lock(1, hashint8(@account::bigint));

-- name: UserForUpdate :one
select * from users where user_id = @user_id for update;

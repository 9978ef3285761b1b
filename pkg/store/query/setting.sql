-- name: LockUser :exec
-- Makes changes of what belongs to one account follow each other. Taken before the transaction's first
-- write, it makes their events follow in the same order.
select pg_advisory_xact_lock(1, hashint8(@account::bigint));

-- name: UserForUpdate :one
select * from users where user_id = @user_id for update;

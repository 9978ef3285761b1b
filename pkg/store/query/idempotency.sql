-- The queries in this file store the keys by which a message is sent once, however often its request is repeated.

-- name: KeyUsed :one
-- Returns what came of a key of an account.
select request_hash, coalesce(message_id, 0)::bigint as message_id from idempotency_keys
where org_id = current_setting('app.org')::bigint and sender_id = @sender_id and key_hash = @key_hash;

-- name: ForgetKeys :exec
-- Deletes some keys of an account that are older than a day.
delete from idempotency_keys i where i.sender_id = @sender_id and i.key_hash in (
    select k.key_hash from idempotency_keys k
    where k.org_id = current_setting('app.org')::bigint and k.sender_id = @sender_id and k.used_at < now() - interval '1 day'
    order by k.used_at limit 10);

-- name: UseKey :one
-- Stores a key, if it is fresh, or returns what came of it. It waits for a transaction that uses the same key.
insert into idempotency_keys (sender_id, key_hash, request_hash) values (@sender_id, @key_hash, @request_hash)
on conflict (org_id, sender_id, key_hash) do update set used_at = idempotency_keys.used_at
returning (xmax = 0)::bool as fresh, request_hash, coalesce(message_id, 0)::bigint as message_id;

-- name: SetMessageOfKey :exec
update idempotency_keys set message_id = @message_id::bigint where sender_id = @sender_id and key_hash = @key_hash;

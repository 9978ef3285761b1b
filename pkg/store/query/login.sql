-- name: PasswordOf :one
-- Returns the hash of an account's password, or no row if it has no password.
select hash from passwords where user_id = @user_id;

-- name: CredentialsOf :one
-- Returns an account's address and the hashes of its API key and password. password_hash is empty if there is no
-- password.
select u.email, u.api_key_hash, coalesce(p.hash, '')::text as password_hash
from users u left join passwords p using (org_id, user_id) where u.user_id = @user_id;

-- name: SetPassword :exec
insert into passwords (user_id, hash) values (@user_id, @hash)
on conflict (org_id, user_id) do update set hash = excluded.hash, changed_at = now();

-- name: AddLogin :exec
insert into logins (user_id, key_hash, client, ends_at) values (@user_id, @key_hash, @client, sqlc.narg('ends_at'));

-- name: LoginsOf :many
select * from logins where org_id = current_setting('app.org')::bigint and user_id = @user_id and (ends_at is null or ends_at > @now::timestamptz)
order by login_id desc;

-- name: EndLogin :execrows
with ended as (delete from logins l where l.login_id = @login_id and l.user_id = @user_id returning l.user_id)
update users u set changed_at = clock_timestamp() from ended e where u.user_id = e.user_id;

-- name: EndLogins :exec
-- Ends an account's logins. It keeps the login but (0: none), and the newest of the others, as many as newest says.
with ended as (
    delete from logins d where d.login_id in (
        select l.login_id from logins l
        where l.org_id = current_setting('app.org')::bigint and l.user_id = @user_id and l.login_id <> @but::bigint
        order by l.login_id desc offset @newest::integer)
    returning 1
)
update users u set changed_at = clock_timestamp() where u.user_id = @user_id and exists (select from ended);

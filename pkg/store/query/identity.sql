-- name: IdentityOwner :one
-- Returns the account that a subject of an identity provider is linked to.
select user_id from identities where org_id = current_setting('app.org')::bigint and issuer = @issuer and subject = @subject;

-- name: IsLinked :one
-- Reports whether an account is linked to a subject of an identity provider.
select exists (select from identities where org_id = current_setting('app.org')::bigint and user_id = @user_id and issuer = @issuer) as linked;

-- name: LinkIdentity :exec
insert into identities (issuer, subject, user_id) values (@issuer, @subject, @user_id);

-- name: IdentitiesOf :many
select issuer, linked_at from identities where org_id = current_setting('app.org')::bigint and user_id = @user_id order by linked_at, issuer limit @max_rows::int;

-- name: UnlinkIdentity :execrows
delete from identities where org_id = current_setting('app.org')::bigint and user_id = @user_id and issuer = @issuer;

-- name: UnlinkIdentities :execrows
-- Removes all links of an account.
delete from identities where org_id = current_setting('app.org')::bigint and user_id = @user_id;

-- Invitations (rest-api.md, section 5.11).

-- name: LockInvitations :exec
-- Makes invitations of an organization follow each other, so that they can be counted. Taken before the first write.
select pg_advisory_xact_lock(18, hashint8(current_setting('app.org')::bigint));

-- name: CountInvitations :one
-- Those that were sent, or made, since a moment.
select count(*)::bigint as everybodys, count(*) filter (where inviter_id = @inviter_id)::bigint as own,
    count(*) filter (where email is null)::bigint as links
from invitations where org_id = current_setting('app.org')::bigint and invited_at > @since::timestamptz;

-- name: AddInvitations :many
insert into invitations (inviter_id, email, role, streams)
select @inviter_id, unnest(@emails::text[]), @role, @streams::bigint[]
returning *;

-- name: AddInvitationLink :exec
insert into invitations (inviter_id, link, role, streams) values (@inviter_id, @link::text, @role, @streams);

-- name: Invitations :many
-- Those since a moment that count: all, or the ones that somebody sent by mail.
select * from invitations
where org_id = current_setting('app.org')::bigint and invited_at > @since::timestamptz and may_invite(inviter_id, role, link)
    and (@everybody::bool or inviter_id = @inviter_id and email is not null)
order by invitation_id;

-- name: Invitation :one
select * from invitations
where invitation_id = @invitation_id and invited_at > @since::timestamptz and may_invite(inviter_id, role, link);

-- name: InvitationByLink :one
select * from invitations where org_id = current_setting('app.org')::bigint and link = @link::text and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link);

-- name: InvitationTo :one
-- The newest to an address that counts.
select * from invitations
where org_id = current_setting('app.org')::bigint and email_key = lower(@email::text) and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link)
order by invited_at desc, invitation_id desc limit 1;

-- name: HasInvited :one
select exists (select from invitations where org_id = current_setting('app.org')::bigint and inviter_id = @inviter_id);

-- name: RenewInvitation :one
update invitations set invited_at = now() where invitation_id = @invitation_id returning invited_at;

-- name: EndInvitation :exec
delete from invitations where invitation_id = @invitation_id;

-- name: EndInvitationsTo :execrows
-- Whoever has an account is invited no more.
delete from invitations where org_id = current_setting('app.org')::bigint and email_key = lower(@email::text);

-- name: CountPeople :one
select count(*) from users where org_id = current_setting('app.org')::bigint and active and bot_type is null;

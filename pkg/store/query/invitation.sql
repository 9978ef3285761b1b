-- Invitations (rest-api.md, section 5.11).

-- name: LockInvitations :exec
-- Makes invitations of an organization follow each other, so that they can be counted. Taken before the first write.
select pg_advisory_xact_lock(18, hashint8(current_setting('app.org')::bigint));

-- name: CountInvitations :one
-- Mails that were sent since a moment, also of invitations that have ended.
select coalesce(sum(mails), 0)::bigint as everybodys, coalesce(sum(mails) filter (where inviter_id = @inviter_id), 0)::bigint as own
from invitations where org_id = current_setting('app.org')::bigint and (invited_at > @since::timestamptz or invited_at = 'epoch')
    and coalesce(mailed_at, invited_at) > @since and email is not null;

-- name: CountInvitationLinks :one
-- Those since a moment that count.
select count(*) from invitations where org_id = current_setting('app.org')::bigint and link is not null and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link);

-- name: AddInvitations :many
-- Some of those that have ended, and aren't counted any more, go.
with gone as (
    delete from invitations where (org_id, invitation_id) in (
        select i.org_id, i.invitation_id from invitations i
        where i.org_id = current_setting('app.org')::bigint and i.invited_at = 'epoch' and i.mailed_at < @counted::timestamptz limit 100)
)
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
select exists (select from invitations where org_id = current_setting('app.org')::bigint and inviter_id = @inviter_id and invited_at <> 'epoch');

-- name: RenewInvitation :one
update invitations set invited_at = now(), mailed_at = now(),
    mails = case when coalesce(mailed_at, invited_at) > @counted::timestamptz then mails else 0 end + 1
where invitation_id = @invitation_id returning invited_at;

-- name: EndInvitation :exec
-- It counts for the limits a day until AddInvitations removes it.
update invitations set invited_at = 'epoch', mailed_at = coalesce(mailed_at, invited_at) where invitation_id = @invitation_id;

-- name: EndInvitationsTo :execrows
-- Whoever has an account is invited no more.
update invitations set invited_at = 'epoch', mailed_at = coalesce(mailed_at, invited_at)
where org_id = current_setting('app.org')::bigint and email_key = lower(@email::text) and invited_at <> 'epoch';

-- name: CountPeople :one
select count(*) from users where org_id = current_setting('app.org')::bigint and active and bot_type is null;

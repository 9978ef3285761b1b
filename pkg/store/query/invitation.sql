-- The queries in this file store invitations (rest-api.md, section 5.11). An invitation that may_invite rejects isn't
-- valid: its inviter may no longer invite people with its role.
--

-- name: LockInvitations :exec
-- Serializes changes of an organization's invitations, so that they can be counted, with a lock that lasts until the
-- transaction ends. Call it before the transaction's first write.
select pg_advisory_xact_lock(18, hashint8(current_setting('app.org')::bigint));

-- name: CountInvitations :one
-- Returns how many mails with invitations were sent since a time, by everybody and by one inviter. Mails of invitations
-- that have ended count. An invitation counts with all of its mails if the last one was sent since then.
select coalesce(sum(mails), 0)::bigint as everybodys, coalesce(sum(mails) filter (where inviter_id = @inviter_id), 0)::bigint as own
from invitations where org_id = current_setting('app.org')::bigint and (invited_at > @since::timestamptz or invited_at = 'epoch')
    and mailed_at > @since and email is not null;

-- name: CountInvitationLinks :one
-- Returns the number of valid links that were created since a time.
select count(*) from invitations where org_id = current_setting('app.org')::bigint and link is not null and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link);

-- name: AddInvitations :many
-- Adds invitations by mail and returns them.
insert into invitations (inviter_id, email, role, streams)
select @inviter_id, unnest(@emails::text[]), @role, @streams::bigint[]
returning *;

-- name: AddInvitationLink :exec
insert into invitations (inviter_id, link, role, streams) values (@inviter_id, @link::text, @role, @streams);

-- name: ForgetInvitations :exec
-- Deletes up to 100 invitations and links that have ended, or have expired because they were sent before since, and whose
-- last mail was sent before counted, so that they no longer count for limits.
delete from invitations where (org_id, invitation_id) in (
    select i.org_id, i.invitation_id from invitations i
    where i.org_id = current_setting('app.org')::bigint and i.invited_at < @since::timestamptz and i.mailed_at < @counted::timestamptz limit 100);

-- name: Invitations :many
-- Returns the valid invitations since a time: all of them, or, if everybody is false, those that an inviter sent by
-- mail. It asks may_invite once for all invitations that are alike.
with senders as materialized (
    select k.inviter_id, k.role, k.is_link
    from (
        select distinct i.inviter_id, i.role, i.link is not null as is_link from invitations i
        where i.org_id = current_setting('app.org')::bigint and i.invited_at > @since::timestamptz
            and (@everybody::bool or i.inviter_id = @inviter_id and i.email is not null)
        offset 0
    ) k
    where may_invite(k.inviter_id, k.role, case when k.is_link then '' end)
)
select i.* from invitations i join senders s on s.inviter_id = i.inviter_id and s.role = i.role and s.is_link = (i.link is not null)
where i.org_id = current_setting('app.org')::bigint and i.invited_at > @since
    and (@everybody::bool or i.inviter_id = @inviter_id and i.email is not null)
order by i.invitation_id;

-- name: Invitation :one
select * from invitations
where invitation_id = @invitation_id and invited_at > @since::timestamptz and may_invite(inviter_id, role, link);

-- name: InvitationByLink :one
select * from invitations where org_id = current_setting('app.org')::bigint and link = @link::text and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link);

-- name: InvitationTo :one
-- Returns the newest valid invitation to an address since a time.
select * from invitations
where org_id = current_setting('app.org')::bigint and email is not null and email_key = lower(@email::text) and invited_at > @since::timestamptz
    and may_invite(inviter_id, role, link)
order by invited_at desc, invitation_id desc limit 1;

-- name: HasInvited :one
select exists (select from invitations where org_id = current_setting('app.org')::bigint and inviter_id = @inviter_id and invited_at <> 'epoch');

-- name: RenewInvitation :one
update invitations set invited_at = now(), mailed_at = now(),
    mails = case when mailed_at > @counted::timestamptz then mails else 0 end + 1
where invitation_id = @invitation_id returning invited_at;

-- name: EndInvitation :exec
-- Ends an invitation. Its mails count for the daily limits until ForgetInvitations deletes it. A link is deleted at once.
with gone as (delete from invitations l where l.invitation_id = @invitation_id and l.link is not null)
update invitations i set invited_at = 'epoch' where i.invitation_id = @invitation_id and i.email is not null;

-- name: EndRefusedInvitations :exec
-- Ends the invitations of an inviter that may_invite rejects, as EndInvitation does, so that they aren't valid again when the inviter
-- gets more permissions later.
with gone as (
    delete from invitations l where l.org_id = current_setting('app.org')::bigint and l.inviter_id = @inviter_id and l.link is not null
        and not may_invite(l.inviter_id, l.role, l.link))
update invitations i set invited_at = 'epoch'
where i.org_id = current_setting('app.org')::bigint and i.inviter_id = @inviter_id and i.email is not null and i.invited_at <> 'epoch'
    and not may_invite(i.inviter_id, i.role, i.link);

-- name: EndInvitationsTo :execrows
-- Ends the invitations to an address, which has an account now.
update invitations set invited_at = 'epoch'
where org_id = current_setting('app.org')::bigint and email is not null and email_key = lower(@email::text) and invited_at <> 'epoch';

-- name: CountPeople :one
select count(*) from users where org_id = current_setting('app.org')::bigint and active and bot_type is null;

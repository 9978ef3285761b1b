-- Where only administrators may invite, invitations of others don't count.

-- +goose Up

-- may_invite says whether an account may invite people as a role: by a mail, where the organization leaves that to its members, or by a
-- link for anybody, which is for administrators.
create or replace function may_invite(inviter bigint, as_role smallint, link text) returns boolean language sql stable parallel safe as $$
    select exists (select from users u join organizations o using (org_id)
        where u.org_id = current_setting('app.org')::bigint and u.user_id = inviter and u.active and u.role <= least(as_role,
            case when link is null and not coalesce((o.settings ->> 'invite_by_admins_only')::boolean, false) then 400 else 200 end))
$$;
